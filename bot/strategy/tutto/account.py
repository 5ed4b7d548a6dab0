"""A game as an account in winning chance: what chance gave and took, and what each choice cost.

Before every decision a position has a value for the seat to move: the winning chance with the best choice.
A choice that is worth less is an *error*. What the next card or roll then makes of the value is *luck*, one
card and one roll at a time. Between turns the value is that of :func:`~bot.strategy.tutto.winning.chances`,
so what the pile holds for the first card of a turn counts as luck too. The account balances: with two
players, a seat's result is its chance at the start, plus its luck, minus its errors, minus the other's luck,
plus the other's errors, and nothing else.

With more players only the chance of the seat to move is known within a turn. ``others`` is then what the
turns of the others made of a seat's chance. ``gap`` is the difference between the two ways in which chances
are calculated, at the end of a turn and within it; with two players it is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from bot.games.core import Leave, Move, Played, replay
from bot.games.tutto.state import Action, Draw, Options, Outcome, Phase, State
from bot.strategy.tutto.patterns import STEP
from bot.strategy.tutto.policies import rule_of_thumb
from bot.strategy.tutto.turn import Turn
from bot.strategy.tutto.values import RULES, best, values, worth
from bot.strategy.tutto.winning import Basis, chances, turn

EQUAL = 1e-6
"""Where no two actions differ by more in winning chance, there is nothing to decide."""


class Cause(Enum):
    """What changed the winning chance of a seat."""

    CARD = auto()
    ROLL = auto()
    CHOICE = auto()
    LEFT = auto()
    """The seat left the game."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A choice among several actions: the ``position``, the action ``played`` and the ``best`` one, each with
    its winning chance from 0 to 1. ``turn`` counts from 0; ``move`` is the index among the game's moves.
    ``worst_win`` is the chance with the worst action, ``usual_win`` that with what most people do."""

    move: int
    turn: int
    seat: int
    position: State
    played: Action
    best: Action
    played_win: float
    best_win: float
    worst_win: float
    usual: Action
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
    def real(self) -> bool:
        """Whether the choice made a difference."""
        return self.best_win - self.worst_win > EQUAL


@dataclass(frozen=True, slots=True)
class Item:
    """One change of a seat's winning chance, from -1 to 1; an error is negative."""

    move: int
    turn: int
    seat: int
    cause: Cause
    change: float


@dataclass(frozen=True, slots=True)
class Account:
    """The account of a game.

    ``chances[n]`` are the winning chances by seat after ``n`` turns (they add up to 1; the last entry is the
    result), ``turn_seats[n]`` is the seat that played turn ``n``. ``decisions`` are all choices in order,
    ``items`` all changes. ``others`` and ``gap`` are by seat. ``basis`` is the least reliable source of any
    of the numbers.
    """

    chances: tuple[tuple[float, ...], ...]
    turn_seats: tuple[int, ...]
    decisions: tuple[Decision, ...]
    items: tuple[Item, ...]
    others: tuple[float, ...]
    gap: tuple[float, ...]
    basis: Basis

    def luck(self, seat: int) -> float:
        """Return what cards and rolls of a seat's own turns made of its winning chance."""
        causes = (Cause.CARD, Cause.ROLL)
        return sum(item.change for item in self.items if item.seat == seat and item.cause in causes)

    def errors(self, seat: int) -> float:
        """Return the winning chance that a seat gave away by its choices, or by leaving the game."""
        causes = (Cause.CHOICE, Cause.LEFT)
        return -sum(item.change for item in self.items if item.seat == seat and item.cause in causes)

    def adjusted(self, seat: int) -> float:
        """Return a seat's result without luck: without its own, and without its part in that of the others.

        It is the winning chance that the choices of all have earned, on average over all dice; by chance it
        may lie a little outside 0 to 1.
        """
        seats = len(self.gap)
        lucky = [self.luck(other) for other in range(seats)]
        return self.chances[-1][seat] - lucky[seat] + (sum(lucky) - lucky[seat]) / (seats - 1)


def account(options: Options, seats: int, moves: Sequence[Move[Action, Outcome]]) -> Account:
    """Return the account of a game from its moves, up to the last one if it isn't over.

    Raises :class:`~bot.games.core.IllegalMove` for an impossible log.
    """
    opening, *rest = replay(RULES, options, seats, (), moves)
    books = _Books(opening.state, seats)
    for number, (move, played) in enumerate(zip(moves, rest, strict=True)):
        books.add(number, move, played)
    return Account(
        chances=tuple(books.lines),
        turn_seats=tuple(books.turn_seats),
        decisions=tuple(books.decisions),
        items=tuple(books.items),
        others=tuple(books.others),
        gap=tuple(books.gap),
        basis=books.basis,
    )


