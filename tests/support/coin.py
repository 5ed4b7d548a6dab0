"""A tiny game that begins with chance, to test openings and shared wins.

Chance lays one of two boards; then each seat in turn tosses a coin once: heads is worth the board's points.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, ClassVar, cast

import pytest

from bot.games.base import BaseGame, GameState, best_seats
from bot.games.core import (
    CHANCE,
    OVER,
    Applied,
    IllegalMove,
    Leave,
    SeatStats,
    check_seats,
    leave_or_raise,
    next_seat,
)
from bot.games.options import GameOptions, number
from bot.registry import GAMES
from bot.screens.entry import Entry


@dataclass(frozen=True, slots=True)
class Options(GameOptions):
    bonus: int = number(0, least=0, most=9)


@dataclass(frozen=True)
class State(GameState):
    options: Options
    board: int = 0
    tossing: bool = False


@dataclass(frozen=True, slots=True)
class Toss:
    pass


@dataclass(frozen=True, slots=True)
class Laid:
    board: int


@dataclass(frozen=True, slots=True)
class Fallen:
    side: int


Outcome = Laid | Fallen
TOSS = Toss()
BOARDS = ((Laid(1), 1), (Laid(5), 2))
SIDES = ((Fallen(0), 1), (Fallen(1), 1))


class Coin(BaseGame[State, Toss, Outcome]):
    key: ClassVar[str] = "coin"
    rules_version: ClassVar[int] = 3
    min_seats: ClassVar[int] = 2
    max_seats: ClassVar[int] = 4
    endings = ("tossed", "left")
    options_type = Options
    state_type = State
    action_types: ClassVar[Mapping[str, type]] = {"toss": Toss}
    outcome_types = (Laid, Fallen)

    def initial(self, options: Options, seats: int) -> State:
        check_seats(self, seats)
        return State(options, (0,) * seats)

    def to_move(self, state: State) -> int:
        if state.reason:
            return OVER
        return CHANCE if not state.board or state.tossing else state.seat

    def legal(self, state: State) -> tuple[Toss, ...]:
        return (TOSS,) if self.to_move(state) >= 0 else ()

    def chance(self, state: State) -> Sequence[tuple[Outcome, int]]:
        if self.to_move(state) != CHANCE:
            return ()
        return SIDES if state.board else BOARDS

    def apply(self, state: State, move: Toss | Outcome | Leave) -> Applied[State]:
        if isinstance(move, Leave):
            leave_or_raise(self, state, move)
            state = replace(state, left=tuple(sorted((*state.left, move.seat))))
            if len(state.left) == len(state.scores) - 1:
                return Applied(_over(state, "left"))
            return Applied(_next(state) if move.seat == state.seat else state)
        if move in self.legal(state):
            return Applied(replace(state, tossing=True))
        if all(move != known for known, _ in self.chance(state)):
            raise IllegalMove("error-illegal-move")
        if isinstance(move, Laid):
            return Applied(replace(state, board=move.board))
        assert isinstance(move, Fallen)
        scores = list(state.scores)
        scores[state.seat] += move.side * (state.board + state.options.bonus)
        return Applied(_next(replace(state, scores=tuple(scores), finished=state.finished + 1)), (move,))

    def stats(self, events: Sequence[Any], seats: int) -> tuple[SeatStats, ...]:
        return (SeatStats(0, 0, {}),) * seats


def _next(state: State) -> State:
    following = next_seat(len(state.scores), state.left, state.seat)
    state = replace(state, tossing=False)
    return replace(state, seat=following) if following > state.seat else _over(state, "tossed")


def _over(state: State, reason: str) -> State:
    return replace(state, reason=reason, winners=best_seats(state))


class Tosser:
    """The player that makes the only legal action."""

    def choose(self, state: State, rng: Random) -> Toss:
        return TOSS


class Idler(Tosser):
    """Another player that does the same."""


def register(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the game into the registry for one test."""
    entry = replace(GAMES["tutto"], rules=Coin(), policies={"tosser": Tosser(), "idler": Idler()})
    monkeypatch.setitem(cast("dict[str, Entry]", GAMES), "coin", entry)
