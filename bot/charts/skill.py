"""The chart of a person's skill and luck over their games: a line above, bars below."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

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
    XY,
    disc,
    line,
    png,
)
from bot.charts.letters import font
from bot.i18n.catalogue import Catalogue
from bot.i18n.locales import number, percent
from bot.i18n.say import Percent, Say, say
from bot.screens.skill import LEVELS, level
from bot.standings.values import SkillPoint
from bot.strategy.skill import THOUSAND, WINDOW, moving_ratings

HEIGHT = 720
RIGHT, GAP = 184, 14
"""Pixels to the right of both parts, and between them and their labels."""

SKILL, LUCK = (78, 388), (488, 648)
"""Top and bottom of the two parts."""

LEAST_SHOWN, MOST_SHOWN = 4.5, 36.0
"""The least and the greatest rating at the bottom. Worse ratings are drawn at the bottom."""

BEGINNER_BOTTOM = 16.0
"""The least rating at the bottom of a beginner's chart, so that the name of the class fits."""

LUCK_STEP = 0.1
"""The winning chance at the top of the luck is a multiple of this."""

LUCKY, UNLUCKY = COLOURS[2], COLOURS[5]


@dataclass(frozen=True, slots=True)
class Axes:
    """Where games, ratings and luck are in the image, in pixels.

    ``left`` is where the parts begin. ``worst`` is the rating at the bottom of the upper part, ``luckiest``
    the winning chance at the top of the lower one.
    """

    left: float
    games: int
    worst: float
    luckiest: float

    @property
    def slot(self) -> float:
        """The width of a game."""
        return (WIDTH - RIGHT - self.left) / self.games

    def x(self, game: int) -> float:
        """Return the middle of a game, counted from 0."""
        return self.left + (game + 0.5) * self.slot

    def skill_y(self, rating: float) -> float:
        """Return the height of a rating. 0, which is perfect, is at the top.

        Square roots make the classes about equally high.
        """
        top, bottom = SKILL
        return top + (bottom - top) * math.sqrt(min(rating, self.worst) / self.worst)

    def luck_y(self, luck: float) -> float:
        top, bottom = LUCK
        return (top + bottom) / 2 - (bottom - top) / 2 * luck / self.luckiest

    def bar(self, game: int, luck: float) -> tuple[XY, XY]:
        """Return the upper left and the lower right corner of a game's bar, which is never invisible."""
        half = max(1.0, self.slot * 0.38)
        ends = sorted((self.luck_y(0), self.luck_y(luck)))
        return (self.x(game) - half, ends[0] - 0.5), (self.x(game) + half, ends[1] + 0.5)


def axes(ratings: Sequence[float | None], lucks: Sequence[float], left: float) -> Axes:
    """Choose the axes for the moving average and the luck of each of one or more games."""
    worst = max([rating for rating in ratings if rating is not None], default=0.0)
    if worst > LEVELS[-1][0]:
        bottom = min(max(worst, BEGINNER_BOTTOM), MOST_SHOWN)
    else:
        bottom = next(most for most, _ in LEVELS if most >= max(worst, LEAST_SHOWN))
    steps = math.ceil(max(map(abs, lucks)) / LUCK_STEP - 1e-9)
    return Axes(left, len(lucks), bottom, max(1, steps) * LUCK_STEP)


def skill_chart(skills: Sequence[SkillPoint], catalogue: Catalogue, locale: str) -> bytes:
    """Draw the mean error of a decision, as a moving average, and the luck of each game as PNG.

    ``skills`` are at least one game, oldest first. Takes tens of milliseconds.
    """
    from PIL import Image, ImageDraw

    def text(what: Say) -> str:
        return catalogue.text(locale, what)

    ratings = moving_ratings([point.skill for point in skills])
    lucks = [point.skill.luck for point in skills]
    letters = font(FONT_SIZE)
    names = [text(level(most)) for most in (*(most for most, _ in LEVELS), BEGINNER_BOTTOM)]
    where = axes(ratings, lucks, 2 * GAP + max(map(letters.getlength, names)))
    right = WIDTH - RIGHT
    bounds = [most for most, _ in LEVELS if most < where.worst] + [where.worst]
    levels_of_luck = (where.luckiest, 0.0, -where.luckiest)

    canvas = Image.new("RGB", (WIDTH * SCALE, HEIGHT * SCALE), BACKGROUND)
    pen = ImageDraw.Draw(canvas)
    for rating in (0.0, *bounds):
        line(pen, [(where.left, where.skill_y(rating)), (right, where.skill_y(rating))], GRID, 1.5)
    for luck in levels_of_luck:
        line(pen, [(where.left, where.luck_y(luck)), (right, where.luck_y(luck))], GRID, 1.5)
    for game, luck in enumerate(lucks):
        (x, y), (end_x, end_y) = where.bar(game, luck)
        box = [x * SCALE, y * SCALE, end_x * SCALE, end_y * SCALE]
        pen.rectangle(box, fill=UNLUCKY if luck < 0 else LUCKY)
    line(pen, [(where.left, where.luck_y(0)), (right, where.luck_y(0))], QUIET, 2)
    curve = [
        (where.x(game), where.skill_y(rating)) for game, rating in enumerate(ratings) if rating is not None
    ]
    if curve:
        line(pen, curve, COLOURS[0], 5)
        disc(pen, *curve[-1], 8, TEXT)

    picture = canvas.reduce(SCALE)
    pen = ImageDraw.Draw(picture)
    for title, (top, _) in (
        (text(say("chart-skill", window=WINDOW)), SKILL),
        (text(say("chart-luck")), LUCK),
    ):
        pen.text((GAP, top - TITLE), title, TEXT, letters, anchor="lm")
    for name, best, worst in zip(names, (0.0, *bounds), bounds, strict=False):
        middle = (where.skill_y(best) + where.skill_y(worst)) / 2
        pen.text((where.left - GAP, middle), name, QUIET, letters, anchor="rm")
    for rating in (0.0, *bounds):
        share = "≥" * (rating == MOST_SHOWN) + percent(locale, rating / THOUSAND, 2)
        pen.text((right + GAP, where.skill_y(rating)), share, QUIET, letters, anchor="lm")
    for luck in levels_of_luck:
        key = "skill-luck-bad" if luck < 0 else "skill-luck-good"
        share = text(say(key, luck=Percent(abs(luck), 0))) if luck else percent(locale, 0.0, 0)
        pen.text((right + GAP, where.luck_y(luck)), share, QUIET, letters, anchor="lm")
    below = LUCK[1] + 16
    first, last = number(locale, skills[0].number), number(locale, skills[-1].number)
    pen.text((where.left, below), first, QUIET, letters, anchor="la")
    pen.text((right, below), last, QUIET, letters, anchor="ra")
    pen.text(((where.left + right) / 2, below), f"{text(say('chart-games'))} →", QUIET, letters, anchor="ma")
    return png(picture)
