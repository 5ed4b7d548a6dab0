"""A game as an account in winning chance: what chance gave and took, and what each choice cost.

Before every decision a position has a value for the seat to move: the winning chance with the best choice.
A choice that is worth less is an *error*. What the next card, board or roll then makes of the value is
*luck*, one at a time. With two players, the account balances::

    result = start + own luck - own errors + own gap - the same of the other

``gap`` is the difference between the chances within a turn and those between turns, which are calculated in
different ways. With more players only the chance of the seat to move is known within a turn. ``others`` is
then what the turns of the others made of a seat's chance.

Each game supplies an :class:`Appraiser`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Generic, Protocol, TypeVar

from bot.games.core import OVER, Game, GameError, Leave, Move, replay
from bot.games.options import GameOptions

S = TypeVar("S")
A = TypeVar("A")
O = TypeVar("O")  # noqa: E741

EQUAL = 1e-6
"""Where no two actions differ by more in winning chance, there is nothing to decide."""


class NoAccount(GameError):
    """The winning chances of a game are not known, because a table is missing."""


class Cause(Enum):
    """What changed the winning chance of a seat."""

    CHANCE = auto()
    """A card, a board or a roll."""
    CHOICE = auto()
    LEFT = auto()
    """The seat left the game."""


@dataclass(frozen=True, slots=True)
class Decision(Generic[S, A]):
    """A choice among several actions: the ``position``, the action ``played`` and the ``best`` one, each with
    its winning chance from 0 to 1. ``turn`` counts from 0; ``move`` is the index among the game's moves.
    ``worst_win`` is the chance with the worst action, ``usual_win`` that with what most people do."""

    move: int
    turn: int
    seat: int
    position: S
    played: A
    best: A
    played_win: float
    best_win: float
    worst_win: float
    usual: A
    usual_win: float

    @property
    def cost(self) -> float:
        """The winning chance that the decision cost, from 0 to 1; 0 for the best choice."""
        return self.best_win - self.played_win

    @property
    def gain(self) -> float:
        """How much more winning chance the decision gave than the usual one; negative if it gave less."""
        return self.played_win - self.usual_win

    @property
    def stake(self) -> float:
        """The winning chance at stake: how much more the best action gives than the worst one."""
        return self.best_win - self.worst_win

    @property
    def real(self) -> bool:
        """Whether the choice made a difference."""
        return self.stake > EQUAL


@dataclass(frozen=True, slots=True)
class Item:
    """One change of a seat's winning chance, from -1 to 1; an error is negative.

    ``move`` is the index among the game's moves, -1 for what chance brings before the first one.
    """

    move: int
    turn: int
    seat: int
    cause: Cause
    change: float


class Basis(Protocol):
    """The source of winning chances."""

    @property
    def value(self) -> str:
        """A catalogue key that names it."""

    @property
    def rank(self) -> int:
        """0 for the most reliable one of a game."""


@dataclass(frozen=True, slots=True)
class Account(Generic[S, A]):
    """The account of a game.

    ``start`` are the winning chances by seat before anything happened; they add up to 1. ``chances[n]`` are
    those after ``n`` turns, and after who left before the next turn ended; the last entry is the result.
    ``turn_seats[n]`` is the seat that played turn ``n``. ``decisions`` are all choices in order, ``items``
    all changes. ``others`` and ``gap`` are by seat. ``basis`` is the least reliable source of any of the
    numbers, ``usual_stake`` that of :class:`Appraiser`.
    """

    start: tuple[float, ...]
    chances: tuple[tuple[float, ...], ...]
    turn_seats: tuple[int, ...]
    decisions: tuple[Decision[S, A], ...]
    items: tuple[Item, ...]
    others: tuple[float, ...]
    gap: tuple[float, ...]
    basis: Basis
    usual_stake: float

    def luck(self, seat: int) -> float:
        """Return what chance made of a seat's winning chance in its own turns."""
        return sum(item.change for item in self.items if item.seat == seat and item.cause is Cause.CHANCE)

    def errors(self, seat: int) -> float:
        """Return the winning chance that a seat gave away by its choices, or by leaving the game."""
        causes = (Cause.CHOICE, Cause.LEFT)
        return -sum(item.change for item in self.items if item.seat == seat and item.cause in causes)

    def adjusted(self, seat: int) -> float:
        """Return a seat's result without luck: without its own, and without its part in that of the others.

        It is the winning chance that the choices of all have earned, on average over all dice; by chance it
        may lie a little outside 0 to 1. ``gap`` is left out as well.
        """
        given = [self.luck(other) + self.gap[other] for other in range(len(self.gap))]
        return self.chances[-1][seat] - given[seat] + (sum(given) - given[seat]) / (len(given) - 1)


