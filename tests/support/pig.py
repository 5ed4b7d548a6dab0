"""Pig, the smallest game there is: the template of a new game, which only tests put into the registry.

Roll one die as often as you like and gather what it shows; a 1 loses the turn's points and the turn, and
who holds banks them. Whoever banks the target wins, or, with full rounds, who has the most when the round is
over. A real game splits this into ``bot/games/pig``, ``bot/strategy/pig.py`` and ``bot/screens/pig``; its
texts are in ``pig.po`` beside this file.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import ClassVar, cast

import pytest

from bot.games.base import BaseGame, GameState, best_seats
from bot.games.core import (
    CHANCE,
    OVER,
    Applied,
    IllegalMove,
    Leave,
    SeatStats,
    Unreadable,
    check_seats,
    leave_or_raise,
    legal_or_raise,
    next_seat,
)
from bot.games.dice import FACES
from bot.games.options import GameOptions, flag, number
from bot.games.values import replace
from bot.i18n.catalogue import FOLDER, read
from bot.i18n.say import Icons, Say, SeatRef, say
from bot.registry import GAMES
from bot.screens.entry import Entry
from bot.screens.game_screen import GameScreen
from bot.screens.model import PRIMARY, Act, Block, Button, Buttons, ChangeView, Text
from bot.strategy.policy import Cautious

# The rules.

LOSING_FACE = 1


@dataclass(frozen=True, slots=True)
class Options(GameOptions):
    target: int = number(100, least=20, most=500, step=10)
    rounds: bool = flag(True)


@dataclass(frozen=True)
class State(GameState):
    """A position. ``points`` have been gathered in this turn; ``rolling`` says that the die is to fall."""

    options: Options
    points: int = 0
    rolling: bool = False


@dataclass(frozen=True, slots=True)
class Roll:
    """Roll the die, to begin the turn or once more."""


@dataclass(frozen=True, slots=True)
class Hold:
    """Bank the points of the turn."""


@dataclass(frozen=True, slots=True)
class Fallen:
    """What the die shows."""

    face: int


@dataclass(frozen=True, slots=True)
class Rolled:
    seat: int
    face: int


@dataclass(frozen=True, slots=True)
class Banked:
    """The turn is over; 0 points if a 1 has lost them."""

    seat: int
    points: int
    score: int


@dataclass(frozen=True, slots=True)
class SeatLeft:
    seat: int


Action = Roll | Hold
Event = Rolled | Banked | SeatLeft
ROLL, HOLD = Roll(), Hold()


class Pig(BaseGame[State, Action, Fallen]):
    """Pig for 2 to 10 seats."""

    key: ClassVar[str] = "pig"
    rules_version: ClassVar[int] = 1
    min_seats: ClassVar[int] = 2
    max_seats: ClassVar[int] = 10
    endings = ("target", "left")
    options_type = Options
    state_type = State
    action_types: ClassVar[Mapping[str, type]] = {"roll": Roll, "hold": Hold}
    outcome_types = (Fallen,)

    def initial(self, options: Options, seats: int) -> State:
        check_seats(self, seats)
        return State(options, (0,) * seats)

    def to_move(self, state: State) -> int:
        return OVER if state.reason else CHANCE if state.rolling else state.seat

    def legal(self, state: State) -> tuple[Action, ...]:
        if self.to_move(state) < 0:
            return ()
        return (ROLL, HOLD) if state.points else (ROLL,)

    def chance(self, state: State) -> Sequence[tuple[Fallen, int]]:
        return tuple((Fallen(face), 1) for face in FACES) if state.rolling and not state.reason else ()

    def apply(self, state: State, move: Action | Fallen | Leave) -> Applied[State]:
        match move:
            case Leave(seat):
                leave_or_raise(self, state, move)
                return Applied(_leave(state, seat), (SeatLeft(seat),))
            case Fallen(face):
                if all(move != known for known, _ in self.chance(state)):
                    raise IllegalMove("error-illegal-move")
                rolled = Rolled(state.seat, face)
                if face == LOSING_FACE:
                    after = _bank(state, 0)
                    return Applied(after.state, (rolled, *after.events))
                return Applied(replace(state, points=state.points + face, rolling=False), (rolled,))
            case _:
                legal_or_raise(self, state, move)
                return Applied(replace(state, rolling=True)) if move == ROLL else _bank(state, state.points)

    def sound(self, state: State) -> bool:
        return state.points >= 0 and not (state.reason and (state.points or state.rolling))

    def stats(self, events: Sequence[Event], seats: int) -> tuple[SeatStats, ...]:
        turns: list[list[int]] = [[] for _ in range(seats)]
        for event in events:
            if isinstance(event, Banked):
                turns[event.seat].append(event.points)
        return tuple(SeatStats(len(own), max(own, default=0), {"ones": own.count(0)}) for own in turns)


def _bank(state: State, points: int) -> Applied[State]:
    scores = list(state.scores)
    scores[state.seat] += points
    state = replace(state, scores=tuple(scores), finished=state.finished + 1)
    return Applied(_pass_on(state), (Banked(state.seat, points, scores[state.seat]),))


def _pass_on(state: State) -> State:
    """Begin the next seat's turn, or end the game: at once, or when the turn comes past the first seat."""
    following = next_seat(len(state.scores), state.left, state.seat)
    state = replace(state, points=0, rolling=False)
    best = best_seats(state)
    if state.scores[best[0]] >= state.options.target and (
        following <= state.seat or not state.options.rounds
    ):
        return replace(state, reason="target", winners=best)
    return replace(state, seat=following)


