"""A tiny game that begins with chance, for what no real game shows at once: openings and shared wins.

Chance lays one of two boards; then each seat in turn tosses a coin once: heads is worth the board's points.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, ClassVar, cast

import pytest

from bot.games.codec import fields, integer, integers
from bot.games.core import (
    CHANCE,
    OVER,
    Game,
    IllegalMove,
    Leave,
    Result,
    SeatStats,
    Step,
    Unreadable,
    check_seats,
    leave_or_raise,
    next_seat,
)
from bot.registry import GAMES
from bot.screens.entry import Entry

TOSS = "toss"


@dataclass(frozen=True, slots=True)
class Options:
    bonus: int = 0

    def to_json(self) -> dict[str, Any]:
        return {"bonus": self.bonus}


@dataclass(frozen=True, slots=True)
class State:
    options: Options
    scores: tuple[int, ...]
    left: tuple[int, ...] = ()
    board: int = 0
    seat: int = 0
    tossing: bool = False
    finished: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    kind: str
    value: int


BOARDS = ((Outcome("board", 1), 1), (Outcome("board", 5), 2))
SIDES = ((Outcome("side", 0), 1), (Outcome("side", 1), 1))


class Coin(Game[State]):
    key: ClassVar[str] = "coin"
    rules_version: ClassVar[int] = 3
    min_seats: ClassVar[int] = 2
    max_seats: ClassVar[int] = 4

    def options(self, raw: Mapping[str, Any]) -> Options:
        if raw.keys() - {"bonus"}:
            raise Unreadable("error-unreadable")
        bonus = raw.get("bonus", 0)
        if type(bonus) is not int or not 0 <= bonus <= 9:
            raise IllegalMove("error-coin-bonus", least=0, most=9)
        return Options(bonus)

    def initial(self, options: Options, seats: int) -> State:
        check_seats(self, seats)
        return State(options, (0,) * seats)

    def to_move(self, state: State) -> int:
        if state.seat >= len(state.scores) or len(state.left) == len(state.scores) - 1:
            return OVER
        return CHANCE if not state.board or state.tossing else state.seat

    def turn_seat(self, state: State) -> int:
        return min(state.seat, len(state.scores) - 1)

    def turns(self, state: State) -> int:
        return state.finished

    def legal(self, state: State) -> tuple[str, ...]:
        return (TOSS,) if self.to_move(state) >= 0 else ()

    def chance(self, state: State) -> Sequence[tuple[Outcome, int]]:
        if self.to_move(state) != CHANCE:
            return ()
        return SIDES if state.board else BOARDS

    def apply(self, state: State, move: Any) -> Step:
        if isinstance(move, Leave):
            leave_or_raise(self, state, move)
            left = tuple(sorted((*state.left, move.seat)))
            state = replace(state, left=left)
            return Step(self._next(state) if move.seat == state.seat else state)
        if move in self.legal(state):
            return Step(replace(state, tossing=True))
        if not isinstance(move, Outcome) or all(move != known for known, _ in self.chance(state)):
            raise IllegalMove("error-illegal-move")
        if move.kind == "board":
            return Step(replace(state, board=move.value))
        scores = list(state.scores)
        scores[state.seat] += move.value * (state.board + state.options.bonus)
        return Step(self._next(replace(state, scores=tuple(scores), finished=state.finished + 1)), (move,))

    @staticmethod
    def _next(state: State) -> State:
        following = next_seat(len(state.scores), state.left, state.seat)
        return replace(state, tossing=False, seat=following if following > state.seat else len(state.scores))

    def scores(self, state: State) -> tuple[int, ...]:
        return state.scores

    def left(self, state: State) -> tuple[int, ...]:
        return state.left

    def result(self, state: State) -> Result | None:
        if self.to_move(state) != OVER:
            return None
        stay = [seat for seat in range(len(state.scores)) if seat not in state.left]
        best = max(state.scores[seat] for seat in stay)
        winners = tuple(seat for seat in stay if state.scores[seat] == best)
        return Result(state.scores, winners, "left" if len(stay) == 1 else "tossed", state.left)

    def stats(self, events: Sequence[Any], seats: int) -> tuple[SeatStats, ...]:
        return (SeatStats(0, 0, {}),) * seats

    def action_to_json(self, action: Any) -> dict[str, Any]:
        return {"type": action}

    def action_from_json(self, raw: Any) -> str:
        if raw != {"type": TOSS}:
            raise Unreadable("error-unreadable")
        return TOSS

    def outcome_to_json(self, outcome: Outcome) -> dict[str, Any]:
        return {outcome.kind: outcome.value}

    def outcome_from_json(self, raw: Any) -> Outcome:
        match raw:
            case {"board": value, **rest} if not rest:
                return Outcome("board", integer(value))
            case {"side": value, **rest} if not rest:
                return Outcome("side", integer(value))
        raise Unreadable("error-unreadable")

    def state_to_json(self, state: State) -> dict[str, Any]:
        return {
            "options": state.options.to_json(),
            "scores": list(state.scores),
            "left": list(state.left),
            "board": state.board,
            "seat": state.seat,
            "tossing": state.tossing,
            "finished": state.finished,
        }

    def state_from_json(self, raw: Any) -> State:
        given = fields(raw, self.state_to_json(State(Options(), (0, 0))))
        return State(
            self.options(given["options"]),
            integers(given["scores"]),
            integers(given["left"]),
            integer(given["board"]),
            integer(given["seat"]),
            given["tossing"],
            integer(given["finished"]),
        )


def register(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the game into the registry for one test."""
    entry = replace(GAMES["tutto"], rules=Coin(), policies={"tosser": Tosser(), "idler": Idler()})
    monkeypatch.setitem(cast("dict[str, Entry]", GAMES), "coin", entry)


class Tosser:
    """The one thing that can be done."""

    def choose(self, state: State, rng: Random) -> str:
        return TOSS


class Idler(Tosser):
    """Another player that does the same."""
