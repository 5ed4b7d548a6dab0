"""Finished games are replayed from their logs, sound ones and damaged ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from bot.games import codec
from bot.games.core import Leave
from bot.games.tutto.state import TURN_CARD, Roll
from bot.records.game_log import log_of
from bot.records.replay import replay
from bot.registry import GAMES, find
from bot.store import encoding
from bot.store.base import MoveRow, intact
from tests.support.records import a_log
from tests.support.rows import stored_as, stored_move


@pytest.mark.parametrize("key", GAMES)
@pytest.mark.parametrize("seed", range(4))
def test_every_turn_is_a_frame(key: str, seed: int) -> None:
    entry = find(key)
    row, moves, _ = a_log(entry.rules, seed, leaving=0.01)
    found = replay(entry, row, moves)
    assert not found.damaged
    numbers = [frame.finished for frame in found.frames]
    assert numbers[0] == 0
    assert numbers == sorted(numbers)
    last = found.frames[-1]
    assert last.state == row.state
    assert last.finished == entry.rules.turns(last.state) > 0
    # Each turn has a narration, of a seat of the game.
    for frame in found.frames[1:]:
        assert frame.lines
        assert all(0 <= line.seat < len(row.seats) and line.pieces for line in frame.lines)


@pytest.mark.parametrize("key", GAMES)
def test_a_frame_has_the_last_choice_of_its_turn(key: str) -> None:
    """Leaving is no choice; a turn without a choice has none."""
    entry = find(key)
    kinds = set()
    for seed in range(20):
        row, moves, _ = a_log(entry.rules, seed, leaving=0.05)
        states = [played.state for played in log_of(row, moves).replay()]
        found = replay(entry, row, moves)
        ends = [states.index(frame.state) for frame in found.frames]
        assert ends[0] == 0
        assert ends == sorted(set(ends))
        for frame, first, last in zip(found.frames[1:], ends, ends[1:], strict=False):
            choices = [at for at in range(first, last) if not isinstance(moves[at].action, Leave)]
            assert frame.decision == (states[choices[-1]] if choices else None)
            assert frame.finished == entry.rules.turns(frame.state)
            # Nothing that ended a turn is left out.
            within = [entry.rules.turns(state) for state in states[first:last]]
            assert within == [entry.rules.turns(states[first])] * len(within)
            kinds.add((bool(choices), bool(choices) and choices[-1] == last - 1))
    assert kinds == {(True, True), (True, False), (False, False)}


def swapped(moves: list[MoveRow], at: int, **changes: Any) -> list[MoveRow]:
    return [*moves[:at], stored_move(moves[at], **changes), *moves[at + 1 :]]


def written(move: MoveRow) -> list[Any]:
    """The outcomes of a move as they are stored."""
    outcomes: list[Any] = codec.loads(encoding.move_columns("tutto", move)["chance"])
    return outcomes


DAMAGES: dict[str, Callable[[list[MoveRow], int], list[MoveRow]]] = {
    "no JSON": lambda moves, at: swapped(moves, at, action="{"),
    "no action": lambda moves, at: swapped(moves, at, action='"up"'),
    "a number": lambda moves, at: swapped(moves, at, action="7"),
    "no list": lambda moves, at: swapped(moves, at, chance="5"),
    "null": lambda moves, at: swapped(moves, at, chance="null"),
    "no outcome": lambda moves, at: swapped(moves, at, chance='[{"dice":[9,9]}]'),
    "one outcome too many": lambda moves, at: swapped(
        moves, at, chance=codec.dumps([*written(moves[at]), {"dice": [1]}])
    ),
    "another seat": lambda moves, at: swapped(moves, at, seat=moves[at].seat + 1),
    "a move is missing": lambda moves, at: [*moves[:at], *moves[at + 1 :]],
    "a move twice": lambda moves, at: [*moves[: at + 1], moves[at], *moves[at + 1 :]],
    "cut off": lambda moves, at: moves[:at],
    "deeply nested": lambda moves, at: swapped(moves, at, action="[" * 100_000),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_log_is_followed_as_far_as_it_goes(damage: str) -> None:
    entry = find("tutto")
    row, moves, _ = a_log(entry.rules, 11)
    whole = replay(entry, row, moves)
    # A roll before a choice, so that a missing or doubled outcome can't fit by chance.
    at = next(
        number
        for number, move in enumerate(moves)
        if number > len(moves) // 2
        and move.action == TURN_CARD
        and any(isinstance(one, Roll) for one in intact(move.outcomes))
    )
    found = replay(entry, row, DAMAGES[damage](moves, at))
    assert found.damaged
    assert 1 < len(found.frames) < len(whole.frames)
    assert found.frames == whole.frames[: len(found.frames)]


def test_nothing_is_left_of_a_game_without_its_beginning() -> None:
    entry = find("tutto")
    row, moves, _ = a_log(entry.rules, 11)
    nothing: list[dict[str, Any]] = [
        {"options": "{"},
        {"options": '{"edition":"deluxe"}'},
        {"options": "[]"},
        {"first_chance": "7"},
    ]
    for changes in nothing:
        found = replay(entry, stored_as(row, **changes), moves)
        assert (found.frames, found.damaged) == ((), True)
    found = replay(entry, replace(row, seats=row.seats[:1]), moves)
    assert (found.frames, found.damaged) == ((), True)
