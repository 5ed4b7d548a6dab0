"""Solves a round of Gambler for two seats: all rolls, all placements, all boards, from the full board down.

Needs numpy and numba (the extra ``solver``); the bot itself reads the tables that come out.

A position between turns is what lies on the board (a *fill*, one state of each row's automaton), the dice of
the seat to move (the other seat has the rest of the thirty), and how the scores stand. There are two ways to
tell the latter, each with a number for each *standing*:

- :class:`Leads`, for the shipped tables: who ends the round ahead, from every lead at which that is not
  certain and can't be a tie. Leads are in steps of ten points, and count all that both seats have.
- :class:`Shares`, for a round that begins with given scores: who filled each of the full rows says the
  scores. A fill with ``k`` full rows has ``2 ** (k + 1)`` standings, and most have few full rows. The numbers
  have a bit for each full row, the first row lowest, 1 for the seat to move, and the highest bit is 1 if that
  is the seat that began the round.

:func:`solve` finds the value of each position to the seat to move, if both want the largest value. A turn is
solved as :class:`~bot.strategy.gambler.turn.Lookahead` does it, but for all fills with the same number of
dice, all standings and all dice at once. Two turns in which no die fits lead back to the same position, so
the values of both seats are two equations with two unknowns.

It also finds what players give away. A player is known by what it takes each end of a turn to be worth, and
chooses the placements and rolls that lead to the best one on average. Beside each value that it sees, what
the choice is really worth is carried along. Nothing is played or drawn by lot, so that has no error of
sampling.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeVar

from bot.games.dice import FACES, rolls
from bot.games.gambler.boards import Kind
from bot.games.gambler.state import DICE_A_TURN, NUMBER_OF_DICE, dice_each
from bot.strategy.gambler.automata import Automaton, shown

np: Any = import_module("numpy")
numba: Any = import_module("numba")

F = TypeVar("F", bound=Callable[..., Any])

STEP = 10
"""Points a step of the lead."""
MOST = dice_each(2)
"""The dice that a seat begins a round with."""
MEMORY = 1_000_000_000
"""How many bytes an array may have within a turn; otherwise fewer numbers of dice are solved at once."""

Ends = Callable[[int, int, int], Any]
"""What a player takes ends of turns to be worth to itself: for every fill with that many dice on the board,
and every standing, in one array. The other numbers are the dice of the seat and of its rival."""


def _compiled(function: F) -> F:
    """Compile with numba, keeping the type checker's view of the function."""
    compiled: F = numba.njit(cache=True, fastmath={"nnan", "ninf", "nsz"})(function)
    return compiled