class Appraiser(ABC, Generic[S, A, O]):
    """Appraises the positions of a game. One object serves one account."""

    rules: Game[S, A, O]
    basis: Basis
    """The least reliable source that was used so far."""
    usual_stake: float
    """The winning chance at stake in a usual decision: (mean of √stake)² over many games of two."""

    @abstractmethod
    def standing(self, state: S) -> tuple[float, ...]:
        """Return the winning chances by seat between turns or after the game; they add up to 1."""

    @abstractmethod
    def worth(self, state: S) -> float:
        """Return the winning chance of the seat whose turn it is: with its best choice, or before chance
        moves. Before the first action of a turn it is that of :meth:`standing`."""

    @abstractmethod
    def choices(self, state: S) -> Sequence[tuple[A, float]]:
        """Return the legal actions of the seat to move, each with its winning chance, the best one first."""

    @abstractmethod
    def usual(self, state: S) -> A:
        """Return the action that most people would choose where there is a choice."""

    def ended(self, before: S, after: S) -> float:
        """Return the winning chance of the seat whose turn ended by an outcome, as :meth:`worth` has it.

        ``before`` is the position before that outcome.
        """
        return self.standing(after)[self.rules.turn_seat(before)]

    def note(self, basis: Basis) -> None:
        """Note the source of a number."""
        self.basis = max(self.basis, basis, key=lambda source: source.rank)


def account(
    appraiser: Appraiser[S, A, O],
    options: GameOptions,
    seats: int,
    opening: Sequence[O],
    moves: Sequence[Move[A, O]],
) -> Account[S, A]:
    """Return the account of a game from its log, up to the last move if it isn't over.

    ``opening`` holds the outcomes before the first move. Raises :class:`~bot.games.core.IllegalMove` for an
    impossible log.
    """
    rules = appraiser.rules
    beginning, *rest = replay(rules, options, seats, opening, moves)
    books = _Books(appraiser, rules.initial(options, seats), seats)
    books.follow(-1, beginning.states)
    for number, (move, played) in enumerate(zip(moves, rest, strict=True)):
        if isinstance(move.action, Leave):
            books.leave(number, move.action.seat, played.state)
        else:
            books.act(number, move.action, played.states[0])
            books.follow(number, played.states[1:])
    return Account(
        start=books.start,
        chances=tuple(books.chances),
        turn_seats=tuple(books.turn_seats),
        decisions=tuple(books.decisions),
        items=tuple(books.items),
        others=tuple(books.others),
        gap=tuple(books.gap),
        basis=appraiser.basis,
        usual_stake=appraiser.usual_stake,
    )


