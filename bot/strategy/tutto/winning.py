"""The winning chance of each seat between turns, and as the stakes of the present turn.

For two players, it comes from the table of the two-player game, which is exact except that each card is drawn
from a fresh deck. For more players, each pair is looked up as if they were alone, and the pairs' chances are
combined as if their odds were independent (Luce's axiom): a seat that beats each rival ``r`` with odds of
``w_r`` to ``1 - w_r`` wins with ``1 / (1 + sum((1 - w_r) / w_r))``. In the last round, the scores of seats
that have played are fixed, and a seat wins if no later one beats it, so the chances are multiplied.
benchmarks/tutto_strength.md compares this with other methods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from enum import StrEnum
from functools import lru_cache
from math import exp, prod, sqrt
from typing import Protocol

from bot.games.tutto.state import Edition, Phase, State
from bot.strategy.tutto import tables
from bot.strategy.tutto.horizon import highs
from bot.strategy.tutto.patterns import STEP
from bot.strategy.tutto.position import Position, deducted
from bot.strategy.tutto.turn import MIN_TUTTO, Level, Stakes, Turn


class Basis(StrEnum):
    """The source of a number or a choice, the most reliable first; the value is a catalogue key."""

    TABLE = "basis-table"
    """Two players, and a table for their edition and target."""
    SHIFTED = "basis-shifted"
    """Two players, and the table of another target, read at the same distances from it."""
    PAIRS = "basis-pairs"
    """More than two players, combined from pairs."""
    ESTIMATE = "basis-estimate"
    """No table has the position; a formula that was fitted to the tables is used."""
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


Combine = Callable[[Iterable[float]], float]
"""Combines a seat's chances against each single rival into its chance against all of them."""


def odds_ratio(chances: Iterable[float]) -> float:
    """Combine as if the odds of the pairs were independent; among ``n`` equal seats it gives ``1 / n``.

    >>> round(odds_ratio([0.5, 0.5, 0.5]), 3)
    0.25
    """
    total = 1.0
    for chance in chances:
        if chance <= 0.0:
            return 0.0
        total += (1.0 - chance) / chance
    return 1.0 / total


def product(chances: Iterable[float]) -> float:
    """Combine as if beating each rival were independent of the others; for comparison."""
    return prod(chances)


def strongest(chances: Iterable[float]) -> float:
    """Combine as if there were only the most dangerous rival; for comparison."""
    return min(chances, default=1.0)


class _Shifted:
    """A table of another target, read at the same distances from its target."""

    def __init__(self, table: tables.Table, shift: int) -> None:
        self._table, self._shift = table, shift

    def win(self, second: bool, own: int, other: int) -> float:
        return self._table.win(second, own + self._shift, other + self._shift)

    def beat(self, own: int, other: int) -> float:
        return self._table.beat(own + self._shift, other + self._shift)


class Estimate:
    """Formulas fitted to the tables: within 0.02 of them between 0 and 4500 points at a target of 6000."""

    _BEAT = (0.824, 0.341, 0.207, 0.115, 0.067, 0.039, 0.024, 0.015, 0.010, 0.007, 0.005, 0.004, 0.003)
    # The chance that the last turn overcomes a lead of 0, 500, 1000, … points.

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


def two_player_chances(position: Position) -> tuple[Pairs, Basis]:
    """Return the two-player chances for ``position`` on the most reliable basis there is; never POINTS."""
    options = position.options
    table = tables.load(options.edition, options.target)
    basis, shift = Basis.TABLE, 0
    if table is None:
        table = tables.nearest(options.edition, options.target)
        basis = Basis.SHIFTED
        if table is None:
            return Estimate(options.target), Basis.ESTIMATE
        shift = table.shape.target - options.target
        if min(position.scores[seat] for seat in position.seats) + shift < -table.shape.floor * STEP:
            return Estimate(options.target), Basis.ESTIMATE
    if len(position.seats) > 2:
        basis = Basis.PAIRS
    return (_Shifted(table, shift) if shift else table), basis


def stakes(position: Position, combine: Combine = odds_ratio) -> tuple[Stakes, Basis]:
    """Return the winning chances of the seat to move as the stakes of its turn."""
    pairs, basis = two_player_chances(position)
    found: list[Level] = []
    scores = position.scores
    while True:
        found.append(_level(replace(position, scores=scores), pairs, combine))
        lower = deducted(replace(position, scores=scores))
        if lower == scores:
            break
        scores = lower
        if len(found) == (_LEVELS_OF_TWO if len(position.seats) == 2 else _LEVELS_OF_MANY):
            break
    most = max(1.0, *(max(level.banked) for level in found))
    return Stakes(tuple(found), won=1.0, most=most), basis


_LEVELS_OF_TWO = 5
_LEVELS_OF_MANY = 3
# More Plus/Minus Tuttos in one turn are rare: one card in forty leads to one.


