"""The check of a game's dice finds a wrong log or result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from bot.records.fairness import Fairness, check
from bot.records.replay import replay
from bot.registry import find
from bot.store.base import LIVE, Damaged, MoveRow, intact
from tests.support.records import a_log
from tests.support.values import not_none

ENTRY = find("tutto")
ROW, MOVES, _ = a_log(ENTRY.rules, 1)
SCORES = ENTRY.rules.scores(ROW.state)
DAMAGED = Damaged("{")


def checked(moves: Sequence[MoveRow] = MOVES, scores: Sequence[int] = SCORES, **changes: Any) -> Fairness:
    row = replace(ROW, **changes)
    return not_none(check(row, moves, scores))


def test_a_sound_game_is_counted() -> None:
    found = checked()
    drawn = len(intact(ROW.first_chance)) + sum(len(intact(move.outcomes)) for move in MOVES)
    assert (found.problem, found.moves, found.outcomes) == ("", len(MOVES), drawn)
    assert found.outcomes == ROW.draws


@pytest.mark.parametrize("turns", [0, 1, 3])
def test_the_turn_is_named_after_which_the_log_is_damaged(turns: int) -> None:
    first = next(at for at in range(len(MOVES)) if len(replay(ENTRY, ROW, MOVES[:at]).frames) == turns + 1)
    found = checked([*MOVES[:first], MOVES[first]._replace(action=DAMAGED), *MOVES[first + 1 :]])
    assert found.problem == f"the log can't be followed beyond turn {turns}"
    assert (found.moves, found.outcomes) == (0, 0)


def test_a_log_without_a_beginning_is_followed_to_no_turn() -> None:
    for found in (checked(first_chance=DAMAGED), checked(options=DAMAGED)):
        assert found.problem == "the log can't be followed beyond turn 0"


def test_a_game_that_has_not_ended_is_not_checked() -> None:
    assert check(replace(ROW, status=LIVE), MOVES, SCORES) is None


def test_a_game_by_other_rules_is_not_checked_and_not_doubted() -> None:
    found = checked(rules_version=ENTRY.rules.rules_version + 1)
    assert found.problem == ""
    assert found.other_rules is not None
    assert found.other_rules.facts == {"played": 2, "current": 1}


def test_dice_of_another_seed_and_other_scores_are_named() -> None:
    assert "but the seed gives" in (checked(secret=bytes(32))).problem
    other = (SCORES[0] + 50, *SCORES[1:])
    assert (checked(scores=other)).problem == f"the log gives {SCORES}, stored is {other}"
