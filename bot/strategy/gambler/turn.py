"""The exact tree of a turn: all placements and all rolls, down to the turn's end.

The tree is small, because the dice on the board alone identify a position within a turn: the other dice are
the hand. A decision is a position together with the dice of the roll that may still be placed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cache
from itertools import chain
from operator import getitem, itemgetter, mul
from typing import Protocol

from bot.games.dice import FACES, Dice, minus, rolls
from bot.games.gambler.boards import Kind
from bot.games.gambler.state import DICE_A_TURN
from bot.strategy.gambler.automata import Automaton, shown

Fill = tuple[int, ...]
"""The state of each row in its automaton."""

RowValues = Sequence[Sequence[float]]
"""A value for each row and each number of dice in it."""

NEVER = float("-inf")
"""The value of an impossible action."""

COUNT_BITS = 3
"""The bits of a number of dice in a row."""

_INDEX: dict[Dice, int] = {
    dice: index for number in range(DICE_A_TURN + 1) for index, (dice, _) in enumerate(rolls(number))
}
_NEVER = tuple((NEVER,) * len(rolls(number)) for number in range(DICE_A_TURN + 1))
_WEIGHTS = tuple([float(weight) for _, weight in rolls(number)] for number in range(DICE_A_TURN + 1))
"""By number of dice, the weight of each roll."""
_WAYS = tuple(float(len(FACES) ** number) for number in range(DICE_A_TURN + 1))


def _pick(number: int, die: int) -> Callable[[Sequence[float]], tuple[float, ...]]:
    """Return what picks the value of placing that die of each roll of ``number`` dice, from the values by
    face, one after the other, each by the index of the other dice."""
    others = len(rolls(number - 1))
    return itemgetter(
        *((dice[die] - 1) * others + _INDEX[minus(dice, (dice[die],))] for dice, _ in rolls(number))
    )


_PICKS = tuple([_pick(number, die) for die in range(number)] for number in range(DICE_A_TURN + 1))


class Values(Protocol):
    """Values the end of a turn for the seat that plays it."""

    def rows(self, hand: int) -> RowValues:
        """Return the value of each row by the number of dice in it, if ``hand`` dice were not placed."""
        ...

    def ending(self, value: float) -> float:
        """Return the value of a full board besides ``value``, the sum of all rows' values."""
        ...


Change = tuple[int, int, int]
"""A face from 0, and what placing it adds to the number of a position and to its key."""


class _Steps(dict[int, tuple[Change, ...]]):
    """The possible changes in some rows of a position, by the bits of its number that are about them.

    A row's state is numbered by the bits from ``shift`` on, and ``keys`` is what it adds to the key.
    """

    def __init__(self, rows: Sequence[tuple[Automaton, int, tuple[int, ...]]], *, distinct: bool) -> None:
        super().__init__()
        self._rows = [(row, shift, last_bits(keys), _changes(row, shift, keys)) for row, shift, keys in rows]
        self.mask = sum(mask << shift for _, shift, mask, _ in self._rows)
        self._distinct = distinct

    def __missing__(self, number: int) -> tuple[Change, ...]:
        changes = [by_state[number >> shift & mask] for _, shift, mask, by_state in self._rows]
        if self._distinct:
            states = [(row, row.states[number >> shift & mask]) for row, shift, mask, _ in self._rows]
            taken = {shown(row.row, placed) - 1 for row, placed in states}
            for place, (row, placed) in enumerate(states):
                if row.row.kind is Kind.STARS and not placed:
                    changes[place] = tuple(one for one in changes[place] if one[0] not in taken)
        found = self[number] = tuple(chain.from_iterable(changes))
        return found


def last_bits(states: Sequence[object]) -> int:
    """Return the bits that the number of a state may have."""
    return (1 << (len(states) - 1).bit_length()) - 1


@cache
def _changes(row: Automaton, shift: int, keys: tuple[int, ...]) -> tuple[tuple[Change, ...], ...]:
    def change(before: int, after: int) -> tuple[int, int]:
        to_key = keys[after] - keys[before]
        return (after - before << shift) + to_key, to_key

    return tuple(
        tuple((face, *change(state, after)) for face, after in steps) for state, steps in enumerate(row.steps)
    )


