"""Packs a solved round of Gambler into the form that ``bot/strategy/gambler/tables.py`` reads.

Needs numpy (the extra ``solver``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from struct import pack
from typing import Any, NamedTuple

from bot.games.gambler.state import NUMBER_OF_DICE
from bot.strategy.gambler.tables import BANDS, COMPONENTS, MIDDLE, OFFSETS, SETS, UNIT, band
from tools.gambler_solver import MOST, Solved, np

LEAST = 0.0005
"""A component is left out if the chances differ by less without it (root mean square)."""
ROUNDING = 0.001
"""By how much rounding the fills' numbers may change chances (root mean square). It costs more than what is
left out with the components, as it is different for each of the fills between which a player chooses."""
LARGEST = 127
OFTEN = (0.05, 0.05, 0.07, 0.14, 0.23, 0.17, 0.16, 0.075, 0.055)
"""How often each distribution of the dice occurs at the beginning of a turn, in 25 games of grandmasters."""


class Group(NamedTuple):
    """A group of fills: their numbers, the dice on the board of each, and its chances at the
    distributions of the dice that are told apart, by lead."""

    fills: Any
    dice: Any
    chances: Any


def groups(solved: Solved) -> Iterator[Group]:
    """Yield all groups with an open row, in the order of their numbers."""
    graph = solved.graph
    for number in range(SETS * (len(BANDS) + 1)):
        full = graph.every_row ^ number % SETS
        found = []
        for dice in range(graph.boxes):
            at = np.flatnonzero(graph.full[dice] == full)
            if band(dice) == number // SETS and len(at):
                leads = graph.first[dice][at][:, None] + np.arange(graph.width(full))
                rest = NUMBER_OF_DICE - dice
                low, high = max(1, rest - MOST), min(MOST, rest)
                own = [min(high, max(low, (rest + 1) // 2 + place - MIDDLE)) for place in range(OFFSETS)]
                chances = solved.values[dice][leads[:, None, :], np.array(own)[:, None]]
                found.append(Group(graph.fills[dice][at], np.full(len(at), dice), chances))
        if found:
            yield Group(*map(np.concatenate, zip(*found, strict=True)))


def packed(fills: int, every: Iterable[Group]) -> tuple[bytes, float, float]:
    """Return the contents of the table of a board with so many ``fills``, and the root mean square and the
    largest of the errors."""
    numbers = np.zeros((COMPONENTS, fills), np.int8)
    head, squares, count, largest = [], 0.0, 0, 0.0
    for members, dice, chances in every:
        chances = chances.reshape(len(members), -1).astype(np.float64)
        # Half of the weight is shared by numbers of dice: few fills are early, but every round passes them.
        _, layer, counts = np.unique(dice, return_inverse=True, return_counts=True)
        share = 0.5 / len(members) + 0.5 / len(counts) / counts[layer]
        mean = np.round(share @ chances * UNIT)
        # Distributions of the dice count by how often they occur.
        often = np.repeat(np.sqrt(np.array(OFTEN) * len(OFTEN)), chances.shape[1] // len(OFTEN))
        rest = (chances - mean / UNIT) * often
        strength, vectors = np.linalg.eigh(len(rest) * (rest * share[:, None]).T @ rest)
        wanted = int((strength[::-1][:COMPONENTS] > LEAST**2 * rest.size).sum())
        vectors = vectors[:, ::-1][:, :wanted] / often[:, None]
        units = np.abs(vectors).max(axis=0, initial=1e-9) / LARGEST
        rounded = np.round(vectors / units)
        seen = (rounded * units).T * often
        exact = rest @ np.linalg.pinv(seen) if wanted else np.zeros((len(members), 0))
        step = np.maximum(
            ROUNDING * (12 * rest.shape[1] / COMPONENTS) ** 0.5 / np.linalg.norm(seen, axis=1),
            np.abs(exact).max(axis=0, initial=0) / LARGEST,
        )
        codes = np.round(exact / step)
        numbers[:wanted, members] = codes.T
        error = (codes * step) @ seen - rest
        squares, count = squares + float((error**2).sum()), count + error.size
        largest = max(largest, float(np.abs(error / often).max()))
        scales = (units * step).tolist()
        head.append(pack(f"<B{wanted}f", wanted, *scales))
        head.append(mean.astype(np.uint8).tobytes() + rounded.T.astype(np.int8).tobytes())
    return b"".join(head) + numbers.tobytes(), (squares / count) ** 0.5, largest
