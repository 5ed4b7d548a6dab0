"""Somebody's rating over their games, as a picture. Pillow is loaded when the first one is drawn."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from bot.charts.scores import BACKGROUND, COLOURS, FONT, GRID, QUIET, TEXT
from bot.i18n.locales import number
from bot.standings.values import SHOWN_START, CurvePoint

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

NAME = "rating.png"
SIZE = (900, 420)
LEFT, RIGHT, TOP, BOTTOM = 110, 40, 30, 60
LETTERS = 24
STEPS = (20, 50, 100, 200, 500, 1000, 2000)
MAX_LINES = 6


def draw_curve(curve: Sequence[CurvePoint], locale: str) -> bytes:
    """The curve as PNG: games from left to right, numbers as the readers of ``locale`` write them.

    There must be at least two points.
    """
    from PIL import Image, ImageDraw

    # Drawn twice as large and made smaller, so that lines are smooth.
    scale = 2
    image = Image.new("RGB", (SIZE[0] * scale, SIZE[1] * scale), BACKGROUND)
    pen = ImageDraw.Draw(image)
    low = min(SHOWN_START, *(point.rating for point in curve))
    high = max(SHOWN_START, *(point.rating for point in curve))
    step = next((step for step in STEPS if (high - low) / step <= MAX_LINES - 1), STEPS[-1])
    low, high = low // step * step, -(-max(high, low + 1) // step) * step
    first, last = curve[0].number, curve[-1].number

    def x(game: int) -> float:
        return scale * (LEFT + (SIZE[0] - LEFT - RIGHT) * (game - first) / max(1, last - first))

    def y(rating: int) -> float:
        return scale * (SIZE[1] - BOTTOM - (SIZE[1] - TOP - BOTTOM) * (rating - low) / (high - low))

    font = _font(LETTERS * scale)
    for rating in range(low, high + 1, step):
        own = rating == SHOWN_START
        pen.line(
            [(scale * LEFT, y(rating)), (scale * (SIZE[0] - RIGHT), y(rating))],
            fill=QUIET if own else GRID,
            width=2 * scale,
        )
        pen.text((scale * (LEFT - 14), y(rating)), number(locale, rating), font=font, fill=QUIET, anchor="rm")
    below = scale * (SIZE[1] - BOTTOM + 14)
    pen.text((x(first), below), number(locale, first), font=font, fill=QUIET, anchor="ma")
    pen.text((x(last), below), number(locale, last), font=font, fill=QUIET, anchor="ma")
    points = [(x(point.number), y(point.rating)) for point in curve]
    pen.line(points, fill=COLOURS[0], width=4 * scale, joint="curve")
    end, radius = points[-1], 7 * scale
    pen.ellipse([end[0] - radius, end[1] - radius, end[0] + radius, end[1] + radius], fill=TEXT)
    data = io.BytesIO()
    image.resize(SIZE, Image.Resampling.LANCZOS).save(data, "PNG", optimize=True)
    return data.getvalue()


@lru_cache(maxsize=2)
def _font(size: int) -> FreeTypeFont:
    from PIL import ImageFont

    return ImageFont.truetype(str(FONT), size)