def _level(position: Position, pairs: Pairs, combine: Combine) -> Level:
    own, target = position.scores[position.seat], position.options.target
    classic = position.options.edition is Edition.CLASSIC
    best = max(position.scores[seat] for seat in position.seats)
    # Beyond this nothing changes: the game is over, or the lead is the largest one in the tables.
    end = target if classic else max(target, best + STEP)
    if not classic and position.seat != position.seats[-1]:
        end += tables.BEYOND
    after = _after(position, pairs, combine)
    banked = [after(own + gained) for gained in range(0, max(0, end - own) + STEP, STEP)]
    while len(banked) > 1 and banked[-1] == banked[-2]:
        banked.pop()
    return Level(banked[0], tuple(banked), position.misses)


def _after(position: Position, pairs: Pairs, combine: Combine) -> Callable[[int], float]:
    """Return the winning chance of the seat to move after its turn, as a function of its score then."""
    options, me = position.options, position.seat
    rivals = [(seat > me, position.scores[seat]) for seat in position.seats if seat != me]
    done = [score for later, score in rivals if not later]
    coming = [score for later, score in rivals if later]
    best_done = max(done, default=None)

    def after(own: int) -> float:
        reached = own >= options.target
        if reached and options.edition is Edition.CLASSIC:
            return 1.0
        if not (reached or position.last_round):
            # In each pair, the rival plays next, as the second of the round if its seat is later.
            return combine([1.0 - pairs.win(later, score, own) for later, score in rivals])
        if best_done is not None and own < best_done:
            return 0.0
        share = 1.0 / (1 + done.count(own))
        return share * prod([1.0 - pairs.beat(score, own) for score in coming])

    return after


def chances(state: State) -> tuple[tuple[float, ...], Basis]:
    """Return the winning chances by seat before a turn, or at its very beginning; they add up to 1.

    A shared win counts as its share. The basis is TABLE for a game that is over.
    """
    if state.phase is Phase.OVER:
        share = 1.0 / len(state.winners)
        return tuple(
            share if seat in state.winners else 0.0 for seat in range(len(state.scores))
        ), Basis.TABLE
    position = Position.of(state)
    pairs, basis = two_player_chances(position)
    seats = position.seats
    if len(seats) == 1:
        raw = {seats[0]: 1.0}
    elif position.last_round:
        raw = {seat: _in_last_round(position, seat, pairs) for seat in seats}
    else:
        raw = {seat: odds_ratio(_against_each(position, seat, pairs)) for seat in seats}
    total = sum(raw.values()) or 1.0
    return tuple(raw.get(seat, 0.0) / total for seat in range(len(position.scores))), basis


def _against_each(position: Position, seat: int, pairs: Pairs) -> Iterable[float]:
    seats, scores = position.seats, position.scores
    start = seats.index(position.seat)
    order = seats[start:] + seats[:start]
    for rival in seats:
        if rival != seat:
            if order.index(seat) < order.index(rival):
                yield pairs.win(seat > rival, scores[seat], scores[rival])
            else:
                yield 1.0 - pairs.win(rival > seat, scores[rival], scores[seat])


_EXCESS = 350
# Typical excess of a turn that beats the best score, in points.


def _in_last_round(position: Position, seat: int, pairs: Pairs) -> float:
    scores = position.scores
    waiting = [other for other in position.seats if other >= position.seat]
    best = max(scores[other] for other in position.seats)
    later = [scores[other] for other in waiting if other > seat]
    if seat not in waiting:
        if scores[seat] < best:
            return 0.0
        share = 1.0 / sum(scores[other] == best for other in position.seats if other not in waiting)
        return share * prod(1.0 - pairs.beat(score, best) for score in later)
    rivals_best = max(scores[other] for other in position.seats if other != seat)
    return pairs.beat(scores[seat], rivals_best) * prod(
        1.0 - pairs.beat(score, rivals_best + _EXCESS) for score in later
    )


def turn(
    state: State, combine: Combine = odds_ratio, *, low: int | None = None, high: int = 0
) -> tuple[Turn, Basis]:
    """Return the turn of ``state``, solved for the winning chance, and the basis of that.

    Turning a card is solved for totals from ``low`` steps on, by default for all that can follow the state,
    and at least up to ``high``, even where stopping is better.
    """
    position = Position.of(state)
    found, basis = _stakes(position, combine)
    if low is None:
        # Rounded down, so that the decisions of one turn share a solution.
        low = max(MIN_TUTTO, state.points // STEP // _GRAIN * _GRAIN)
    ends = tuple(-(-max(end, high) // _FINE) * _FINE for end in highs(found, state.deck))
    return _turn(position, combine, low, ends), basis


_GRAIN = 20
_FINE = 4


@lru_cache(maxsize=64)
def _stakes(position: Position, combine: Combine) -> tuple[Stakes, Basis]:
    return stakes(position, combine)


def _solved(position: Position, combine: Combine, low: int, ends: tuple[int, ...]) -> Turn:
    return Turn(_stakes(position, combine)[0], low, ends)


_turn = lru_cache(maxsize=64)(_solved)


def cache_turns(turns: int) -> None:
    """Cache ``turns`` solved turns instead of 64, to speed up long simulations; each takes about 75 kB."""
    global _turn
    _turn = lru_cache(maxsize=turns)(_solved)