class _Books(Generic[S, A, O]):
    """The account as far as the game has been followed."""

    def __init__(self, appraiser: Appraiser[S, A, O], state: S, seats: int) -> None:
        self.appraiser, self.rules = appraiser, appraiser.rules
        standing = appraiser.standing(state)
        self.state = state
        self.value = standing[self.rules.turn_seat(state)]
        """The winning chance of the seat whose turn it is, with its best choice."""
        self.start = standing
        self.chances = [standing]
        self.turn_seats: list[int] = []
        self.decisions: list[Decision[S, A]] = []
        self.items: list[Item] = []
        self.others = [0.0] * seats
        self.gap = [0.0] * seats

    def act(self, number: int, action: A, after: S) -> None:
        """Record an action, which led to the position ``after``."""
        state, seat = self.state, self.rules.turn_seat(self.state)
        choices = self.appraiser.choices(state)
        best, best_win = choices[0]
        self.gap[seat] += best_win - self.value
        wins = dict(choices)
        self.value = wins[action]
        if len(choices) > 1:
            usual = self.appraiser.usual(state)
            decision = Decision(
                move=number,
                turn=self.rules.turns(state),
                seat=seat,
                position=state,
                played=action,
                best=best,
                played_win=self.value,
                best_win=best_win,
                worst_win=min(wins.values()),
                usual=usual,
                usual_win=wins[usual],
            )
            self.decisions.append(decision)
            if decision.cost > 0.0:
                self._note(number, seat, Cause.CHOICE, -decision.cost)
        self._move_to(after)

    def follow(self, number: int, states: Sequence[S]) -> None:
        """Record what chance brought: the position that each outcome led to."""
        for after in states:
            if self._ends_turn(after):
                value = self.appraiser.ended(self.state, after)
            else:
                value = self.appraiser.worth(after)
            self._note(number, self.rules.turn_seat(self.state), Cause.CHANCE, value - self.value)
            self.value = value
            self._move_to(after)

    def leave(self, number: int, leaver: int, after: S) -> None:
        """Record that a seat left. Its own turn ends with it; another's goes on unless the game is over."""
        mover = self.rules.turn_seat(self.state)
        turn_start, before = self.chances[-1], self._chances_now(mover)
        standing = self.appraiser.standing(after)
        over = self.rules.to_move(after) == OVER
        # The turn is the next seat's if the mover has left, and still the mover's if another seat has.
        value = standing[mover] if over else self.appraiser.worth(after)
        afterwards = list(standing)
        if leaver != mover:
            afterwards[mover] = value
        for seat in range(len(standing)):
            if seat != mover:
                # What the turn has made of this seat's chance so far.
                self.others[seat] += before[seat] - turn_start[seat]
            change = afterwards[seat] - before[seat]
            if seat == leaver:
                self._note(number, leaver, Cause.LEFT, change)
            else:
                self.others[seat] += change
        if self._ends_turn(after):
            self.chances.append(standing)
            self.turn_seats.append(mover)
        else:
            self.chances[-1] = standing
        self.state, self.value = after, value

    def _chances_now(self, mover: int) -> list[float]:
        """Return the winning chances by seat in the midst of a turn.

        What its ``mover`` has won since it began is taken from the others in proportion; only with two
        players this is more than an estimate.
        """
        turn_start = self.chances[-1]
        rest = 1.0 - turn_start[mover]
        share = (1.0 - self.value) / rest if rest else 0.0
        return [self.value if seat == mover else share * chance for seat, chance in enumerate(turn_start)]

    def _move_to(self, after: S) -> None:
        """Go to the next position; if that ends a turn, record the chances after it."""
        seat, ends_turn = self.rules.turn_seat(self.state), self._ends_turn(after)
        self.state = after
        if not ends_turn:
            return
        standing = self.appraiser.standing(after)
        for other, (old, new) in enumerate(zip(self.chances[-1], standing, strict=True)):
            if other != seat:
                self.others[other] += new - old
        self.gap[seat] += standing[seat] - self.value
        self.chances.append(standing)
        self.turn_seats.append(seat)
        self.value = standing[self.rules.turn_seat(after)]

    def _ends_turn(self, after: S) -> bool:
        """Return whether a turn ends between the position so far and ``after``, the next one."""
        return self.rules.turns(after) > self.rules.turns(self.state)

    def _note(self, number: int, seat: int, cause: Cause, change: float) -> None:
        self.items.append(Item(number, self.rules.turns(self.state), seat, cause, change))