class _Books:
    """The account as far as the game has been followed."""

    def __init__(self, state: State, seats: int) -> None:
        standing, self.basis = chances(state)
        self.state = state
        self.value = standing[state.seat]
        """The winning chance of the seat to move, with its best choice."""
        self.lines = [standing]
        self.turn_seats: list[int] = []
        self.decisions: list[Decision] = []
        self.items: list[Item] = []
        self.others = [0.0] * seats
        self.gap = [0.0] * seats

    def add(self, number: int, move: Move[Action, Outcome], played: Played[State, Outcome]) -> None:
        """Add one move."""
        before, after = self.state, played.state
        seat = before.seat
        if isinstance(move.action, Leave):
            self._left(number, move.action.seat, after)
        else:
            if len(RULES.legal(before)) > 1:
                self._decide(number, before, move.action)
            for outcome, state in zip(move.outcomes, played.states[1:], strict=True):
                if state.finished == before.finished:
                    value = worth(state, self._turn(state))
                else:
                    value = self._end(state, before.finished)[seat]
                cause = Cause.CARD if isinstance(outcome, Draw) else Cause.ROLL
                self._note(number, before, seat, cause, value - self.value)
                self.value = value
            if after.finished > before.finished:
                self._close(before, after)
        self.state = after

    def _turn(self, state: State) -> Turn:
        # Solve turning a card even where stopping is clearly better: somebody may have turned one.
        high = state.points // STEP + 1 if state.phase in (Phase.TUTTO, Phase.DRAW) else 0
        solved, basis = turn(state, high=high, shown=True)
        self.basis = max(self.basis, basis, key=_rank)
        return solved

    def _decide(self, number: int, state: State, action: Action) -> None:
        choices = values(state, self._turn(state))
        top = best(choices)
        played = next(choice for choice in choices if choice.action == action)
        habit = rule_of_thumb(state)
        usual = next(choice for choice in choices if choice.action == habit)
        decision = Decision(
            move=number,
            turn=state.finished,
            seat=state.seat,
            position=state,
            played=action,
            best=top.action,
            played_win=played.value,
            best_win=top.value,
            worst_win=min(choice.value for choice in choices),
            usual=usual.action,
            usual_win=usual.value,
        )
        self.decisions.append(decision)
        if decision.cost > 0.0:
            self._note(number, state, state.seat, Cause.CHOICE, -decision.cost)
        self.value = played.value

    def _end(self, state: State, turns: int) -> tuple[float, ...]:
        """Return the winning chances of all after a turn."""
        standing, basis = chances(state)
        self.basis = max(self.basis, basis, key=_rank)
        return standing

    def _close(self, before: State, after: State) -> None:
        """Enter the chances after a turn of ``before.seat``."""
        standing = self._end(after, before.finished)
        for seat, (old, new) in enumerate(zip(self.lines[-1], standing, strict=True)):
            if seat != before.seat:
                self.others[seat] += new - old
        self.gap[before.seat] += standing[before.seat] - self.value
        self.lines.append(standing)
        self.turn_seats.append(before.seat)
        self.value = standing[after.seat]

    def _left(self, number: int, leaver: int, after: State) -> None:
        """Enter that a seat left, in or out of turn."""
        before = self.state
        standing = self._end(after, before.finished)
        own = self.value if leaver == before.seat else self.lines[-1][leaver]
        self._note(number, before, leaver, Cause.LEFT, standing[leaver] - own)
        for seat, (old, new) in enumerate(zip(self.lines[-1], standing, strict=True)):
            if seat != leaver:
                self.others[seat] += new - old
        ended = after.finished - before.finished
        if ended:
            self.lines += [standing] * ended
            self.turn_seats += [before.seat] * ended
        else:
            self.lines[-1] = standing
        if after.phase is Phase.OVER or after.seat != before.seat or after.phase is Phase.START:
            self.value = standing[after.seat]
        else:
            self.value = worth(after, self._turn(after))

    def _note(self, number: int, state: State, seat: int, cause: Cause, change: float) -> None:
        self.items.append(Item(number, state.finished, seat, cause, change))


def _rank(basis: Basis) -> int:
    return basis.rank
