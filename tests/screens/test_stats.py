"""A person's statistics in words."""

from __future__ import annotations

import pytest

from bot.registry import GAMES
from bot.screens.stats import statistics
from bot.standings.values import Stats


@pytest.mark.parametrize(
    ("now", "longest", "said"), [(0, 0, False), (1, 1, False), (2, 2, True), (0, 2, True)]
)
def test_a_streak_is_named_once_there_was_one(now: int, longest: int, said: bool) -> None:
    stats = Stats(1, "Anna", 3, longest, 9000, 30, 900, now, longest, None, None, 0, 0.0)
    assert ("stats-streaks" in repr(statistics(GAMES["tutto"], stats))) is said
