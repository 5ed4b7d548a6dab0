"""What experts and grandmasters give away on average in one round of Gambler for two, without playing it.

Needs numpy and numba (the extra ``solver``), see :mod:`tools.gambler_solver`. The rounds after this one are
worth what the grandmaster takes them to be worth.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from bot.games.gambler.state import Stars
from bot.strategy.gambler import tables
from bot.strategy.gambler.expert import BoardValues, Situation, automata
from bot.strategy.gambler.race import race
from bot.strategy.gambler.tables import COMPONENTS, STEP, OpenRows, Projection, offset
from tools.gambler_solver import MOST, Shares, np, solve

TARGET = 500


class Begun(NamedTuple):
    """A round as it begins: the board, the score of the seat that begins it, and the other's."""

    board: str
    own: int
    other: int


class Cost(NamedTuple):
    """The true chance of the seat that begins a round, and what the choices of one player cost a seat."""

    solved: float
    expert: float
    grandmaster: float


def cost(begun: Begun, stars: Stars) -> Cost:
    """Solve a round."""
    graph = Shares(automata(begun.board, stars), distinct=stars is Stars.DISTINCT)
    grandmaster = Grandmasters(graph, begun)
    solved = solve(graph, grandmaster.filled, [Experts(graph, begun, stars), grandmaster])
    each = [float(costs[0][Shares.BEGINS, MOST]) / 2 for costs in solved.costs]
    return Cost(float(solved.values[0][Shares.BEGINS, MOST]), *each)


class Experts:
    """The leads that experts expect from the ends of turns; see :class:`tools.gambler_solver.Ends`."""

    def __init__(self, graph: Shares, begun: Begun, stars: Stars) -> None:
        self.graph, self.begun, self.stars = graph, begun, stars
        self._known: dict[tuple[int, int, int], Any] = {}

    def __call__(self, at: int, own: int, other: int) -> Any:
        key = at, own, other
        if key not in self._known:
            shares = self._values(0, 0, other).rows(own)
            states = self.graph.states[at]
            values = sum(np.array(row, np.float32)[states[:, k]] for k, row in enumerate(shares))
            self._known[key] = np.repeat(values, np.diff(self.graph.first[at]))
            if at == self.graph.boxes:
                self._known[key] += np.tile(self._decided(), len(states))
        return self._known[key]

    def _decided(self) -> list[float]:
        """Return what the end of the game adds to a full board, for each share."""
        points = sum(row.row.points for row in self.graph.rows)
        return [
            self._values(own - points, other, 0).ending(points)
            for own, other in self.graph.scores(self.graph.every_row, *self.begun[1:])
        ]

    def _values(self, score: int, other: int, dice: int) -> BoardValues:
        here = Situation(self.begun.board, self.stars, TARGET, score, 0, ((other, dice),))
        return BoardValues(here, self.graph.rows)


class Grandmasters:
    """The winning chances that grandmasters take the ends of turns to have."""

    def __init__(self, graph: Shares, begun: Begun) -> None:
        found, table = race(TARGET), tables.load(begun.board)
        assert found is not None
        assert table is not None
        self.graph, self.begun, self._race, self._table = graph, begun, found, table
        self._weights = cache(found.weights)
        units = np.eye(COMPONENTS + 1)[1:].tolist()
        self._numbers = np.array([table.values(range(len(table.groups)), unit) for unit in units], np.int8)
        self._places = [
            np.array([known.index[placed] * stride for placed in row.states])
            for row, known, stride in zip(graph.rows, table.rows, table.strides, strict=True)
        ]
        self._known: dict[tuple[int, int, bool], Any] = {}

    def __call__(self, at: int, own: int, other: int) -> Any:
        if at == self.graph.boxes:
            return np.tile(self.filled, len(self.graph.fills[at]))
        # If the other seat is out, the next turn is this seat's own again.
        again = not other
        key = at, offset(own, 0) if again else offset(other, own), again
        if key not in self._known:
            self._known[key] = self._chances(*key)
        return self._known[key]

    @property
    def filled(self) -> list[float]:
        """What the full board is worth to the seat that fills it, for each share."""
        return [
            self._race.after(own // STEP, other // STEP, 1.0)
            for own, other in self.graph.scores(self.graph.every_row, *self.begun[1:])
        ]

    def _chances(self, at: int, place: int, again: bool) -> Any:
        graph, states = self.graph, self.graph.states[at]
        known = sum(places[states[:, row]] for row, places in enumerate(self._places))
        found = np.empty(graph.first[at][-1], np.float32)
        for full in np.unique(graph.full[at]).tolist():
            fills = np.flatnonzero(graph.full[at] == full)
            numbers, first = self._numbers[:, known[fills]], graph.first[at][fills]
            group = self._table.group(self._table.groups[known[fills[0]]])
            for share, (own, other) in enumerate(graph.scores(full, *self.begun[1:])):
                projection = self._projection(group, own // STEP, other // STEP, place, again)
                found[first + share] = projection[0] + np.array(projection[1:]) @ numbers
        return found

    def _projection(self, group: OpenRows, own: int, other: int, place: int, again: bool) -> Projection:
        mine, theirs = (own, other) if again else (other, own)
        least, weights = self._weights(mine, theirs, group.pays)
        if not again:
            least, weights = 1.0 - least, [-weight for weight in weights]
        constant, one, two, three, four, five, six, seven, eight = group.project(place, weights)
        return least + constant, one, two, three, four, five, six, seven, eight