class Graph(ABC):
    """The fills of a board by the number of dice on it, and the placements between them.

    ``fills[n]`` are the numbers of the fills with ``n`` dice (mixed radix, the first row counts most),
    ``states[n]`` the states of their rows, ``full[n]`` their full rows as bits, the first row lowest.
    ``first[n]`` is the index of each fill's first standing, and of the last one's end.

    For fill ``i`` with ``n`` dice, the placements of a face ``f`` (from 0) are ``starts[n][6 * i + f]`` to
    ``starts[n][6 * i + f + 1]`` of ``children[n]``, which are indices of fills with a die more, and of
    ``moves[n]``, which say where the standings move (:func:`_placed`).
    """

    def __init__(self, rows: Sequence[Automaton], *, distinct: bool = False) -> None:
        self.rows = rows
        self.every_row = (1 << len(rows)) - 1
        sizes = [len(row.states) for row in rows]
        numbers = np.arange(int(np.prod(sizes)))
        states = np.stack(np.unravel_index(numbers, sizes), axis=1)
        dice, full = np.zeros(len(numbers), np.int64), np.zeros(len(numbers), np.int64)
        for number, row in enumerate(rows):
            dice += np.array([len(placed) for placed in row.states])[states[:, number]]
            full |= np.array(row.full).astype(np.int64)[states[:, number]] << number
        self.boxes = int(dice.max())
        self.fills = [np.flatnonzero(dice == n) for n in range(self.boxes + 1)]
        self.states = [states[fills] for fills in self.fills]
        self.full = [full[fills] for fills in self.fills]
        widths = np.array([self.width(one) for one in range(1 << len(rows))])
        self.first = [np.concatenate([[0], np.cumsum(widths[full])]).astype(np.int64) for full in self.full]
        self.starts: list[Any] = []
        self.children: list[Any] = []
        self.moves: list[Any] = []
        place = np.zeros(len(numbers), dtype=np.int64)
        for fills in self.fills:
            place[fills] = np.arange(len(fills))
        for states, fills in zip(self.states, self.fills, strict=True):
            found = _placements(rows, states, fills, distinct)
            self.starts.append(np.searchsorted(found[:, 0], np.arange(len(fills) * len(FACES) + 1)))
            self.children.append(place[found[:, 1]])
            before, after = full[fills][found[:, 0] // len(FACES)], full[found[:, 1]]
            moves = {key: self.move(*divmod(key, 64)) for key in np.unique(before * 64 + after).tolist()}
            self.moves.append(np.array([moves[key] for key in (before * 64 + after).tolist()], np.int64))
        self.reverse = [
            np.repeat(first[:-1] + first[1:] - 1, np.diff(first)) - np.arange(first[-1])
            for first in self.first
        ]
        """For each standing, the same one as the other seat sees it."""

    @abstractmethod
    def width(self, full: int) -> int:
        """Return the number of standings of a fill with these full rows."""

    @abstractmethod
    def move(self, before: int, after: int) -> int:
        """Return where the standings move if the full rows become others, as :func:`_placed` reads it."""


def _placements(rows: Sequence[Automaton], states: Any, fills: Any, distinct: bool) -> Any:
    """Return the placements from fills, sorted: six times the index of the fill plus the face, and the number
    of the fill that follows."""
    strides = [int(np.prod([len(row.states) for row in rows[number + 1 :]])) for number in range(len(rows))]
    shows = [np.array([shown(row.row, placed) for placed in row.states]) for row in rows]
    found = [np.zeros((0, 2), np.int64)]
    for number, row in enumerate(rows):
        for state, steps in enumerate(row.steps):
            at = np.flatnonzero(states[:, number] == state)
            for face, after in steps:
                ok = at
                if distinct and row.row.kind is Kind.STARS and not state:
                    taken = np.zeros(len(at), dtype=bool)
                    for other, values in enumerate(shows):
                        if other != number:
                            taken |= values[states[at, other]] == face + 1
                    ok = at[~taken]
                child = fills[ok] + (after - state) * strides[number]
                found.append(np.stack([ok * len(FACES) + face, child], axis=1))
    moves = np.concatenate(found)
    return moves[np.argsort(moves[:, 0], kind="stable")]


NO_MOVE, WON, LOST = -1, 64, 1024
"""How :func:`_placed` tells moves: less than :data:`WON` is for shares, the others for leads."""


class Leads(Graph):
    """Standings are leads: from ``1 - spread`` to ``spread - 1``, two steps apart, where ``spread`` is the
    most that the open rows can change the lead."""

    def width(self, full: int) -> int:
        return sum(row.row.value // STEP for number, row in enumerate(self.rows) if not full >> number & 1)

    def move(self, before: int, after: int) -> int:
        """A yellow row moves the leads nearest to certain victory out of reach, a black one the others."""
        if before == after:
            return NO_MOVE
        row = self.rows[(before ^ after).bit_length() - 1].row
        return (LOST if row.black else WON) + row.value // STEP


class Shares(Graph):
    """Standings say who filled each of the full rows, and who began the round."""

    BEGINS = 1
    """The standing of the seat that begins the round."""

    def width(self, full: int) -> int:
        return 2 << full.bit_count()

    def move(self, before: int, after: int) -> int:
        """Return how many full rows are before the new one."""
        return (before & ((before ^ after) - 1)).bit_count() if before != after else NO_MOVE

    def scores(self, full: int, begins: int, other: int) -> list[tuple[int, int]]:
        """Return the scores of the seat to move and of its rival for each share of the ``full`` rows, from
        those that the seat which begins the round and the ``other`` one had before it."""
        found = [(other, begins), (begins, other)]
        for row in reversed(range(len(self.rows))):
            if full >> row & 1:
                points = self.rows[row].row.points
                found = [
                    one
                    for mine, theirs in found
                    for one in ((mine, theirs + points), (mine + points, theirs))
                ]
        return found


@dataclass(frozen=True, slots=True)
class Solved:
    """A solved round. ``values[n][standing, dice]`` is the value to the seat to move, if it has as many dice,
    and ``costs[player][n][standing, dice]`` what two such players together give away from there on."""

    graph: Graph
    values: list[Any]
    costs: list[list[Any]]


def lead_gained(solved: Solved) -> float:
    """Return by how many points on average the seat that starts a round gains, by :class:`Leads`."""
    chances = solved.values[0][:, MOST]
    return float(2 * STEP * (chances.sum() - len(chances) / 2))


def solve(graph: Graph, full: Sequence[float] = (), players: Sequence[Ends] = ()) -> Solved:
    """Solve a round. ``full`` is the value of the full board to the seat that fills it, for each standing."""
    weights, parts = _parts()
    sizes = [int(first[-1]) for first in graph.first]
    values = [np.zeros((size, MOST + 1), np.float32) for size in sizes]
    costs = [[np.zeros((size, MOST + 1), np.float32) for size in sizes] for _ in players]
    values[-1][:] = np.tile(np.asarray(full), len(graph.fills[-1]))[:, None]
    for n in range(graph.boxes - 1, -1, -1):
        fits = np.zeros((1 + len(players), sizes[n], MOST + 1), np.float32)
        none = np.zeros((len(graph.fills[n]), MOST + 1), np.float64)
        least, most = max(1, NUMBER_OF_DICE - n - MOST), min(MOST, NUMBER_OF_DICE - n)
        one = 4 * (1 + 2 * len(players)) * len(weights[-2]) * max(sizes[n + 1 : n + 1 + DICE_A_TURN])
        at_once = max(1, MEMORY // max(one, 1))
        for hand in range(1, DICE_A_TURN + 1):
            every = [own for own in range(least, most + 1) if min(own, DICE_A_TURN) == hand]
            for start in range(0, len(every), at_once):
                owns = every[start : start + at_once]
                found, no_fit = _turn(graph, values, costs, players, n, hand, owns, weights, parts)
                fits[:, :, owns] = found
                none[:, owns] = no_fit[:, None]
        _meet(graph, n, range(least, most + 1), fits, none, values[n], [one[n] for one in costs])
    return Solved(graph, values, costs)


def _parts() -> tuple[list[Any], list[Any]]:
    """Return, by number of dice, the weight of each roll (they add up to 1), and for each roll and face (from
    0) the index of the other dice, or -1 where the face is not in the roll."""
    index = {dice: at for n in range(DICE_A_TURN + 1) for at, (dice, _) in enumerate(rolls(n))}
    weights, parts = [], []
    for n in range(DICE_A_TURN + 1):
        weights.append(np.array([weight / len(FACES) ** n for _, weight in rolls(n)]))
        table = np.full((len(rolls(n)), len(FACES)), -1, dtype=np.int64)
        for at, (dice, _) in enumerate(rolls(n)):
            for face in FACES:
                if face in dice:
                    k = dice.index(face)
                    table[at, face - 1] = index[dice[:k] + dice[k + 1 :]]
        parts.append(table)
    return weights, parts


def _turn(
    graph: Graph,
    values: list[Any],
    costs: list[list[Any]],
    players: Sequence[Ends],
    n: int,
    hand: int,
    owns: list[int],
    weights: Any,
    parts: Any,
) -> tuple[Any, Any]:
    """Return what a turn is worth at each standing of layer ``n`` and for each number of own dice, as the sum
    over all rolls of which a die fits, weighted by their chances; and the chance that none fits.

    The first of these are the values, the others for each player what is left of them by its choices.
    """
    below = np.zeros((0, 0), np.float32)
    for step in range(min(hand, graph.boxes - n), 0, -1):
        left, at = hand - step, n + step
        ends = _ends(
            graph, values, costs, players, at, [(own - step, NUMBER_OF_DICE - n - own) for own in owns]
        )
        if not left:
            below = ends
        elif at == graph.boxes:
            # The rest of the roll does not matter.
            each = ends.reshape(len(ends), len(graph.fills[at]), 1, graph.first[at][1] * len(owns))
            below = np.repeat(each, len(weights[left]), axis=2).reshape(len(ends), -1)
        else:
            found = np.empty((len(ends), ends.shape[1] * len(weights[left])), np.float32)
            _node(
                graph.starts[at],
                graph.children[at],
                graph.moves[at],
                graph.first[at],
                graph.first[at + 1],
                len(owns),
                len(weights[left - 1]),
                ends,
                below,
                weights[left],
                parts[left],
                found,
            )
            below = found
    fits = np.zeros((1 + len(players), graph.first[n][-1] * len(owns)), np.float32)
    no_fit = np.zeros(len(graph.fills[n]), np.float32)
    _first(
        graph.starts[n],
        graph.children[n],
        graph.moves[n],
        graph.first[n],
        graph.first[n + 1],
        len(owns),
        len(weights[hand - 1]),
        below,
        weights[hand],
        parts[hand],
        fits,
        no_fit,
    )
    return fits.reshape(len(fits), -1, len(owns)), no_fit


def _ends(
    graph: Graph, values: Any, costs: Any, players: Sequence[Ends], at: int, dice: list[tuple[int, int]]
) -> Any:
    """Return the values of ending the turn in layer ``at``, by own and other ``dice``; then for each player
    what it takes them to be, and what they are if both seats go on like it."""
    found = np.empty((1 + 2 * len(players), len(values[at]), len(dice)), np.float32)
    reverse = graph.reverse[at]
    for k, (own, other) in enumerate(dice):
        if at == graph.boxes:
            found[0, :, k] = values[at][:, 0]
        elif other:
            found[0, :, k] = 1.0 - values[at][reverse, other]
        else:
            found[0, :, k] = values[at][:, own]
        for number, (player, cost) in enumerate(zip(players, costs, strict=True)):
            found[1 + 2 * number, :, k] = player(at, own, other)
            given = cost[at][reverse, other] if other else cost[at][:, own]
            found[2 + 2 * number, :, k] = found[0, :, k] - given
    return found.reshape(len(found), -1)


def _meet(graph: Graph, n: int, owns: range, fits: Any, none: Any, values: Any, costs: list[Any]) -> None:
    """Find the values and costs of layer ``n`` from the turns of both seats, each of which may leave it."""
    reverse = graph.reverse[n]
    none = np.repeat(none, np.diff(graph.first[n]), axis=0)
    for own in owns:
        other = NUMBER_OF_DICE - n - own
        p, mine = none[:, own], fits[0, :, own]
        if other:
            q, theirs = none[:, other], fits[0, reverse, other]
            values[:, own] = (mine + p * (1 - q - theirs)) / (1 - p * q)
        else:
            values[:, own] = mine / (1 - p)
    for kept, cost in zip(fits[1:], costs, strict=True):
        lost = np.zeros(kept.shape)
        for own in owns:
            other = NUMBER_OF_DICE - n - own
            stays = 1.0 - values[reverse, other] if other else values[:, own]
            lost[:, own] = values[:, own] - kept[:, own] - none[:, own] * stays
        for own in owns:
            other = NUMBER_OF_DICE - n - own
            p = none[:, own]
            if other:
                cost[:, own] = (lost[:, own] + p * lost[reverse, other]) / (1 - p * none[:, other])
            else:
                cost[:, own] = lost[:, own] / (1 - p)


@_compiled
def _improve(acc: Any, to: int, found: Any, start: int, number: int) -> None:
    """Replace values by those from ``start`` on where these are higher, and with what a player sees what that
    is worth."""
    mine, other = acc[0, to : to + number], found[0, start : start + number]
    for m in range(number):
        a, b = mine[m], other[m]
        mine[m] = a if a > b else b
    for k in range(1, len(acc), 2):
        seen, new = acc[k, to : to + number], found[k, start : start + number]
        mine, other = acc[k + 1, to : to + number], found[k + 1, start : start + number]
        for m in range(number):
            a, b, c, d = seen[m], new[m], mine[m], other[m]
            seen[m] = b if b > a else a
            mine[m] = d if b > a else c


@_compiled
def _add(total: Any, weight: Any, values: Any) -> None:
    for m in range(min(len(total), len(values))):
        total[m] += weight * values[m]


@_compiled
def _placed(acc: Any, to: int, width: int, owns: int, below: Any, start: int, move: int) -> None:
    """Improve a fill's values by those after a placement, whose standings are others if it fills a row."""
    if move < 0:
        _improve(acc, to, below, start, width * owns)
    elif move < WON:
        run = (1 << move) * owns
        for high in range(width >> move):
            _improve(acc, to + high * run, below, start + (2 * high + 1) * run, run)
    elif move < LOST:
        still = (width + WON - move) * owns
        _improve(acc, to, below, start, still)
        acc[0, to + still : to + width * owns] = 1.0
    else:
        lost = (move - LOST) * owns
        _improve(acc, to + lost, below, start, width * owns - lost)
        for m in range(lost):
            acc[0, to + m] = max(acc[0, to + m], np.float32(0.0))


@_compiled
def _node(
    starts: Any,
    children: Any,
    moves: Any,
    first: Any,
    first_below: Any,
    owns: int,
    rests_below: int,
    ends: Any,
    below: Any,
    weights: Any,
    parts: Any,
    found: Any,
) -> None:
    """Find the values of a position within a turn, for each rest of a roll that may still be placed."""
    rests = len(weights)
    kinds = len(ends)
    go_on = np.empty((kinds, np.diff(first).max() * owns), np.float32)
    for i in range(len(first) - 1):
        width = first[i + 1] - first[i]
        number, begin = width * owns, first[i] * owns
        go_on[:, :number] = 0.0
        for rest in range(rests):
            to = begin * rests + rest * number
            for k in range(kinds):
                found[k, to : to + number] = -1e9
            fits = False
            for face in range(6):
                after = parts[rest, face]
                if after >= 0:
                    for j in range(starts[6 * i + face], starts[6 * i + face + 1]):
                        fits = True
                        child = first_below[children[j]]
                        of_child = first_below[children[j] + 1] - child
                        start = (child * rests_below + after * of_child) * owns
                        _placed(found, to, width, owns, below, start, moves[j])
            weight = np.float32(weights[rest])
            for k in range(kinds):
                ending = found[k, to : to + number] if fits else ends[k, begin : begin + number]
                _add(go_on[k], weight, ending)
        _improve(go_on, 0, ends, begin, number)
        for rest in range(rests):
            _improve(found, begin * rests + rest * number, go_on, 0, number)


@_compiled
def _first(
    starts: Any,
    children: Any,
    moves: Any,
    first: Any,
    first_below: Any,
    owns: int,
    rests_below: int,
    below: Any,
    weights: Any,
    parts: Any,
    fits: Any,
    no_fit: Any,
) -> None:
    kinds = len(below)
    acc = np.empty((kinds, np.diff(first).max() * owns), np.float32)
    for i in range(len(first) - 1):
        width = first[i + 1] - first[i]
        number, begin = width * owns, first[i] * owns
        for rest in range(len(weights)):
            acc[:, :number] = -1e9
            any_fits = False
            for face in range(6):
                after = parts[rest, face]
                if after >= 0:
                    for j in range(starts[6 * i + face], starts[6 * i + face + 1]):
                        any_fits = True
                        child = first_below[children[j]]
                        of_child = first_below[children[j] + 1] - child
                        start = (child * rests_below + after * of_child) * owns
                        _placed(acc, 0, width, owns, below, start, moves[j])
            weight = np.float32(weights[rest])
            if any_fits:
                for k in range(0, kinds, 2):
                    _add(fits[k // 2, begin : begin + number], weight, acc[k])
            else:
                no_fit[i] += weight
