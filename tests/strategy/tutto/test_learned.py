"""The chances of several players, corrected by a model that was fitted to games."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from bot.games.tutto.cards import FULL_DECK
from bot.games.tutto.state import Edition, Options, State
from bot.strategy.tutto import learned, winning
from bot.strategy.tutto.pairs import Basis
from bot.strategy.tutto.patterns import STEP
from bot.strategy.tutto.position import Position
from bot.strategy.tutto.winning import chances

PLAYED = Path(__file__).parents[3] / "benchmarks" / "tutto_field.jsonl"
"""Positions with the chance of each seat, found by playing on; written by benchmarks/tutto_field.py."""


def positions() -> list[dict[str, Any]]:
    return [json.loads(line) for line in PLAYED.read_text("utf-8").splitlines()]


def state_of(one: dict[str, Any]) -> State:
    options = Options(Edition(one["edition"]), one["target"])
    return State(options, tuple(one["scores"]), seat=one["seat"], last_round=one["last"])


def test_chances_are_within_a_percent_of_games_played_on() -> None:
    found = positions()[::2]
    kinds = {(Edition(one["edition"]), len(one["scores"])) for one in found}
    assert kinds >= set(product(Edition, (3, 4, 6, 10)))
    far = 0
    for one in found:
        shown, basis = chances(state_of(one))
        assert basis is Basis.LEARNED
        assert sum(shown) == pytest.approx(1.0)
        difference = max(abs(chance - won) for chance, won in zip(shown, one["won"], strict=True))
        assert difference < 0.015, one
        far += difference > 0.01
    # Those further off than 0.007 were played on until the standard error was 0.0006.
    assert far <= 0.003 * len(found)


def test_the_odds_of_a_turn_agree_with_the_chances_between_turns() -> None:
    found = positions()
    for one in found[::50] + [one for one in found if one["last"]][::4]:
        state = state_of(one)
        solved, basis = winning.turn(state, low=0, high=1, shown=True)
        assert basis is Basis.LEARNED
        value = solved.turn_card(0, FULL_DECK)
        # Nothing but the turns of seats that come later is estimated in the last round.
        far = 0.005 if one["last"] else 0.01
        assert value == pytest.approx(one["won"][one["seat"]], abs=far + one["error"]), one


def test_stopping_in_the_last_round_is_worth_the_chance_after_it() -> None:
    differences = []
    for one in [one for one in positions() if one["last"] and one["seat"] < len(one["scores"]) - 1][::9]:
        state, seat = state_of(one), one["seat"]
        banked = winning.stakes(Position.of(state), shown=True)[0].levels[0].banked
        for total in range(0, len(banked), 5):
            scores = list(state.scores)
            scores[seat] += STEP * total
            shown, _ = chances(replace(state, scores=tuple(scores), seat=seat + 1))
            differences.append(abs(banked[total] - shown[seat]))
    assert max(differences) < 0.025
    assert mean(differences) < 0.002


def test_chances_of_two_players_are_not_corrected() -> None:
    assert learned.corrected(Position.of(State(Options(), (0, 0))), [0.5, 0.5], [0.0, 0.0]) is None


@pytest.mark.parametrize("damage", ["", "{", '{"sha256": "0", "networks": []}'])
def test_a_damaged_file_is_a_problem_that_names_the_remedy(tmp_path: Path, damage: str) -> None:
    if damage:
        for edition in learned.EDITIONS:
            (tmp_path / learned.file_of(edition)).write_text(damage, "utf-8")
    for edition, problem in zip(learned.EDITIONS, learned.problems(tmp_path), strict=True):
        assert problem.code == ("problem-table-damaged" if damage else "problem-table-missing")
        assert f"{learned.COMMAND} --edition {edition.value}" in str(problem)
    assert learned.problems() == ()


def seen(scores: tuple[int, ...], target: int, last_round: bool) -> list[float]:
    """Return all that the network sees with equal chances from pairs, and the second of three to move."""
    state = State(Options(target=target), scores, seat=1, last_round=last_round)
    return [number for row in learned.features(Position.of(state), [1 / 3] * 3, [0.0] * 3) for number in row]


def test_in_the_last_round_the_target_means_nothing() -> None:
    now = seen((6200, 5900, 3000), 6000, last_round=True)
    assert seen((5200, 4900, 2000), 6000, last_round=True) == pytest.approx(now)
    assert seen((6200, 5900, 3000), 2000, last_round=True) == pytest.approx(now)
    assert seen((6200, 5900, 3100), 6000, last_round=True) != pytest.approx(now)
    before = seen((5200, 4900, 2000), 6000, last_round=False)
    assert seen((5200, 4900, 2000), 6500, last_round=False) != pytest.approx(before)


def test_far_from_the_target_gaps_shrink_with_the_root_of_what_is_to_come() -> None:
    near = seen((4000, 3500, 1000), 10_000, last_round=False)
    far = seen((6000, 5000, 0), 30_000, last_round=False)
    assert far == pytest.approx(near)
