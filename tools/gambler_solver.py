"""Solves a round of Gambler for two seats: all rolls, all placements, all boards, from the full board down.

Needs numpy and numba (the extra ``solver``); the bot itself reads the tables that come out.

A position between turns is what lies on the board (a *fill*, one state of each row's automaton) and the
dice of the seat to move; the other seat has the rest of the thirty. For each, :func:`solve` finds the value
to the seat to move at every lead, if both want the largest value. Leads are in steps of ten points, and count
all that both seats have, not only what this round brought.

A turn is solved as :class:`~bot.strategy.gambler.turn.Lookahead` does it, but for all fills with the same
number of dice at once. Two turns in which no die fits lead back to the same position, so the values of both
seats are two equations with two unknowns.
"""

from __future__ import annotations

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


def _compiled(function: F) -> F:
    """Compile with numba, keeping the type checker's view of the function."""
    compiled: F = numba.njit(cache=True, fastmath={"nnan", "ninf", "nsz"})(function)
    return compiled


@dataclass(frozen=True, slots=True)
class Layers:
    """The fills of a board by the number of dice on it.

    ``fills[n]`` are the numbers of the fills with ``n`` dice (mixed radix, the first row counts most);
    ``place`` is the index of a fill in its layer. For fill ``i`` of layer ``n``, the placements of a face
    ``f`` (from 0) are ``starts[n][6 * i + f]`` to ``starts[n][6 * i + f + 1]`` of ``children[n]`` (indices
    in layer ``n + 1``) and ``gains[n]`` (steps that this pays).
    """

    fills: list[Any]
    place: Any
    starts: list[Any]
    children: list[Any]
    gains: list[Any]


def layers(rows: Sequence[Automaton], distinct: bool) -> Layers:
    """Return all fills of a board and the placements between them."""
    sizes = [len(row.states) for row in rows]
    total = int(np.prod(sizes))
    numbers = np.arange(total)
    states = np.stack(np.unravel_index(numbers, sizes), axis=1)
    dice = sum(np.array([len(placed) for placed in row.states])[states[:, i]] for i, row in enumerate(rows))
    place = np.zeros(total, dtype=np.int64)
    fills = []
    for n in range(int(dice.max()) + 1):
        layer = numbers[dice == n]
        place[layer] = np.arange(len(layer))
        fills.append(layer)
    strides = [int(np.prod(sizes[i + 1 :])) for i in range(len(sizes))]
    shows = [np.array([shown(row.row, placed) for placed in row.states]) for row in rows]
    starts, children, gains = [], [], []
    for layer in fills:
        found = []
        for i, row in enumerate(rows):
            here = states[layer, i]
            for state, steps in enumerate(row.steps):
                at = np.flatnonzero(here == state)
                for face, after in steps:
                    ok = at
                    if distinct and row.row.kind is Kind.STARS and not state:
                        taken = np.zeros(len(at), dtype=bool)
                        for j, values in enumerate(shows):
                            if j != i:
                                taken |= values[states[layer[at], j]] == face + 1
                        ok = at[~taken]
                    child = place[layer[ok] + (after - state) * strides[i]]
                    gain = row.row.points // STEP if row.full[after] else 0
                    found.append(np.stack([ok * len(FACES) + face, child, np.full(len(ok), gain)], axis=1))
        moves = np.concatenate(found) if found else np.zeros((0, 3), dtype=np.int64)
        moves = moves[np.argsort(moves[:, 0], kind="stable")]
        counts = np.bincount(moves[:, 0], minlength=len(layer) * len(FACES))
        starts.append(np.concatenate([[0], np.cumsum(counts)]).astype(np.int64))
        children.append(moves[:, 1].astype(np.int64))
        gains.append(moves[:, 2].astype(np.int64))
    return Layers(fills, place, starts, children, gains)


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


@dataclass(frozen=True, slots=True)
class Round:
    """A solved round. ``values[n][i, m]`` are the values of fill ``i`` with ``n`` dice on the board to the
    seat to move, if it has ``m`` dice, by lead: from ``-reach`` to ``reach`` steps."""

    layers: Layers
    reach: int
    values: list[Any]


def ahead(rows: Sequence[Automaton]) -> Any:
    """Return the values of a full board if it counts who is ahead, and a tie half, for :func:`solve`.

    They reach as far as the lead can change in a round.
    """
    reach = sum(row.row.value for row in rows) // STEP
    leads = np.arange(-reach, reach + 1)
    return np.where(leads > 0, 1.0, np.where(leads < 0, 0.0, 0.5))


def lead_gained(solved: Round) -> float:
    """Return by how many points on average the seat that starts a round solved with :func:`ahead` gains."""
    chances = solved.values[0][0, MOST]
    return float(STEP * (chances.sum() - len(chances) / 2))


