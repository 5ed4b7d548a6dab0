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

from bot.games.dice import FACES, Dice, rolls
from bot.games.gambler.boards import Kind
from bot.games.gambler.state import DICE_A_TURN
from bot.strategy.gambler.automata import Automaton, shown

Fill = tuple[int, ...]
"""The state of each row in its automaton."""

Table = Sequence[Sequence[float]]
"""A number for each row and each state of it."""

NEVER = float("-inf")
"""The value of an impossible action."""

_INDEX: dict[Dice, int] = {
    dice: index for number in range(DICE_A_TURN + 1) for index, (dice, _) in enumerate(rolls(number))
}
_WEIGHTS: tuple[tuple[int, ...], ...] = tuple(
    tuple(weight for _, weight in rolls(number)) for number in range(DICE_A_TURN + 1)
)
# For each roll, by number of dice and index: its faces (from 0), each with the index of the other dice.
_PARTS: tuple[tuple[tuple[tuple[int, int], ...], ...], ...] = tuple(
    tuple(
        tuple(
            (face - 1, _INDEX[dice[: dice.index(face)] + dice[dice.index(face) + 1 :]])
            for face in FACES
            if face in dice
        )
        for dice, _ in rolls(number)
    )
    for number in range(DICE_A_TURN + 1)
)


class Values(Protocol):
    """Values the end of a turn for the seat that plays it."""

    def table(self, hand: int) -> Table:
        """Return the value of each row by its state, if ``hand`` dice were not placed."""
        ...

    def ending(self, value: float) -> float:
        """Return the value of a full board besides ``value``, the sum of all rows' values."""
        ...


Ups = tuple[tuple[int, int, int], ...]
"""Possible steps of a row: a face from 0, by how much this raises the fill's number, and the state that
follows."""

_NEVER = tuple((NEVER,) * len(rolls(number)) for number in range(DICE_A_TURN + 1))


class Node:
    """A position within a turn, with at least one die in hand."""

    __slots__ = ("best", "end", "fill", "hand", "number", "roll")

    def __init__(self, number: int, fill: Fill, hand: int, end: float) -> None:
        self.number = number  # that of the fill
        self.fill = fill
        self.hand = hand
        self.end = end  # the value if the turn ends here
        self.roll = NEVER  # the value of rolling the hand, as soon as there is ``best``
        # By the rest of a roll: the value after a die was placed (Lookahead.best). Empty until it is needed.
        self.best: Sequence[float] = ()

    def settle(self, value: float) -> None:
        """Set the value of a position from which the turn's value is certain."""
        self.roll = value
        self.best = [value] * len(rolls(self.hand))


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
        self._ups = [_ups(row, stride) for row, stride in zip(rows, self._strides, strict=True)]

    @abstractmethod
    def end(self, fill: Fill, hand: int) -> float:
        """Return the value of ending the turn with ``fill`` on the board and ``hand`` dice not placed."""

    @abstractmethod
    def last(self, node: Node) -> list[float]:
        """Return, by face from 0, the best value of placing the last die; :data:`NEVER` if it doesn't fit."""

    def node(self, fill: Fill, hand: int) -> Node:
        number = sum(map(mul, fill, self._strides))
        return self._nodes.get(number) or self.add(number, fill, hand)

    def add(self, number: int, fill: Fill, hand: int) -> Node:
        """Make and keep the node of a fill that has none yet."""
        found = self._nodes[number] = Node(number, fill, hand, self.end(fill, hand))
        return found

    def roll(self, node: Node) -> float:
        """Return the value of rolling the hand, and note the values of whatever may follow."""
        if not node.best:
            hand, end = node.hand, node.end
            if hand == 1:
                placed = self.last(node)
                total = sum([end if value == NEVER else value for value in placed])
            else:
                total, placed, below = 0.0, [], self._below(node)
                for weight, parts in zip(_WEIGHTS[hand], _PARTS[hand], strict=True):
                    value = NEVER
                    for face, rest in parts:
                        found = below[face][rest]
                        if found > value:
                            value = found
                    placed.append(value)
                    # No die fits: the turn ends with the board as it is.
                    total += weight * (end if value == NEVER else value)
            node.roll = total / float(len(FACES) ** hand)
            go_on = max(end, node.roll)
            node.best = [value if value > go_on else go_on for value in placed]
        return node.roll

    def _below(self, node: Node) -> list[Sequence[float]]:
        """Return the best value after placing a die, by its face from 0 and by the rest of the roll."""
        number, fill, hand, nodes = node.number, node.fill, node.hand - 1, self._nodes
        never = _NEVER[hand]
        below: list[Sequence[float]] = [never] * len(FACES)
        for row, steps in enumerate(self.open_steps(fill)):
            for face, up, after in steps:
                child = nodes.get(number + up)
                if child is None:
                    child = self.add(number + up, (*fill[:row], after, *fill[row + 1 :]), hand)
                if not child.best:
                    self.roll(child)
                known = below[face]
                if known is never:
                    below[face] = child.best
                else:
                    below[face] = [
                        one if one > other else other for one, other in zip(known, child.best, strict=True)
                    ]
        return below

    def best(self, node: Node, rest: int) -> float:
        """Return the value after a die was placed, when dice of ``rest`` (an index) may be placed too."""
        self.roll(node)
        return node.best[rest]

    def place(self, fill: Fill, row: int, die: int, rest: Dice) -> float:
        """Return the value of placing ``die`` in ``row``, then perhaps some of the ``rest`` of the roll."""
        after = self.after(fill, row, die)
        if not rest:
            return self.end(after, 0)
        return self.best(self.node(after, len(rest)), _INDEX[rest])

    def after(self, fill: Fill, row: int, die: int) -> Fill:
        """Return what lies on the board when ``die``, which fits, is placed in ``row``."""
        automaton = self.rows[row]
        state = automaton.index[(*automaton.states[fill[row]], die)]
        return (*fill[:row], state, *fill[row + 1 :])

    def open_steps(self, fill: Fill) -> list[Ups]:
        """Return the possible steps of each row."""
        steps = list(map(getitem, self._ups, fill))
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
def _ups(row: Automaton, stride: int) -> tuple[Ups, ...]:
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
        self._tables: dict[int, Table] = {}

    def end(self, fill: Fill, hand: int) -> float:
        value = 0.0
        for shares, state in zip(self._table(hand), fill, strict=True):
            value += shares[state]
        if all(automaton.full[state] for automaton, state in zip(self.rows, fill, strict=True)):
            value += self._values.ending(value)
        return value

    def last(self, node: Node) -> list[float]:
        fill, table, last = node.fill, self._table(0), [NEVER] * len(FACES)
        values = list(map(getitem, table, fill))
        value = sum(values)
        open_rows = 0
        for shares, share, steps in zip(table, values, self.open_steps(fill), strict=True):
            if steps:
                open_rows += 1
                rest = value - share
                for face, _, after in steps:
                    if rest + shares[after] > last[face]:
                        last[face] = rest + shares[after]
        if open_rows == 1:
            # The last box of the last open row ends the round, whose value the rows' sum lacks.
            for row, steps in enumerate(self.open_steps(fill)):
                for face, _, after in steps:
                    last[face] = self.end((*fill[:row], after, *fill[row + 1 :]), 0)
        return last

    def _table(self, hand: int) -> Table:
        if hand not in self._tables:
            self._tables[hand] = self._values.table(hand)
        return self._tables[hand]
