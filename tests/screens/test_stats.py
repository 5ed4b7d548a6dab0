"""A person's statistics in words."""

from __future__ import annotations

import pytest

from bot.i18n.catalogue import Catalogue
from bot.i18n.say import say
from bot.registry import GAMES, TEXT_ICONS
from bot.screens.model import Divider, Text
from bot.screens.skill import signed
from bot.screens.stats import statistics
from bot.standings.mastery import stored
from bot.standings.values import LUCK, LUCK_GAMES, Opponent, Stats
from bot.strategy.skill import Measured, Skill


@pytest.mark.parametrize(
    ("now", "longest", "said"), [(0, 0, False), (1, 1, False), (2, 2, True), (0, 2, True)]
)
def test_a_streak_is_named_once_there_was_one(now: int, longest: int, said: bool) -> None:
    stats = Stats(1, "Anna", 3, longest, 9000, 30, 900, now, longest, None, None, 0, 0.0)
    assert ("stats-streaks" in repr(statistics(GAMES["tutto"], stats))) is said


@pytest.mark.parametrize("feats", [{}, {"tuttos": 3, "nulls": 0}, {"tuttos": 3, LUCK: 200, LUCK_GAMES: 2}])
def test_games_turns_and_play_stand_apart(feats: dict[str, int]) -> None:
    stats = Stats(1, "Anna", 3, 1, 9000, 30, 900, 0, 1, None, None, 0, 0.0, feats=feats)
    title, *parts, _buttons = statistics(GAMES["tutto"], stats).blocks
    firsts = [["stats-games"], ["stats-turns"], *([["stats-luck-good"]] if LUCK in feats else [])]
    assert isinstance(title, Text)
    assert all(isinstance(one, Divider) for one in parts[::2])
    assert [[one.lines[0].key] for one in parts[1::2] if isinstance(one, Text)] == firsts
    assert len(parts) == 2 * len(firsts)
    assert "tutto-sum-nulls" not in repr(parts)


@pytest.mark.parametrize(
    ("ahead", "said"),
    [
        (0, {"en": "never ahead", "de": "nie vorn", "fr": "jamais devant", "it": "mai davanti"}),
        (1, {"en": "ahead once", "de": "einmal vorn", "fr": "une fois devant", "it": "una volta davanti"}),
        (2, {"en": "ahead in 2", "de": "2-mal vorn", "fr": "2 fois devant", "it": "2 volte davanti"}),
    ],
)
def test_how_often_somebody_was_ahead_is_said_as_people_say_it(ahead: int, said: dict[str, str]) -> None:
    opponents = (Opponent(2, "Ben", 3, ahead),)
    stats = Stats(1, "Anna", 3, 1, 9000, 30, 900, 0, 1, None, None, 0, 0.0, opponents=opponents)
    texts = [block for block in statistics(GAMES["tutto"], stats).blocks if isinstance(block, Text)]
    (line,) = [line for text in texts for line in text.lines if line.key == "stats-opponents"]
    for language, words in said.items():
        assert Catalogue(TEXT_ICONS).text(language, line).endswith(f", {words})")


def test_a_habit_that_costs_nothing_to_speak_of_is_not_named() -> None:
    measured = Measured(0, Skill(1, 22, 0.06, 0.001), {"risky": 0.02, "safe": 0.00004})
    stats = Stats(1, "Anna", 1, 0, 900, 30, 900, 0, 0, None, None, 0, 0.0, feats=stored(measured) or {})
    shown = repr(statistics(GAMES["tutto"], stats))
    assert "habit-risky" in shown
    assert "habit-safe" not in shown


@pytest.mark.parametrize(
    ("change", "text"), [(0.0004, "0.0%"), (-0.0004, "0.0%"), (0.0006, "+0.1%"), (-0.0006, "−0.1%")]
)
def test_a_change_that_is_shown_as_nothing_has_no_sign(change: float, text: str) -> None:
    line = say("review-skill", luck=signed(change), level="", rating="", interval="", adjusted="")
    assert f"luck {text}" in Catalogue(TEXT_ICONS).text("en", line)
