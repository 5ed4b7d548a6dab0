"""The exact tree of a turn: all placements and all rolls, down to the turn's end.

The tree is small, because the dice on the board alone identify a position within a turn: the other dice are
the hand. A *node* is such a position. A decision is a node together with the dice of the roll that may still
be placed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from operator import getitem, mul
from typing import Protocol

from bot.games.dice import FACES, Dice, minus, rolls
from bot.games.gambler.boards import Kind
from bot.games.gambler.state import DICE_A_TURN
from bot.strategy.gambler.automata import Automaton, shown

Fill = tuple[int, ...]
"""The state of each row in its automaton."""

RowValues = Sequence[Sequence[float]]
"""A value for each row and each state of it."""

NEVER = float("-inf")
"""The value of an impossible action."""

_INDEX: dict[Dice, int] = {
    dice: index for number in range(DICE_A_TURN + 1) for index, (dice, _) in enumerate(rolls(number))
}


def _parts(dice: Dice) -> tuple[tuple[int, int], ...]:
    """Return the faces of a roll, counted from 0, each with the index of the other dice."""
    return tuple((face - 1, _INDEX[minus(dice, (face,))]) for face in FACES if face in dice)


_ROLLS = tuple(
    [(weight, _parts(dice)) for dice, weight in rolls(number)] for number in range(DICE_A_TURN + 1)
)
"""By number of dice, the weight and the parts of each roll."""


class Values(Protocol):
    """Values the end of a turn for the seat that plays it."""

    def rows(self, hand: int) -> RowValues:
        """Return the value of each row by its state, if ``hand`` dice were not placed.

        States with as many dice must have the same value.
        """
        ...

    def ending(self, value: float) -> float:
        """Return the value of a full board besides ``value``, the sum of all rows' values."""
        ...


NumberedSteps = tuple[tuple[int, int, int], ...]
"""Possible steps of a row: a face from 0, what this adds to the fill's number, and the state that follows."""

_NEVER = tuple((NEVER,) * len(rolls(number)) for number in range(DICE_A_TURN + 1))


class Node:
    """A position within a turn, with at least one die in hand."""

    __slots__ = ("after_placing", "end_value", "fill", "hand", "number", "roll_value")

    def __init__(self, number: int, fill: Fill, hand: int, end_value: float) -> None:
        self.number = number  # that of the fill
        self.fill = fill
        self.hand = hand
        self.end_value = end_value  # if the turn ends here
        self.roll_value = NEVER  # of rolling the hand, as soon as there is ``after_placing``
        # The value after placing a die, by the index of the other dice of the roll, which may be placed too.
        # Empty until it is needed.
        self.after_placing: Sequence[float] = ()

    def settle(self, value: float) -> None:
        """Set the value of a position from which the turn's value is certain."""
        self.roll_value = value
        self.after_placing = [value] * len(rolls(self.hand))