class Lookahead(ABC):
    """The tree of one turn. Values are kept, so one object serves all choices of the turn.

    ``keys`` is a number for each state of each row. Their sum, the *key* of a position, says all that the
    value of ending the turn there depends on. ``distinct`` is whether star rows must differ.
    """

    def __init__(
        self, rows: Sequence[Automaton], keys: Sequence[Sequence[int]], *, distinct: bool = False
    ) -> None:
        self.rows = rows
        shift = sum(map(max, keys)).bit_length()
        self._key_mask = (1 << shift) - 1
        # A position is numbered by its key in the lowest bits, and then the state of each row.
        self._keys = list(map(tuple, keys))
        self._fields: list[tuple[int, int]] = []
        for by_state in keys:
            self._fields.append((shift, last_bits(by_state)))
            shift += last_bits(by_state).bit_length()
        # Star rows have to be in the same part. Both parts have few states.
        numbered = [
            (row, shift, by_state)
            for row, (shift, _), by_state in zip(rows, self._fields, self._keys, strict=True)
        ]
        free = [one for one in numbered if one[0].row.kind is not Kind.NUMBERS]
        self._free = _Steps(free, distinct=distinct)
        self._fixed = _Steps([one for one in numbered if one not in free], distinct=False)
        self._ends: dict[int, float] = {}
        # By number of the position, the value after placing a die, by the index of the other dice of the
        # roll, which may be placed too.
        self._after_placing: dict[int, Sequence[float]] = {}

    @abstractmethod
    def value(self, key: int, hand: int) -> float:
        """Return the value of ending the turn at ``key`` with ``hand`` dice not placed."""

    def end(self, fill: Fill, hand: int) -> float:
        """Return the value of ending the turn with ``fill`` on the board and ``hand`` dice not placed."""
        return self.value(self._key(fill), hand)

    def roll(self, fill: Fill, hand: int) -> float:
        """Return the value of rolling the hand."""
        return self.expand(self._number(fill), hand)

    def place(self, fill: Fill, row: int, die: int, rest: Dice) -> float:
        """Return the value of placing ``die`` in ``row``, then perhaps some of the ``rest`` of the roll."""
        after = self.after(fill, row, die)
        if not rest:
            return self.end(after, 0)
        number = self._number(after)
        if number not in self._after_placing:
            self.expand(number, len(rest))
        return self._after_placing[number][_INDEX[rest]]

    def after(self, fill: Fill, row: int, die: int) -> Fill:
        """Return what lies on the board when ``die``, which fits, is placed in ``row``."""
        automaton = self.rows[row]
        state = automaton.index[(*automaton.states[fill[row]], die)]
        return (*fill[:row], state, *fill[row + 1 :])

    def _key(self, fill: Fill) -> int:
        return sum(map(getitem, self._keys, fill))

    def _number(self, fill: Fill) -> int:
        states = [state << shift for state, (shift, _) in zip(fill, self._fields, strict=True)]
        return sum(states) + self._key(fill)

    def fill(self, number: int) -> Fill:
        """Return the fill of the position with this number."""
        return tuple([number >> shift & bits for shift, bits in self._fields])

    def expand(self, number: int, hand: int) -> float:
        """Return the value of rolling the hand, and note the values of whatever may follow."""
        free, fixed, ends, key = self._free, self._fixed, self._ends, number & self._key_mask
        changes = free[number & free.mask] + fixed[number & fixed.mask]
        end = ends.get(key)
        if end is None:
            end = ends[key] = self.value(key, hand)
        best: Sequence[float]
        if hand == 1:
            best = by_face = [NEVER] * len(FACES)
            for face, _, key_change in changes:
                value = ends.get(key + key_change)
                if value is None:
                    value = ends[key + key_change] = self.value(key + key_change, 0)
                if value > by_face[face]:
                    by_face[face] = value
            total = sum(best)
        else:
            best = self._best(number, hand, changes)
            total = sum(map(mul, _WEIGHTS[hand], best))
        if total == NEVER:
            # A roll of which no die fits ends the turn with the board as it is.
            total = sum(map(mul, _WEIGHTS[hand], [end if value == NEVER else value for value in best]))
        rolled = total / _WAYS[hand]
        go_on = rolled if rolled > end else end
        self._after_placing[number] = [value if value > go_on else go_on for value in best]
        return rolled

    def _best(self, number: int, hand: int, changes: Sequence[Change]) -> Sequence[float]:
        """Return the best value of placing a die of each roll; :data:`NEVER` if none fits."""
        after_placing, never = self._after_placing, _NEVER[hand - 1]
        by_face: list[Sequence[float]] = [never] * len(FACES)
        for face, change, _ in changes:
            child = after_placing.get(number + change)
            if child is None:
                self.expand(number + change, hand - 1)
                child = after_placing[number + change]
            before = by_face[face]
            by_face[face] = child if before is never else _better(before, child)
        one, two, three, four, five, six = by_face
        values = [*one, *two, *three, *four, *five, *six]
        first, *others = _PICKS[hand]
        best: Sequence[float] = first(values)
        for pick in others:
            best = _better(best, pick(values))
        return best


def _better(one: Sequence[float], other: Sequence[float]) -> list[float]:
    """Return the higher value in each place."""
    # With ``strict`` it would take a third longer.
    return [value if value > instead else instead for value, instead in zip(one, other)]  # noqa: B905


class RowsLookahead(Lookahead):
    """The tree of a turn whose end is worth the sum of what all rows are worth."""

    def __init__(self, rows: Sequence[Automaton], values: Values, *, distinct: bool = False) -> None:
        keys = counts(rows)
        super().__init__(rows, keys, distinct=distinct)
        self._values = values
        self._by_hand: dict[int, RowValues] = {}
        self._full = sum(map(max, keys))

    def value(self, key: int, hand: int) -> float:
        if hand not in self._by_hand:
            self._by_hand[hand] = self._values.rows(hand)
        value = sum(by_count(self._by_hand[hand], key))
        return value + self._values.ending(value) if key == self._full else value


def counts(rows: Sequence[Automaton]) -> list[list[int]]:
    """Return keys that are the numbers of dice in each row."""
    return [[len(placed) << COUNT_BITS * place for placed in row.states] for place, row in enumerate(rows)]


def by_count(values: RowValues, key: int) -> list[float]:
    """Return the value of each row by the number of dice in it, which :func:`counts` has put in ``key``."""
    most = (1 << COUNT_BITS) - 1
    return [by_number[key >> COUNT_BITS * row & most] for row, by_number in enumerate(values)]
