"""The log of a stored game: read whole, read as far as it is readable, and written as its public record."""

from __future__ import annotations

import json
import pickle
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import pytest

from bot.games.core import IllegalMove, Unreadable
from bot.games.seats import ai, person
from bot.records.game_log import OtherRules, log_of, read_log, readable_part, record_of
from bot.records.record import RecordError
from bot.records.sealing import with_message
from bot.records.verification import verify_line
from bot.registry import find
from bot.store.base import ABORTED, LIVE, Damaged, FormerSeat, MoveRow, Store, Word
from tests.records.test_sealing import MESSAGE, start_of
from tests.support.records import a_log
from tests.support.values import not_none

SEED = 0
"""Of a game between three seats."""
ROW, MOVES, EVENTS = a_log(find("tutto").rules, SEED)
DAMAGED = Damaged("{")


class Moves:
    """A store that has the moves of one game."""

    def __init__(self, moves: Sequence[MoveRow]) -> None:
        self._moves = moves

    async def moves(self, game_id: int) -> tuple[MoveRow, ...]:
        assert game_id == ROW.id
        return tuple(self._moves)


def with_moves(moves: Sequence[MoveRow] = MOVES) -> Store:
    return cast(Store, Moves(moves))


async def test_a_log_leads_to_the_state_of_its_game() -> None:
    log = await read_log(with_moves(), ROW)
    assert log == log_of(ROW, MOVES)
    assert (log.options, log.seats, len(log.moves)) == (ROW.options, len(ROW.seats), len(MOVES))
    steps = list(log.replay())
    assert steps[-1].state == ROW.state
    assert [event for step in steps for event in step.events] == EVENTS
    with pytest.raises(IllegalMove):
        list(replace(log, moves=(*log.moves, log.moves[0])).replay())


async def test_a_log_by_other_rules_is_not_read_whoever_is_told_so() -> None:
    """Also the process that asked another one to read it."""
    played, current = ROW.rules_version + 1, ROW.rules_version
    with pytest.raises(OtherRules) as error:
        await read_log(with_moves(), replace(ROW, rules_version=played))
    with pytest.raises(OtherRules):
        record_of(replace(ROW, rules_version=played), MOVES)
    for one in (error.value, pickle.loads(pickle.dumps(error.value))):
        assert type(one) is OtherRules
        assert (one.code, one.facts) == ("error-other-rules", {"played": played, "current": current})


@pytest.mark.parametrize("part", ["action", "outcomes"])
async def test_a_log_is_read_up_to_its_first_damaged_move(part: str) -> None:
    damaged: list[MoveRow] = list(MOVES)
    change: dict[str, Any] = {part: DAMAGED}
    damaged[4], damaged[7] = MOVES[4]._replace(**change), MOVES[7]._replace(**change)
    assert readable_part(ROW, damaged) == log_of(ROW, MOVES[:4])
    with pytest.raises(Unreadable):
        log_of(ROW, damaged)
    with pytest.raises(Unreadable):
        await read_log(with_moves(damaged), ROW)


@pytest.mark.parametrize("part", ["options", "first_chance"])
def test_nothing_can_be_read_of_a_game_without_its_beginning(part: str) -> None:
    row = replace(ROW, **{part: DAMAGED})  # type: ignore[arg-type]
    for read in (log_of, readable_part):
        with pytest.raises(Unreadable):
            read(row, MOVES)


def test_a_game_that_was_ended_has_a_record_only_if_its_seed_was_sealed() -> None:
    row = replace(ROW, status=ABORTED)
    assert record_of(row, MOVES[:-1]) is None
    sealed = replace(row, start=with_message(start_of(seats=ROW.seats, words={}), MESSAGE))
    record = json.loads(not_none(record_of(sealed, MOVES[:-1])))
    assert (len(record["moves"]), record["result"]) == (len(MOVES) - 1, None)


def test_a_record_has_the_words_and_who_was_replaced() -> None:
    """A word that is gone is null, and an empty one was never there."""
    start = with_message(start_of(seats=ROW.seats, words={0: "kumquat", 2: "plum"}), MESSAGE)
    former = (
        FormerSeat(2, 7, "Ann", MOVES[1].number, handed=True, turns=0, own_turns=0),
        FormerSeat(1, 8, "Ben", MOVES[2].number, handed=False, turns=0, own_turns=0),
        FormerSeat(2, None, "", MOVES[4].number + 1, handed=True, turns=0, own_turns=0),
    )
    seats = (*ROW.seats[:2], ai("expert"))
    row = replace(ROW, seats=seats, start=start, words=(Word(2, 7, "plum"),), former=former)
    record = json.loads(not_none(record_of(row, MOVES)))
    assert record["words"] == [None, "", "plum"]
    nobody = {"kind": "human", "name": "?"}
    assert record["replaced"] == [
        {"moves": 1, "seat": 2, "from": {"kind": "human", "name": "Ann"}, "to": nobody},
        {"moves": 5, "seat": 2, "from": nobody, "to": {"kind": "ai", "policy": "expert"}},
    ]


def test_a_finished_game_has_a_record() -> None:
    row = replace(ROW, seats=(ai("casual"), person(7, "Ann"), person(8, "")))
    assert record_of(replace(row, status=LIVE), MOVES) is None
    line = not_none(record_of(row, MOVES))
    assert json.loads(line)["seats"] == [
        {"kind": "ai", "policy": "casual"},
        {"kind": "human", "name": "Ann"},
        {"kind": "human", "name": "?"},
    ]
    assert verify_line(line).moves == len(MOVES)
    with pytest.raises(RecordError):
        record_of(row, MOVES[:-1])
