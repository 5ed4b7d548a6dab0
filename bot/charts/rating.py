"""The chart of a player's rating over their games."""

from __future__ import annotations

from collections.abc import Sequence

from bot.charts.canvas import (
    BACKGROUND,
    COLOURS,
    FONT_SIZE,
    GRID,
    QUIET,
    SCALE,
    TEXT,
    TITLE,
    WIDTH,
    disc,
    line,
    png,
)
from bot.charts.letters import font
from bot.i18n.catalogue import Catalogue
from bot.i18n.locales import number
from bot.i18n.say import say
from bot.standings.values import SHOWN_START, CurvePoint

HEIGHT = 470
LEFT, RIGHT, TOP, BOTTOM, GAP = 124, 40, 80, 66, 14
"""Pixels beside the curve on each side, and between it and its labels."""

STEPS = (20, 50, 100, 200, 500, 1000, 2000)
"""From one grid line to the next, in points of rating."""

MAX_LINES = 6
"""How many grid lines to draw at most."""


def rating_chart(curve: Sequence[CurvePoint], catalogue: Catalogue, locale: str) -> bytes:
    """Draw the curve as PNG: games from left to right, numbers as ``locale`` writes them.

    ``curve`` has at least two points.
    """
    from PIL import Image, ImageDraw

    low = min(SHOWN_START, *(point.rating for point in curve))
    high = max(SHOWN_START, *(point.rating for point in curve))
    step = next((step for step in STEPS if (high - low) / step <= MAX_LINES - 1), STEPS[-1])
    low, high = low // step * step, -(-max(high, low + 1) // step) * step
    first, last = curve[0].number, curve[-1].number
    right, base = WIDTH - RIGHT, HEIGHT - BOTTOM

    def x(game: int) -> float:
        return LEFT + (right - LEFT) * (game - first) / max(1, last - first)

    def y(rating: int) -> float:
        return base - (base - TOP) * (rating - low) / (high - low)

    canvas = Image.new("RGB", (WIDTH * SCALE, HEIGHT * SCALE), BACKGROUND)
    pen = ImageDraw.Draw(canvas)
    ratings = range(low, high + 1, step)
    for rating in ratings:
        line(pen, [(LEFT, y(rating)), (right, y(rating))], QUIET if rating == SHOWN_START else GRID, 2)
    points = [(x(point.number), y(point.rating)) for point in curve]
    line(pen, points, COLOURS[0], 5)
    disc(pen, *points[-1], 9, TEXT)

    picture = canvas.reduce(SCALE)
    pen, letters = ImageDraw.Draw(picture), font(FONT_SIZE)
    pen.text((GAP, TOP - TITLE), catalogue.text(locale, say("chart-rating")), TEXT, letters, anchor="lm")
    for rating in ratings:
        pen.text((LEFT - GAP, y(rating)), number(locale, rating), QUIET, letters, anchor="rm")
    pen.text((LEFT, base + GAP), number(locale, first), QUIET, letters, anchor="la")
    pen.text((right, base + GAP), number(locale, last), QUIET, letters, anchor="ra")
    return png(picture)
