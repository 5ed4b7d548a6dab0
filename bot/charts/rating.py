"""The chart of a player's rating over their games."""

from __future__ import annotations

import io
from collections.abc import Sequence

from bot.charts.canvas import BACKGROUND, COLOURS, GRID, QUIET, SCALE, TEXT
from bot.charts.letters import font
from bot.i18n.locales import number
from bot.standings.values import SHOWN_START, CurvePoint

SIZE = (900, 420)
LEFT, RIGHT, TOP, BOTTOM = 110, 40, 30, 60
LETTERS = 24
STEPS = (20, 50, 100, 200, 500, 1000, 2000)
MAX_LINES = 6


def rating_chart(curve: Sequence[CurvePoint], locale: str) -> bytes:
    """Draw the curve as PNG: games from left to right, numbers as ``locale`` writes them.

    ``curve`` has at least two points.
    """
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (SIZE[0] * SCALE, SIZE[1] * SCALE), BACKGROUND)
    pen = ImageDraw.Draw(image)
    low = min(SHOWN_START, *(point.rating for point in curve))
    high = max(SHOWN_START, *(point.rating for point in curve))
    step = next((step for step in STEPS if (high - low) / step <= MAX_LINES - 1), STEPS[-1])
    low, high = low // step * step, -(-max(high, low + 1) // step) * step
    first, last = curve[0].number, curve[-1].number

    def x(game: int) -> float:
        return SCALE * (LEFT + (SIZE[0] - LEFT - RIGHT) * (game - first) / max(1, last - first))

    def y(rating: int) -> float:
        return SCALE * (SIZE[1] - BOTTOM - (SIZE[1] - TOP - BOTTOM) * (rating - low) / (high - low))

    letters = font(LETTERS * SCALE)
    for rating in range(low, high + 1, step):
        own = rating == SHOWN_START
        pen.line(
            [(SCALE * LEFT, y(rating)), (SCALE * (SIZE[0] - RIGHT), y(rating))],
            fill=QUIET if own else GRID,
            width=2 * SCALE,
        )
        pen.text(
            (SCALE * (LEFT - 14), y(rating)), number(locale, rating), font=letters, fill=QUIET, anchor="rm"
        )
    below = SCALE * (SIZE[1] - BOTTOM + 14)
    pen.text((x(first), below), number(locale, first), font=letters, fill=QUIET, anchor="ma")
    pen.text((x(last), below), number(locale, last), font=letters, fill=QUIET, anchor="ma")
    points = [(x(point.number), y(point.rating)) for point in curve]
    pen.line(points, fill=COLOURS[0], width=4 * SCALE, joint="curve")
    end, radius = points[-1], 7 * SCALE
    pen.ellipse([end[0] - radius, end[1] - radius, end[0] + radius, end[1] + radius], fill=TEXT)
    data = io.BytesIO()
    image.resize(SIZE, Image.Resampling.LANCZOS).save(data, "PNG", optimize=True)
    return data.getvalue()