def _leave(state: State, seat: int) -> State:
    """Keep its points on the table, though it can't win. A turn that it has begun counts as finished."""
    own_turn = seat == state.seat
    begun = own_turn and (state.points > 0 or state.rolling)
    left = tuple(sorted((*state.left, seat)))
    state = replace(state, left=left, finished=state.finished + begun)
    if len(left) == len(state.scores) - 1:
        return replace(state, points=0, rolling=False, reason="left", winners=best_seats(state))
    return _pass_on(state) if own_turn else state


# AI players.


class Bold:
    """Holds at 30."""

    least = 30

    def choose(self, state: State, rng: Random) -> Action:
        return HOLD if state.points >= self.least else ROLL


class Careful(Bold):
    """Holds at 20, which is nearly the best there is."""

    least = 20


# What people see.


class PigScreen(GameScreen[State, Event]):
    key = "pig"
    topics = ("game",)
    turn_ends = frozenset({"pig-story-banked", "pig-story-lost"})
    in_passing = (SeatLeft,)

    def body(self, state: State, view: str) -> tuple[Block, ...]:
        return (Text((say("pig-points", points=state.points),)),) if state.points else ()

    def controls(self, state: State, view: str) -> tuple[Buttons, ...]:
        hold = [Button("hold", say("pig-hold", points=state.points))] if state.points else []
        return (Buttons((Button("roll", say("pig-roll"), PRIMARY), *hold)),)

    def press(self, state: State, token: str) -> ChangeView | Act:
        match token:
            case "roll":
                return Act(ROLL)
            case "hold":
                return Act(HOLD)
            case _:
                raise Unreadable("error-old-button")

    def pieces(self, event: Event) -> tuple[Say, ...]:
        match event:
            case Rolled(face=face):
                return (say("pig-story-rolled", die=Icons((f"die-{face}",))),)
            case Banked(points=0):
                return (say("pig-story-lost"),)
            case Banked(points=points, score=score):
                return (say("pig-story-banked", points=points, score=score),)
            case SeatLeft(seat=seat):
                return (say("story-left", name=SeatRef(seat)),)


_rules = Pig()

PIG = Entry(
    _rules,
    PigScreen(),
    {"beginner": Bold(), "casual": Careful()},
    Cautious(_rules, HOLD, Careful()),
    icon="🐷",
    counted=("ones",),
)


def register(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the game into the registry for one test."""
    monkeypatch.setitem(cast("dict[str, Entry]", GAMES), PIG.rules.key, PIG)


def with_texts(folder: Path) -> Path:
    """Copy all catalogues into a new ``folder``, with the game's texts; in English in all languages."""
    shutil.copytree(FOLDER, folder)
    texts = Path(__file__).with_suffix(".po").read_text(encoding="utf-8").split("\n\n")
    for language in folder.iterdir():
        header, _, _ = (language / "core.po").read_text(encoding="utf-8").partition("\n\n")
        # Options that are called alike in two games share their texts.
        there = read(language.name, folder)
        own = [text for text in texts if text.split('"')[1] not in there]
        (language / "pig.po").write_text("\n\n".join([header, *own]), encoding="utf-8")
    return folder
