"""The chance to win of three to six seats: of every action within a turn, by an approximation.

A formula makes chances of the scores that are expected at the end of the round: the chance of a seat is its
part of the sum of ``exp(score / spread)`` over all seats. Who will complete the open rows is estimated by
:mod:`~bot.strategy.gambler.completion`. Within a turn, all rolls and placements are counted out.
docs/decisions/gambler-many-players.md says how much stronger that is than playing for points.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp
from operator import mul

from bot.games.gambler.state import Action, Stars, State
from bot.strategy.gambler.automata import Automaton, examples
from bot.strategy.gambler.completion import Network, networks
from bot.strategy.gambler.expert import TURNS_KEPT, action_values, automata, filled, rivals
from bot.strategy.gambler.turn import Fill, Level, Lookahead, RowValues, by_count

Spread = tuple[float, float, float]
SPREADS: Mapping[int, Spread] = {
    3: (-0.758, 0.354, 0.137),
    4: (-0.829, 0.340, 0.116),
    5: (-0.900, 0.329, 0.099),
    6: (-1.036, 0.360, 0.102),
}
"""The spread by number of seats. Its logarithm, in hundreds of points, is the first number, plus the second
for each hundred points that the best score lacks to the target, plus the third for each hundred that open
rows pay or cost. They were fitted to experts' games with target 500."""

MAX_COUNTED_OUT = 3
"""The most open rows that are counted out for all their owners; with more, each row counts alone."""


def chance(scores: Sequence[float], seat: int, target: float, open_points: float, spread: Spread) -> float:
    """Return a seat's chance to win. The tools compile this function.

    ``scores`` are those expected at the end of the round, ``open_points`` what open rows pay or cost; with 0
    the round is over, and perhaps the game.
    """
    best, own, total = max(scores), scores[seat], 0.0
    if open_points == 0 and best >= target:
        return 1.0 / scores.count(best) if own == best else 0.0
    scale = exp(-spread[0] - spread[1] * (target - best) / 100 - spread[2] * open_points / 100) / 100
    for score in scores:
        total += exp((score - own) * scale)
    return 1.0 / total


def weights(
    points: Sequence[float],
    shares: Sequence[Sequence[float]],
    scores: list[float],
    seat: int,
    target: float,
    spread: Spread,
) -> list[float]:
    """Return how a seat's chance to win depends on who completes the open rows. The tools compile this
    function.

    ``points`` are those of each open row, ``shares`` each seat's probability to complete it. The result is a
    constant, then for each row a weight for each seat. With these shares, the constant and the sum of all
    weights times shares are the chance; with others they are an approximation, unless one row is open.
    """
    rows, seats = len(points), len(scores)
    if rows <= MAX_COUNTED_OUT:
        means = counted_out(0, points, shares, scores, seat, target, spread)
        # The weights of each row times its shares add up to the chance already.
        means[0] *= 1 - rows
        return means
    result, open_points = [0.0] * (1 + rows * seats), 0.0
    expected = [score for score in scores]  # noqa: C416
    for row in range(rows):
        open_points += abs(points[row])
        for owner in range(seats):
            expected[owner] += shares[row][owner] * points[row]
    constant = chance(expected, seat, target, open_points, spread)
    # The scores are changed and changed back, as copies of them would take longer.
    for row in range(rows):
        for owner in range(seats):
            expected[owner] -= shares[row][owner] * points[row]
        for owner in range(seats):
            expected[owner] += points[row]
            weight = chance(expected, seat, target, open_points - abs(points[row]), spread)
            expected[owner] -= points[row]
            result[1 + row * seats + owner] = weight
            constant -= shares[row][owner] * weight
        for owner in range(seats):
            expected[owner] += shares[row][owner] * points[row]
    result[0] = constant
    return result


def counted_out(
    row: int,
    points: Sequence[float],
    shares: Sequence[Sequence[float]],
    scores: list[float],
    seat: int,
    target: float,
    spread: Spread,
) -> list[float]:
    """Return a seat's mean chance over all owners of the rows from ``row`` on, then the means with each owner
    of the first of these rows, with each owner of the second, and so on. The tools compile this function.

    ``scores`` are with the rows before. They are changed and changed back, as copies would take longer.
    """
    if row == len(points):
        return [chance([score if score > 0.0 else 0.0 for score in scores], seat, target, 0.0, spread)]
    seats = len(scores)
    means = [0.0] * (1 + (len(points) - row) * seats)
    for owner in range(seats):
        share, before = shares[row][owner], scores[owner]
        scores[owner] += points[row]
        with_owner = counted_out(row + 1, points, shares, scores, seat, target, spread)
        scores[owner] = before
        means[0] += share * with_owner[0]
        means[1 + owner] = with_owner[0]
        for at in range(1, len(with_owner)):
            means[seats + at] += share * with_owner[at]
    return means


@dataclass(frozen=True, slots=True)
class TurnStart:
    """A position within a turn. ``scores`` and ``dice`` are of the seats still in the game, in playing order,
    the seat to move last, its dice without ``hand``. ``fill`` are the states of the rows."""

    board: str
    stars: Stars
    target: int
    scores: tuple[int, ...]
    dice: tuple[int, ...]
    fill: Fill
    hand: int


