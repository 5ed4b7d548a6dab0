"""The performance rating and its interval."""

from __future__ import annotations

import pytest

from bot.strategy.skill import Skill, total


def test_the_rating_is_the_mean_error_of_a_decision() -> None:
    one, other = Skill(1, 20, 0.03, 0.0009, luck=0.2), Skill(1, 30, 0.02, 0.0004, luck=-0.1)
    both = total([one, other])
    assert both.games == 2
    assert both.rating == pytest.approx(1.0)
    assert both.luck == pytest.approx(0.1)
    assert Skill().rating is None
    assert Skill(1, 1, 0.5, 0.25).interval is None


def test_the_interval_shrinks_with_the_root_of_the_games() -> None:
    game = Skill(1, 25, 0.05, 0.0005)
    first = total([game] * 4).interval
    second = total([game] * 16).interval
    assert first is not None
    assert second == pytest.approx(first / 2, rel=0.02)
    # Two decisions, of which one cost 1% and the other nothing.
    assert Skill(1, 2, 0.01, 0.0001).interval == pytest.approx(1.96 * 5.0)