def solve(rows: Sequence[Automaton], full: Any, *, distinct: bool = False) -> Round:
    """Solve a round. ``full[lead + reach]`` is the value to the seat that fills the board with that lead; to
    the other it is one less that. Beyond both ends the value at the end counts."""
    graph = layers(rows, distinct)
    weights, parts = _parts()
    width = len(full)
    reach = width // 2
    full = np.asarray(full, dtype=np.float32)
    boxes = len(graph.fills) - 1
    values: list[Any] = [np.zeros((len(layer), MOST + 1, width), np.float32) for layer in graph.fills]
    for n in range(boxes - 1, -1, -1):
        rolled: dict[int, Any] = {}
        for own in range(1, MOST + 1):
            other = NUMBER_OF_DICE - n - own
            if 0 <= other <= MOST:
                rolled[own] = _turn(graph, values, n, own, other, full, weights, parts)
        for own, (fits, no_fit) in rolled.items():
            other = NUMBER_OF_DICE - n - own
            if other:
                their_fits, their_none = rolled[other]
                _both(values[n], own, fits, no_fit, their_fits, their_none)
            else:
                values[n][:, own] = fits / (1.0 - no_fit)[:, None]
    return Round(graph, reach, values)


def _turn(
    graph: Layers, values: list[Any], n: int, own: int, other: int, full: Any, weights: Any, parts: Any
) -> tuple[Any, Any]:
    """Return the value of a turn at each fill of layer ``n``, as the sum over all rolls of which a die fits,
    weighted by their chances, and the chance that none fits."""
    hand = min(DICE_A_TURN, own)
    boxes = len(graph.fills) - 1
    last = min(hand, boxes - n)
    below = np.zeros((0, 0, 0), np.float32)
    for step in range(last, -1, -1):
        left, at = hand - step, n + step
        ends = _ends(values[at], own - step, other, full, at == boxes)
        if at == boxes:
            below = np.repeat(ends[:, None, :], len(weights[left]), axis=1)
            continue
        if left == 0:
            below = ends[:, None, :]
            continue
        if step:
            found = np.empty((len(ends), len(weights[left]), ends.shape[1]), np.float32)
            _node(
                graph.starts[at],
                graph.children[at],
                graph.gains[at],
                ends,
                below,
                weights[left],
                parts[left],
                found,
            )
            below = found
    fits = np.zeros((len(graph.fills[n]), len(full)), np.float32)
    no_fit = np.zeros(len(graph.fills[n]), np.float32)
    _first(
        graph.starts[n], graph.children[n], graph.gains[n], below, weights[hand], parts[hand], fits, no_fit
    )
    return fits, no_fit


def _ends(values: Any, own: int, other: int, full: Any, filled: bool) -> Any:
    """Return the values of ending the turn, when the seat still has ``own`` dice."""
    if filled:
        return np.repeat(full[None, :], len(values), axis=0)
    if other == 0:
        return values[:, own].copy()
    return np.ascontiguousarray(1.0 - values[:, other, ::-1])


@_compiled
def _both(values: Any, own: int, fits: Any, none: Any, their_fits: Any, their_none: Any) -> None:
    fills, width = fits.shape
    for i in range(fills):
        p, q = none[i], their_none[i]
        for d in range(width):
            values[i, own, d] = (fits[i, d] + p * (1 - q - their_fits[i, width - 1 - d])) / (1 - p * q)


@_compiled
def _improve(acc: Any, child: Any, gain: int) -> None:
    """Replace each value by that of ``child`` at a lead greater by ``gain``, where that is higher."""
    width = len(acc)
    low, high = max(0, -gain), min(width, width - gain)
    for d in range(low):
        acc[d] = max(acc[d], child[0])
    moved = child[low + gain : high + gain]
    mine = acc[low:high]
    for d in range(len(mine)):
        a, b = mine[d], moved[d]
        mine[d] = a if a > b else b
    for d in range(high, width):
        acc[d] = max(acc[d], child[width - 1])


@_compiled
def _node(
    starts: Any, children: Any, gains: Any, ends: Any, below: Any, weights: Any, parts: Any, found: Any
) -> None:
    """Find the value of a position within a turn, for each rest of a roll that may still be placed."""
    fills, width = ends.shape
    rests = len(weights)
    go_on = np.empty(width, np.float32)
    for i in range(fills):
        go_on[:] = 0.0
        for rest in range(rests):
            acc = found[i, rest]
            acc[:] = -1.0
            any_fits = False
            for face in range(6):
                after = parts[rest, face]
                if after >= 0:
                    for k in range(starts[6 * i + face], starts[6 * i + face + 1]):
                        any_fits = True
                        _improve(acc, below[children[k], after], gains[k])
            weight = np.float32(weights[rest])
            if any_fits:
                for d in range(width):
                    go_on[d] += weight * acc[d]
            else:
                for d in range(width):
                    go_on[d] += weight * ends[i, d]
        for d in range(width):
            a, b = go_on[d], ends[i, d]
            go_on[d] = a if a > b else b
        for rest in range(rests):
            acc = found[i, rest]
            for d in range(width):
                a, b = acc[d], go_on[d]
                acc[d] = a if a > b else b


@_compiled
def _first(
    starts: Any, children: Any, gains: Any, below: Any, weights: Any, parts: Any, fits: Any, no_fit: Any
) -> None:
    fills, width = fits.shape
    acc = np.empty(width, np.float32)
    for i in range(fills):
        for rest in range(len(weights)):
            acc[:] = -1.0
            any_fits = False
            for face in range(6):
                after = parts[rest, face]
                if after >= 0:
                    for k in range(starts[6 * i + face], starts[6 * i + face + 1]):
                        any_fits = True
                        _improve(acc, below[children[k], after], gains[k])
            weight = np.float32(weights[rest])
            if any_fits:
                for d in range(width):
                    fits[i, d] += weight * acc[d]
            else:
                no_fit[i] += weight