class Lookahead(ABC):
    """The tree of one turn. Nodes are kept, so one object serves all choices of the turn.

    ``distinct`` is whether star rows must differ. Fills are numbered by the states of their rows, the first
    row counting most.
    """

    def __init__(self, rows: Sequence[Automaton], *, distinct: bool = False) -> None:
        self.rows = rows
        self._distinct = distinct
        self._nodes: dict[int, Node] = {}
        sizes = [len(row.states) for row in rows]
        self._strides = tuple(accumulate(reversed(sizes[1:]), mul, initial=1))[::-1]
        self._steps = [_numbered(row, stride) for row, stride in zip(rows, self._strides, strict=True)]

    @abstractmethod
    def end(self, fill: Fill, hand: int) -> float:
        """Return the value of ending the turn with ``fill`` on the board and ``hand`` dice not placed."""

    @abstractmethod
    def last_die(self, node: Node) -> list[float]:
        """Return, by face from 0, the best value of placing the last die; :data:`NEVER` if it doesn't fit."""

    def node(self, fill: Fill, hand: int) -> Node:
        number = sum(map(mul, fill, self._strides))
        return self._nodes.get(number) or self.add(number, fill, hand)

    def add(self, number: int, fill: Fill, hand: int) -> Node:
        """Make and keep the node of a fill that has none yet."""
        node = self._nodes[number] = Node(number, fill, hand, self.end(fill, hand))
        return node

    def roll(self, node: Node) -> float:
        """Return the value of rolling the hand, and note the values of whatever may follow."""
        if not node.after_placing:
            hand, end = node.hand, node.end_value
            if hand == 1:
                by_roll = self.last_die(node)
                total = sum([end if value == NEVER else value for value in by_roll])
            else:
                total, by_roll, by_face = 0.0, [], self._by_face(node)
                for weight, parts in _ROLLS[hand]:
                    best = NEVER
                    for face, rest in parts:
                        value = by_face[face][rest]
                        if value > best:
                            best = value
                    by_roll.append(best)
                    # No die fits: the turn ends with the board as it is.
                    total += weight * (end if best == NEVER else best)
            node.roll_value = total / float(len(FACES) ** hand)
            go_on = max(end, node.roll_value)
            node.after_placing = [value if value > go_on else go_on for value in by_roll]
        return node.roll_value

    def _by_face(self, node: Node) -> list[Sequence[float]]:
        """Return the best value after placing a die, by its face from 0 and by the rest of the roll."""
        number, fill, hand, nodes = node.number, node.fill, node.hand - 1, self._nodes
        never = _NEVER[hand]
        by_face: list[Sequence[float]] = [never] * len(FACES)
        for row, steps in enumerate(self.open_steps(fill)):
            for face, change, after in steps:
                child = nodes.get(number + change)
                if child is None:
                    child = self.add(number + change, (*fill[:row], after, *fill[row + 1 :]), hand)
                if not child.after_placing:
                    self.roll(child)
                before = by_face[face]
                if before is never:
                    by_face[face] = child.after_placing
                else:
                    by_face[face] = [
                        value if value > other else other
                        for value, other in zip(before, child.after_placing, strict=True)
                    ]
        return by_face

    def place(self, fill: Fill, row: int, die: int, rest: Dice) -> float:
        """Return the value of placing ``die`` in ``row``, then perhaps some of the ``rest`` of the roll."""
        after = self.after(fill, row, die)
        if not rest:
            return self.end(after, 0)
        node = self.node(after, len(rest))
        self.roll(node)
        return node.after_placing[_INDEX[rest]]

    def after(self, fill: Fill, row: int, die: int) -> Fill:
        """Return what lies on the board when ``die``, which fits, is placed in ``row``."""
        automaton = self.rows[row]
        state = automaton.index[(*automaton.states[fill[row]], die)]
        return (*fill[:row], state, *fill[row + 1 :])

    def open_steps(self, fill: Fill) -> list[NumberedSteps]:
        """Return the possible steps of each row."""
        steps = list(map(getitem, self._steps, fill))
        if self._distinct:
            taken = [
                shown(automaton.row, automaton.states[state]) - 1
                for automaton, state in zip(self.rows, fill, strict=True)
            ]
            for row, automaton in enumerate(self.rows):
                if automaton.row.kind is Kind.STARS and not fill[row]:
                    steps[row] = tuple(step for step in steps[row] if step[0] not in taken)
        return steps


@cache
def _numbered(row: Automaton, stride: int) -> tuple[NumberedSteps, ...]:
    """Return the steps from each state of a row that counts ``stride`` in a fill's number."""
    return tuple(
        tuple((face, (after - state) * stride, after) for face, after in steps)
        for state, steps in enumerate(row.steps)
    )


class RowsLookahead(Lookahead):
    """The tree of a turn whose end is worth the sum of what all rows are worth."""

    def __init__(self, rows: Sequence[Automaton], values: Values, *, distinct: bool = False) -> None:
        super().__init__(rows, distinct=distinct)
        self._values = values
        self._by_hand: dict[int, RowValues] = {}
        self._full = [row.full for row in rows]

    def end(self, fill: Fill, hand: int) -> float:
        value = sum(map(getitem, self._row_values(hand), fill))
        if all(map(getitem, self._full, fill)):
            value += self._values.ending(value)
        return value

    def last_die(self, node: Node) -> list[float]:
        fill, row_values, best = node.fill, self._row_values(0), [NEVER] * len(FACES)
        values = list(map(getitem, row_values, fill))
        total = sum(values)
        open_rows = 0
        for by_state, value, steps in zip(row_values, values, self.open_steps(fill), strict=True):
            if steps:
                open_rows += 1
                # All steps lead to as many dice in the row, and so to the same value.
                then = total - value + by_state[steps[0][2]]
                for face, _, _ in steps:
                    if then > best[face]:
                        best[face] = then
        if open_rows == 1:
            # The last box of the last open row ends the round, whose value the rows' sum lacks.
            for row, steps in enumerate(self.open_steps(fill)):
                for face, _, after in steps:
                    best[face] = self.end((*fill[:row], after, *fill[row + 1 :]), 0)
        return best

    def _row_values(self, hand: int) -> RowValues:
        if hand not in self._by_hand:
            self._by_hand[hand] = self._values.rows(hand)
        return self._by_hand[hand]
