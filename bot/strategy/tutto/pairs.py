"""The chances of the two-player game: from its table, from that of another target, or estimated."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise
from math import exp, log, sqrt
from typing import Protocol

from bot.strategy.tutto import tables
from bot.strategy.tutto.patterns import STEP
from bot.strategy.tutto.position import Position


class Basis(StrEnum):
    """The source of a number or a choice, the most reliable first; the value is a catalogue key."""

    TABLE = "basis-table"
    """Two players, and a table for their edition and target."""
    SHIFTED = "basis-shifted"
    """Two players, and the table of another target, read at the same distances from it or at smaller ones."""
    LEARNED = "basis-learned"
    """More than two players, combined from pairs and corrected by what games have shown."""
    PAIRS = "basis-pairs"
    """More than two players, combined from pairs."""
    ESTIMATE = "basis-estimate"
    """There is no table; a formula that was fitted to tables is used."""
    POINTS = "basis-points"
    """The winning chance is unknown; points are used instead."""

    @property
    def rank(self) -> int:
        """The position in this list, 0 for the most reliable."""
        return tuple(Basis).index(self)


class Pairs(Protocol):
    """The chances of the two-player game, from a table or an estimate. All scores are in points."""

    def win(self, second: bool, own: int, other: int) -> float:
        """Return the winning chance of the player to move; ``second``: the other one began the round."""
        ...

    def beat(self, own: int, other: int) -> float:
        """Return the same if no turn follows."""
        ...

    def wins(self, second: bool, own: int, others: range) -> Sequence[float]:
        """Return ``win`` for many scores of the other player, in steps of 50."""
        ...

    def beats(self, own: int, others: range) -> Sequence[float]:
        """Return ``beat`` for many scores of the other player, in steps of 50."""
        ...


class _Shifted:
    """A table of another target, read at the same distances from its target.

    Where it doesn't reach so far, both players are read nearer to its target, with a smaller lead: leads grow
    with about the root of what is still to come. Larger leads than it has go on like its last 1000 points.
    docs/decisions/tutto-tables.md says where the numbers come from.
    """

    _ROOM = 4000
    """The lead told apart at the place to which others are brought nearer, if the table is so large."""
    _POWER, _SHORT = 0.55, 300
    """Leads grow with this power of the points that the best score lacks to ``_SHORT`` below the target."""
    _TURN, _CLASSIC_TURN = (-100, 575), (50, 50)
    """What the turn is worth in points to the first player of the round, and to the second."""
    _TAIL = 1000 // STEP

    def __init__(self, table: tables.Table, target: int) -> None:
        self._table, self._shift = table, table.shape.target - target
        self._lowest = -table.shape.floor * STEP
        self._nearer = self._lowest + min(self._ROOM, (table.shape.target - self._lowest) // 2)
        self._turn = self._TURN if table.shape.last else self._CLASSIC_TURN

    def win(self, second: bool, own: int, other: int) -> float:
        own, other = own + self._shift, other + self._shift
        if min(own, other) >= self._lowest:
            return self._table.win(second, own, other)
        best, lead = max(own, other), float(own - other)
        if best < self._nearer:
            turn, goal = self._turn[second], self._table.shape.target - self._SHORT
            lead = (lead + turn) * ((goal - self._nearer) / (goal - best)) ** self._POWER - turn
            best = self._nearer
        steps, edge = abs(lead) / STEP, (best - self._lowest) // STEP
        near, far = (int(steps), int(steps) + 1) if steps < edge else (max(edge - self._TAIL, 0), edge)
        ends = []
        for end in (near, far):
            scores = (best, best - end * STEP) if lead > 0 else (best - end * STEP, best)
            ends.append(log_odds(self._table.win(second, *scores)))
        return from_log_odds(ends[0] + (ends[1] - ends[0]) * (steps - near) / (far - near))

    def beat(self, own: int, other: int) -> float:
        return self._table.beat(own + self._shift, other + self._shift)

    def wins(self, second: bool, own: int, others: range) -> Sequence[float]:
        shift, table = self._shift, self._table
        # Far from the target the chances hardly bend, so that every fourth one is enough.
        smooth = self._lowest if own + shift >= self._lowest else table.shape.target - 2000
        far = range(others.start, max(others.start, min(others.stop, smooth - shift)), STEP)
        ends = pairwise(self.win(second, own, other) for other in range(far.start, far.stop + 200, 200))
        chances = [low + (high - low) * part / 4 for low, high in ends for part in range(4)][: len(far)]
        rest = others[len(far) :]
        if own + shift < self._lowest:
            return chances + [self.win(second, own, other) for other in rest]
        return [*chances, *table.wins(second, own + shift, _moved(rest, shift))]

    def beats(self, own: int, others: range) -> Sequence[float]:
        return self._table.beats(own + self._shift, _moved(others, self._shift))


def _moved(scores: range, shift: int) -> range:
    return range(scores.start + shift, scores.stop + shift, scores.step)


class Estimate:
    """Formulas fitted to the tables: within 0.02 of them between 0 and 4500 points at a target of 6000."""

    _BEAT = (0.824, 0.341, 0.207, 0.115, 0.067, 0.039, 0.024, 0.015, 0.010, 0.007, 0.005, 0.004, 0.003)
    """The chance that the last turn overcomes a lead of 0, 500, 1000, … points."""

    def __init__(self, target: int) -> None:
        self._target = target

    def win(self, second: bool, own: int, other: int) -> float:
        # The more points are still to come, the less a lead means.
        to_come = max(0, self._target - max(own, other))
        lead = own - other + (575 if second else -150)
        return 1.0 / (1.0 + exp(max(-30.0, min(30.0, -0.0356 * lead / sqrt(to_come + 640)))))

    def beat(self, own: int, other: int) -> float:
        if own > other:
            return 1.0
        place, between = divmod((other - own) / 500, 1.0)
        if place >= len(self._BEAT) - 1:
            return self._BEAT[-1]
        low = int(place)
        return self._BEAT[low] + between * (self._BEAT[low + 1] - self._BEAT[low])

    def wins(self, second: bool, own: int, others: range) -> Sequence[float]:
        return [self.win(second, own, other) for other in others]

    def beats(self, own: int, others: range) -> Sequence[float]:
        return [self.beat(own, other) for other in others]


def two_player_chances(position: Position) -> tuple[Pairs, Basis]:
    """Return the two-player chances for ``position`` on the most reliable basis there is; never POINTS."""
    options = position.options
    several = len(position.seats) > 2
    table = tables.load(options.edition, options.target)
    if table is not None:
        return table, Basis.PAIRS if several else Basis.TABLE
    table = tables.nearest(options.edition, options.target)
    if table is None:
        return Estimate(options.target), Basis.ESTIMATE
    return _Shifted(table, options.target), Basis.PAIRS if several else Basis.SHIFTED


def log_odds(chance: float) -> float:
    """Return the logarithm of the odds of a chance, which is taken as neither impossible nor certain."""
    chance = min(max(chance, 1e-5), 1.0 - 1e-5)
    return log(chance / (1.0 - chance))


def from_log_odds(odds: float) -> float:
    """Return the chance whose log odds these are."""
    return 1.0 / (1.0 + exp(-odds))
