"""The performance rating and its interval."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest

from bot.cli.simulation import play_game
from bot.registry import GAMES
from bot.strategy.account import Account, Decision
from bot.strategy.skill import Skill, skill_of, total
from bot.strategy.tutto.pairs import Basis


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


def test_a_decision_counts_by_the_root_of_its_stake() -> None:
    """By the game's usual one; forced choices and those of others don't count."""

    def decision(seat: int, stake: float, cost: float) -> Decision[None, str]:
        return Decision(0, 0, seat, None, "a", "b", 0.9 - cost, 0.9, 0.9 - stake, "b", 0.9)

    decisions = [(0, 0.04, 0.01), (0, 0.16, 0.03), (0, 0.0, 0.0), (1, 0.25, 0.2)]
    found: Account[Any, Any] = Account(
        start=(0.5, 0.5),
        chances=((0.5, 0.5), (0.0, 1.0)),
        turn_seats=(0,),
        decisions=tuple(decision(*one) for one in decisions),
        items=(),
        others=(0.0, 0.0),
        gap=(0.0, 0.0),
        basis=Basis.TABLE,
        usual_stake=0.04,
    )
    skill = skill_of(found, 0)
    assert skill.choices == pytest.approx(3.0)
    assert skill.rating == pytest.approx(1000 * 0.04 / 3.0)
    assert skill.squares == pytest.approx(0.001)


KNOWN: Mapping[tuple[str, int, str], tuple[tuple[float, ...], ...]] = {
    ("tutto", 2, "current"): ((1733, 0.02461, 3.91, 0.48847), (693, 0.15511, 2.699, 0.08778)),
    ("tutto", 3, "current"): (
        (1733, 0.02924, 4.193, 0.59969),
        (693, 0.13482, 2.516, 0.08348),
        (-355, 0, 0, -0.06622),
    ),
    ("tutto", 3, "modern"): (
        (1733, 0.02918, 4.189, 0.59956),
        (693, 0.13482, 2.516, 0.08348),
        (-355, 0, 0, -0.06622),
    ),
    ("tutto", 3, "classic"): ((1733, 0.03199, 4.579, 0.66129), (0, 0, 0, 0), (0, 0, 0, 0)),
    ("gambler", 2, ""): ((-100, 0.29532, 22.084, -0.16426), (85, 0.0779, 27.23, 0.1352)),
    ("gambler", 3, ""): ((95, 0.0, 0.0, 0.0), (70, 0.0, 0.0, 0.0), (-79, 0.0, 0.0, 0.0)),
}
"""By game, seats and edition the luck in points, errors, decisions and luck of each seat in a known game."""

VERSIONS = {"tutto": 9, "gambler": 5}
"""By game the version of its measure that says so."""


@pytest.mark.parametrize(("game", "seats", "edition"), KNOWN)
def test_other_numbers_need_another_version(game: str, seats: int, edition: str) -> None:
    """If this fails only by its numbers, raise VERSION, so that stored ones are worked out again.

    If a level chooses differently, another game is played, and only the numbers here change.
    """
    entry = GAMES[game]
    assert entry.measure is not None
    options = entry.rules.options({"target": 300} if not edition else {"target": 2000, "edition": edition})
    players = [entry.policies[level] for level in ("casual", "expert", "casual")[:seats]]
    randoms = [Random(seat) for seat in range(seats)]
    _, log = play_game(entry.rules, options, players, bytes(32), randoms)
    found = entry.measure(options, seats, log.opening, log.moves)
    skills = [one.skill or Skill() for one in found]
    numbers = tuple(
        (one.luck, round(skill.errors, 5), round(skill.choices, 3), round(skill.luck, 5))
        for one, skill in zip(found, skills, strict=True)
    )
    assert (entry.measure_version, numbers) == (VERSIONS[game], KNOWN[game, seats, edition])


def test_every_measure_is_known() -> None:
    assert {game for game, _, _ in KNOWN} == VERSIONS.keys() == GAMES.keys()
