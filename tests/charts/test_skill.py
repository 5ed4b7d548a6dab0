"""The chart of skill and luck: its parts are in their places, and its words fit in every language."""

from __future__ import annotations

import io
import itertools
from dataclasses import replace

import pytest
from PIL import Image

from bot.charts import letters
from bot.charts.canvas import COLOURS, FONT_SIZE, TITLE, WIDTH
from bot.charts.skill import (
    GAP,
    HEIGHT,
    LUCK,
    MOST_SHOWN,
    RIGHT,
    SKILL,
    Axes,
    axes,
    skill_chart,
)
from bot.discordpy.components import MAX_ALT
from bot.i18n.catalogue import Catalogue
from bot.i18n.locales import percent
from bot.i18n.say import say
from bot.registry import TEXT_ICONS, find
from bot.screens.model import Picture
from bot.screens.stats import MIN_SKILL_POINTS, RATING_CHART, SKILL_CHART, charts, statistics
from bot.standings.values import CurvePoint, SkillPoint, Stats
from bot.strategy.skill import MIN_AVERAGED, WINDOW, Skill, moving_ratings

CATALOGUE = Catalogue(TEXT_ICONS)
GAME = Skill(1, 20, 0.06, 0.001, 0.2)


def played(*skills: Skill) -> tuple[SkillPoint, ...]:
    return tuple(SkillPoint(number, skill) for number, skill in enumerate(skills, start=1))


def test_the_moving_average_weighs_decisions_of_the_last_games_only() -> None:
    early, late = Skill(1, 10, 0.1), Skill(1, 30, 0.03)
    found = moving_ratings([early] * WINDOW + [late] * WINDOW)
    assert found[: MIN_AVERAGED - 1] == (None,) * (MIN_AVERAGED - 1)
    assert found[MIN_AVERAGED - 1 : WINDOW] == pytest.approx([10.0] * (WINDOW - MIN_AVERAGED + 1))
    assert found[WINDOW] == pytest.approx(1000 * (9 * 0.1 + 0.03) / (9 * 10 + 30))
    assert found[-1] == pytest.approx(1.0)
    assert moving_ratings([Skill(1)] * 4) == (None,) * 4


@pytest.mark.parametrize(
    ("worst", "bottom"),
    [(None, 4.5), (0.0, 4.5), (4.5, 4.5), (4.6, 9.0), (9.0, 9.0), (9.1, 16.0), (20.0, 20.0), (500.0, 36.0)],
)
def test_the_scale_ends_with_a_class_that_has_room_for_its_name(worst: float | None, bottom: float) -> None:
    found = axes([None, worst], [0.0, 0.0], 200)
    assert found.worst == bottom
    assert found.skill_y(0) == SKILL[0]
    assert found.skill_y(bottom) == found.skill_y(1000) == SKILL[1]
    heights = [found.skill_y(rating) for rating in (0, 0.5, 2, 4.5)]
    assert min(below - above for above, below in itertools.pairwise(heights)) >= FONT_SIZE


@pytest.mark.parametrize(
    ("lucks", "top"), [((0.0,), 0.1), ((0.1,), 0.1), ((0.05, -0.31), 0.4), ((-0.3,), 0.3), ((1.04,), 1.1)]
)
def test_bars_are_as_long_as_the_luck_up_or_down(lucks: tuple[float, ...], top: float) -> None:
    found = axes([], lucks, 200)
    assert found.luckiest == pytest.approx(top)
    zero = found.luck_y(0)
    assert zero == sum(LUCK) / 2
    for game, luck in enumerate(lucks):
        (left, above), (right, below) = found.bar(game, luck)
        assert LUCK[0] - 1 <= above < below <= LUCK[1] + 1
        assert below - above == pytest.approx(1 + abs(luck) / top * (LUCK[1] - LUCK[0]) / 2)
        assert (above < zero - 1) == (luck > 0)
        assert (below > zero + 1) == (luck < 0)
        assert 200 <= left < right <= WIDTH - RIGHT


def test_bars_of_many_games_do_not_touch() -> None:
    found = Axes(260, 120, 9.0, 0.5)
    assert found.bar(0, 0.1)[1][0] < found.bar(1, 0.1)[0][0]
    assert found.bar(119, 0.1)[1][0] <= WIDTH - RIGHT


def test_titles_touch_no_label() -> None:
    """The label of the top line begins below the title, and that of the line above ends before it."""
    above, below = letters.font(FONT_SIZE).getbbox("(gÉ", anchor="lm")[1::2]
    figure = letters.font(FONT_SIZE).getbbox("0.00%", anchor="lm")[1::2]
    room = 6
    assert below - TITLE + room < figure[0]
    assert above + LUCK[0] - TITLE > figure[1] + SKILL[1] + room
    assert above + SKILL[0] - TITLE > 0


@pytest.mark.parametrize("language", CATALOGUE.languages)
def test_headings_and_figures_fit(language: str) -> None:
    for title in (say("chart-rating"), say("chart-skill", window=WINDOW), say("chart-luck")):
        text = CATALOGUE.text(language, title)
        assert letters.font(FONT_SIZE).getlength(text) <= WIDTH - 2 * GAP, "a shorter text is needed"
    widest = "≥" + percent(language, MOST_SHOWN / 1000, 2)
    assert letters.font(FONT_SIZE).getlength(widest) <= RIGHT - 2 * GAP


def test_good_luck_bad_luck_and_the_line_are_drawn() -> None:
    skills = played(*(replace(GAME, luck=0.2 if game % 2 else -0.2) for game in range(MIN_SKILL_POINTS)))
    picture = Image.open(io.BytesIO(skill_chart(skills, CATALOGUE, "fr"))).convert("RGB")
    assert picture.size == (WIDTH, HEIGHT)
    for colour in (COLOURS[0], COLOURS[2], COLOURS[5]):
        wanted = tuple(bytes.fromhex(colour[1:]))
        near = [
            count
            for count, found in picture.getcolors(1 << 20) or []
            if isinstance(found, tuple) and max(abs(a - b) for a, b in zip(found, wanted, strict=True)) < 12
        ]
        assert sum(near) > 500, colour


def test_there_is_a_picture_only_with_enough_games_and_decisions() -> None:
    curve = tuple(CurvePoint(number, 0.0, 1000) for number in (1, 2))
    assert charts((), played(*[GAME] * (MIN_SKILL_POINTS - 1))) == ()
    assert charts((), played(*[Skill(1)] * 20)) == ()
    assert charts(curve, played(*[GAME] * MIN_SKILL_POINTS)) == (RATING_CHART, SKILL_CHART)


@pytest.mark.parametrize("language", CATALOGUE.languages)
def test_the_alt_text_fits(language: str) -> None:
    skills = played(*(Skill(1, 20, 9.9, 8.0, luck) for luck in [-0.9999, 0.9999] * 60))
    whose = Stats(1, "Anna", 120, 60, 1, 1, 1, 0, 0, None, None, 0, 0.0, skills=skills)
    screen = statistics(find("tutto"), whose, [SKILL_CHART])
    (shown,) = [block for block in screen.blocks if isinstance(block, Picture)]
    text = CATALOGUE.text(language, shown.alt)
    assert len(text) <= MAX_ALT
    assert "120" in text
    assert "{" not in text