Worth = tuple[float, RowValues]
"""A constant, and what each row adds to it by the number of dice in it."""


class EstimatedTurn(Lookahead):
    """The tree of a turn from a position on; its values are estimated winning chances of the seat that plays
    it."""

    def __init__(self, start: TurnStart, rows: Sequence[Automaton], network: Network) -> None:
        super().__init__(rows, distinct=start.stars is Stars.DISTINCT)
        self.start = start
        self._network = network
        self._boxes = [len(row.row.boxes) for row in rows]
        self._open = [[1 << row] * boxes + [0] for row, boxes in enumerate(self._boxes)]
        self._placed = [len(row.states[state]) for row, state in zip(rows, start.fill, strict=True)]
        self._shares: dict[tuple[int, int, int], tuple[float, ...]] = {}
        # By the open rows as bits, the first row lowest; the worth also by the dice not placed.
        self._weights: dict[int, list[float]] = {}
        self._worth: list[dict[int, Worth]] = [{} for _ in range(start.hand + 1)]

    def ends(self, number: int, level: Level, hand: int) -> list[float]:
        open_rows = by_count(self._open, number)
        constant, row_values = self._worth[hand].get(open_rows) or self._estimate(open_rows, hand)
        return [constant + by_count(row_values, number)] * len(level.states)

    def _estimate(self, open_rows: int, hand: int) -> Worth:
        """Return the worth of rows for ends of the turn with these open rows and ``hand`` dice not placed."""
        start, seats, at, row_values = self.start, len(self.start.scores), 1, []
        rows = [row for row in range(len(self.rows)) if open_rows >> row & 1]
        by_owner = self._weights.get(open_rows)
        if by_owner is None:
            by_owner = self._weights[open_rows] = self._weigh(rows)
        # How many of the dice that were placed are not in completed rows.
        spare = start.hand - hand
        for row, boxes in enumerate(self._boxes):
            if row not in rows:
                spare -= boxes - self._placed[row]
        for row, (boxes, now) in enumerate(zip(self._boxes, self._placed, strict=True)):
            values = [0.0] * (boxes + 1)
            if row in rows:
                for placed in range(now, min(boxes - 1, now + spare) + 1):
                    shares = self._share(row, placed, hand)
                    values[placed] = sum(map(mul, by_owner[at : at + seats], shares))
                at += seats
            row_values.append(values)
        self._worth[hand][open_rows] = by_owner[0], row_values
        return by_owner[0], row_values

    def _weigh(self, rows: Sequence[int]) -> list[float]:
        start = self.start
        completed = sum(
            automaton.row.points
            for row, automaton in enumerate(self.rows)
            if row not in rows and self._placed[row] < self._boxes[row]
        )
        return weights(
            [float(self.rows[row].row.points) for row in rows],
            [self._share(row, self._placed[row], start.hand) for row in rows],
            [*map(float, start.scores[:-1]), max(0.0, float(start.scores[-1] + completed))],
            len(start.scores) - 1,
            float(start.target),
            SPREADS[len(start.scores)],
        )

    def _share(self, row: int, placed: int, hand: int) -> tuple[float, ...]:
        """Return each seat's probability to complete a row with ``placed`` dice in it, if the turn ends with
        ``hand`` dice not placed."""
        shares = self._shares.get((row, placed, hand))
        if shares is None:
            start, automaton = self.start, self.rows[row]
            # States with as many dice differ only in the names of the faces.
            dice_there = examples(automaton)[placed]
            dice = [*start.dice[:-1], start.dice[-1] + hand]
            boxes = sum(self._boxes) - sum(self._placed) - (start.hand - hand)
            # The next seat with dice comes first, as in the positions that the network has learned from.
            first = next(place for place, number in enumerate(dice) if number or place == len(dice) - 1)
            shares = self._network.shares(
                automaton.row, dice_there, dice[first:] + dice[:first], max(1, boxes)
            )
            shares = shares[len(dice) - first :] + shares[: len(dice) - first]
            self._shares[row, placed, hand] = shares
        return shares


def has_network(state: State) -> bool:
    """Return whether there is a network for the number of seats that are still in the game."""
    return len(state.scores) - len(state.left) in networks()


def turn(state: State) -> EstimatedTurn:
    """Return the tree of the turn of the seat to move on an open board, when there is a network."""
    order = [*rivals(state), state.seat]
    dice = [state.dice[seat] for seat in order]
    dice[-1] -= state.hand
    fill = filled(automata(state.board, state.options.stars), state)
    scores = tuple(state.scores[seat] for seat in order)
    options = state.options
    return _turn(TurnStart(state.board, options.stars, options.target, scores, tuple(dice), fill, state.hand))


@lru_cache(TURNS_KEPT)
def _turn(start: TurnStart) -> EstimatedTurn:
    return EstimatedTurn(start, automata(start.board, start.stars), networks()[len(start.scores)])


def values(state: State) -> tuple[tuple[Action, float], ...]:
    """Return the legal actions of the seat to move on an open board, each with its estimated winning
    chance."""
    return action_values(turn(state), state)
