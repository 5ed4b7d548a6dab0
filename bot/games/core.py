"""The contract of a game, and functions that work with any game.

A game is a tree of states. The move in a state belongs to a seat (``0, 1, …``), to :data:`CHANCE`, or to
nobody (:data:`OVER`). Chance moves are *outcomes* with integer weights; a seat's moves are *actions*.
:meth:`Game.apply` is deterministic for both, so a history replays without any random numbers, and an
action is legal exactly if it is in :meth:`Game.legal`.

One move stands outside the turn order: :class:`Leave`, which any seated player may make at any time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

from bot.games.options import GameOptions, Number, build_options, declared

CHANCE = -1
"""The move belongs to chance: dice are rolled, a card is drawn."""
OVER = -2
"""The game has ended; there is no move."""

LEAVE = "leave"
"""The ``type`` of a :class:`Leave` in the logs and records of all games."""

Json = Any
"""A value as :mod:`json` reads and writes it."""

S = TypeVar("S")
"""A game's states."""
A = TypeVar("A")
"""A game's actions."""
O = TypeVar("O")  # noqa: E741
"""A game's outcomes."""
T = TypeVar("T")


class GameError(Exception):
    """Something that a game can't accept. ``code`` is a catalogue key, ``facts`` its placeholders."""

    def __init__(self, code: str, **facts: int | str) -> None:
        super().__init__(code if not facts else f"{code} {facts}")
        self.code = code
        self.facts = facts


class Unreadable(GameError):
    """The input is not a move, a state or an option at all: forged, damaged, or a bug."""


class IllegalMove(GameError):
    """The input is a move, but the rules forbid it in this state."""


CORRUPT_DATA_ERRORS = (GameError, TypeError, ValueError, LookupError, AttributeError)
"""Exceptions that decoding or replaying a stored game may raise if its data is damaged."""


@dataclass(frozen=True, slots=True)
class Leave:
    """A seat gives up the game. Legal for every seat still in it, in and out of turn."""

    seat: int


@dataclass(frozen=True, slots=True)
class Move(Generic[A, O]):
    """One entry of a game's log: the action of a seat, and the chance outcomes that followed it."""

    seat: int
    action: A | Leave
    outcomes: Sequence[O]


class Applied(NamedTuple, Generic[S]):
    """The result of :meth:`Game.apply`: the next ``state``, and the ``events`` to narrate, in order."""

    state: S
    events: tuple[Any, ...] = ()


class Played(NamedTuple, Generic[S, O]):
    """The result of :func:`play`: of an action, and of the outcomes that followed until somebody must decide.

    ``states`` are those after the action and after each outcome; the last one is ``state``. Both ``states``
    and ``outcomes`` are empty for the opening of a game that begins with a decision.
    """

    state: S
    events: tuple[Any, ...]
    outcomes: tuple[O, ...]
    states: tuple[S, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """The end of a game: final ``scores`` by seat, the winning seats, and why it ended (a catalogue key)."""

    scores: tuple[int, ...]
    winners: tuple[int, ...]
    reason: str
    left: tuple[int, ...] = ()

    def places(self) -> tuple[int, ...]:
        """Return the place of each seat. Equal scores share a place (1, 1, 3); seats that left come last."""

        keys = [
            (seat not in self.winners, seat in self.left, -score) for seat, score in enumerate(self.scores)
        ]
        return tuple(1 + sum(other < key for other in keys) for key in keys)


class SeatStats(NamedTuple):
    """The statistics of one seat in a game: finished ``turns``, the points of the ``best_turn``, and counts
    by name, the ``feats`` (for Tutto ``{"tuttos": 3, "nulls": 5}``)."""

    turns: int
    best_turn: int
    feats: Mapping[str, int]


def add_stats(first: Sequence[SeatStats], second: Sequence[SeatStats]) -> tuple[SeatStats, ...]:
    """Return the statistics of two consecutive parts of a game as one; ``first`` may be empty."""
    if not first:
        return tuple(second)
    return tuple([_sum(one, other) for one, other in zip(first, second, strict=True)])


def _sum(one: SeatStats, other: SeatStats) -> SeatStats:
    # Most moves count for one seat only.
    if other.turns == 0 and not any(other.feats.values()):
        return one
    return SeatStats(
        one.turns + other.turns,
        max(one.best_turn, other.best_turn),
        {feat: one.feats.get(feat, 0) + count for feat, count in other.feats.items()},
    )


class Outcomes(tuple[tuple[T, int], ...]):
    """The ``(outcome, weight)`` pairs of a chance move that occurs often, such as a roll of dice."""

    @cached_property
    def ends(self) -> list[int]:
        """The sums of the weights up to and including each outcome's."""
        return list(accumulate(weight for _, weight in self))


class ChanceSource(Protocol):
    """A source of chance outcomes: drawn from a seed in play, a fixed list in replays."""

    def draw(self, outcomes: Sequence[tuple[T, int]]) -> T:
        """Pick one of the ``(outcome, weight)`` pairs."""
        ...


class Game(ABC, Generic[S, A, O]):
    """The rules of one game. Instances hold no state; all of it is in the values passed around.

    States, actions, outcomes and options are frozen, hashable values of the game's own types.
    """

    key: ClassVar[str]
    """Short name in records, the database and the catalogue."""
    rules_version: ClassVar[int]
    """Increase it whenever the same moves would lead to another state. A record names the version by which
    its game was played."""
    min_seats: ClassVar[int]
    max_seats: ClassVar[int]
    endings: ClassVar[tuple[str, ...]]
    """The reasons why a game can be over (see :class:`Result`); each has the texts ``end-won-<reason>`` and
    ``chart-won-<reason>``."""

    options_type: ClassVar[type[GameOptions]]
    """The options that can be chosen when a game is opened."""

    def options(self, raw: Mapping[str, Json]) -> Any:
        """Check options, and return them with defaults for the missing ones.

        Raises :class:`IllegalMove` with the code ``error-<option>`` and the allowed values, or
        :class:`Unreadable` for an unknown option.
        """
        known = declared(self.options_type)
        if raw.keys() - known.keys():
            raise Unreadable("error-unreadable")
        for name, option in known.items():
            if name in raw and not option.accepts(raw[name]):
                code = f"error-{name}"
                if isinstance(option, Number):
                    raise IllegalMove(code, least=option.least, most=option.most, step=option.step)
                raise IllegalMove(code)
        return build_options(self.options_type, raw)

    @abstractmethod
    def initial(self, options: Any, seats: int) -> S:
        """Return the state before the first move. Raises :class:`IllegalMove` for a wrong number of seats."""

    @abstractmethod
    def to_move(self, state: S) -> int:
        """Return the seat to move, or :data:`CHANCE`, or :data:`OVER`."""

    @abstractmethod
    def turn_seat(self, state: S) -> int:
        """Return the seat whose turn it is, even if chance is to move, or the last turn's seat."""

    @abstractmethod
    def turns(self, state: S) -> int:
        """Return how many turns have been finished. This number also identifies the present turn."""

    @abstractmethod
    def legal(self, state: S) -> tuple[A, ...]:
        """Return all actions of the seat to move, each once, in a stable order; none if no seat moves."""

    @abstractmethod
    def chance(self, state: S) -> Sequence[tuple[O, int]]:
        """Return all outcomes with positive integer weights in a stable order; none unless chance moves."""

    @abstractmethod
    def apply(self, state: S, move: A | O | Leave) -> Applied[S]:
        """Return the state after an action, an outcome or a :class:`Leave`, and what happened.

        Raises :class:`IllegalMove` if ``move`` is not legal, or not possible, in ``state``.
        """

    @abstractmethod
    def scores(self, state: S) -> tuple[int, ...]:
        """Return the banked points by seat."""

    @abstractmethod
    def left(self, state: S) -> tuple[int, ...]:
        """Return the seats that have left the game, ascending."""

    @abstractmethod
    def result(self, state: S) -> Result | None:
        """Return the result if the game is over, else None."""

    @abstractmethod
    def stats(self, events: Sequence[Any], seats: int) -> tuple[SeatStats, ...]:
        """Count statistics by seat from the events of a game, or of a part of it, in order.

        Those of two parts are merged by :func:`add_stats`.
        """

    # Values to JSON and back. Actions and outcomes have these forms in the public game record too.

    @abstractmethod
    def action_to_json(self, action: A) -> dict[str, Json]: ...

    @abstractmethod
    def action_from_json(self, raw: Json) -> A:
        """Raises :class:`Unreadable`."""

    def move_to_json(self, move: A | Leave) -> dict[str, Json]:
        """Return the form of an action or a :class:`Leave` in logs and records."""
        return {"type": LEAVE} if isinstance(move, Leave) else self.action_to_json(move)

    def move_from_json(self, seat: int, raw: Json) -> A | Leave:
        """Read a move of a seat. Raises :class:`Unreadable`."""
        return Leave(seat) if raw == {"type": LEAVE} else self.action_from_json(raw)

    @abstractmethod
    def outcome_to_json(self, outcome: O) -> dict[str, Json]: ...

    @abstractmethod
    def outcome_from_json(self, raw: Json) -> O:
        """Raises :class:`Unreadable`."""

    @abstractmethod
    def state_to_json(self, state: S) -> dict[str, Json]: ...

    @abstractmethod
    def state_from_json(self, raw: Json) -> S:
        """Raises :class:`Unreadable`."""


AnyGame = Game[Any, Any, Any]
"""A game with unknown types of values, as in the registry."""


def check_seats(game: AnyGame, seats: int) -> None:
    """Raise :class:`IllegalMove` unless ``seats`` is a possible number of seats of the game."""
    if not game.min_seats <= seats <= game.max_seats:
        raise IllegalMove("error-seats", n=seats, least=game.min_seats, most=game.max_seats)


def draw_until_choice(game: Game[S, A, O], state: S, chance: ChanceSource) -> Iterator[tuple[O, Applied[S]]]:
    """Draw chance outcomes until a seat must decide or the game is over; yield each with its result."""
    while game.to_move(state) == CHANCE:
        outcome = chance.draw(game.chance(state))
        applied = game.apply(state, outcome)
        state = applied.state
        yield outcome, applied


def settle(
    game: Game[S, A, O], state: S, chance: ChanceSource, first: Applied[S] | None = None
) -> Played[S, O]:
    """Draw chance outcomes until a seat must decide or the game is over. ``first`` has led to ``state``."""
    events = list(first.events) if first is not None else []
    states = [state] if first is not None else []
    outcomes: list[O] = []
    for outcome, applied in draw_until_choice(game, state, chance):
        outcomes.append(outcome)
        events += applied.events
        states.append(applied.state)
    return Played(states[-1] if states else state, tuple(events), tuple(outcomes), tuple(states))


def play(game: Game[S, A, O], state: S, move: A | Leave, chance: ChanceSource) -> Played[S, O]:
    """Apply one action (or :class:`Leave`), then draw chance outcomes. Raises what ``apply`` raises."""
    first = game.apply(state, move)
    return settle(game, first.state, chance, first)


def legal_or_raise(game: Game[S, A, O], state: S, action: A) -> None:
    """Raise :class:`IllegalMove` unless :meth:`Game.legal` lists the action."""
    if action not in game.legal(state):
        raise IllegalMove("error-illegal-move")


def leave_or_raise(game: Game[S, A, O], state: S, move: Leave) -> None:
    """Raise :class:`IllegalMove` unless the game is running and the seat is still in it."""
    if game.to_move(state) == OVER:
        raise IllegalMove("error-game-over", game=game.key)
    if not 0 <= move.seat < len(game.scores(state)) or move.seat in game.left(state):
        raise IllegalMove("error-not-seated")


def next_seat(seats: int, left: Sequence[int], after: int) -> int:
    """Return the next seat after ``after`` that has not left; ``after`` itself if all others have."""
    for step in range(1, seats + 1):
        seat = (after + step) % seats
        if seat not in left:
            return seat
    return after


class ScriptedChance:
    """Chance outcomes from a fixed list, checked against what could happen. For replays and tests.

    ``draw`` raises :class:`IllegalMove` when the list is used up or names an impossible outcome.
    """

    def __init__(self, outcomes: Sequence[object]) -> None:
        self._outcomes = list(outcomes)
        self.used = 0

    def draw(self, outcomes: Sequence[tuple[T, int]]) -> T:
        if self.used >= len(self._outcomes):
            raise IllegalMove("error-record-chance-missing")
        outcome = self._outcomes[self.used]
        for possible, _ in outcomes:
            if possible == outcome:
                self.used += 1
                return possible
        raise IllegalMove("error-record-chance-impossible", outcome=str(outcome))

    def check_used_up(self) -> None:
        """Raise :class:`IllegalMove` if outcomes are left over."""
        if self.used != len(self._outcomes):
            raise IllegalMove("error-record-chance-extra")


def replay(
    game: Game[S, A, O], options: GameOptions, seats: int, opening: Sequence[O], moves: Iterable[Move[A, O]]
) -> Iterator[Played[S, O]]:
    """Replay a game's log: yield the result of the opening, then the result of each move.

    ``opening`` holds the outcomes before the first move. Raises :class:`IllegalMove` at the first impossible
    move, for example one by a seat that was not to move.
    """
    chance = ScriptedChance(opening)
    played = settle(game, game.initial(options, seats), chance)
    chance.check_used_up()
    yield played
    for move in moves:
        if not isinstance(move.action, Leave) and move.seat != game.to_move(played.state):
            raise IllegalMove("error-illegal-move")
        chance = ScriptedChance(move.outcomes)
        played = play(game, played.state, move.action, chance)
        chance.check_used_up()
        yield played


def perft(game: Game[S, A, O], state: S, depth: int) -> int:
    """Count the paths of ``depth`` moves from ``state``: a standard test of move generators.

    Actions and outcomes count alike; a path that reaches the end of the game earlier counts as one.
    """
    mover = game.to_move(state)
    if depth == 0 or mover == OVER:
        return 1
    moves: list[A | O] = list(game.legal(state)) or [outcome for outcome, _ in game.chance(state)]
    return sum(perft(game, game.apply(state, move).state, depth - 1) for move in moves)
