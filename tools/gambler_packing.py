"""Packs a solved round of Gambler into the form that ``bot/strategy/gambler/tables.py`` reads.

Needs numpy (the extra ``solver``).
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from struct import pack
from typing import Any

from bot.games.gambler.state import NUMBER_OF_DICE, dice_each
from bot.strategy.gambler.automata import Automaton
from bot.strategy.gambler.tables import COMPONENTS, MIDDLE, OFFSETS, STEP, UNIT

np: Any = import_module("numpy")

LEAST = 0.001
"""A component is left out if the chances differ by less without it (root mean square)."""
ROUNDING = 0.003
"""By how much rounding the fills' numbers may change chances (root mean square)."""
LARGEST = 127


def samples(values: Sequence[Any], fills: Sequence[Any]) -> Any:
    """Return the values of every fill at the distributions of the dice that are told apart."""
    width = values[0].shape[-1]
    found = np.zeros((sum(map(len, fills)), OFFSETS, width), np.float32)
    most = dice_each(2)
    for dice, layer in enumerate(values[:-1]):
        rest = NUMBER_OF_DICE - dice
        low, high = max(1, rest - most), min(most, rest)
        for place in range(OFFSETS):
            own = (rest + 1) // 2 + place - MIDDLE
            found[fills[dice], place] = layer[:, min(high, max(low, own))]
    return found


def packed(rows: Sequence[Automaton], values: Any) -> tuple[bytes, float, float]:
    """Return the contents of a table, and the root mean square and the largest of the errors.

    ``values[fill, place, lead]`` are those of :func:`samples`.
    """
    sizes = [len(row.states) for row in rows]
    states = np.stack(np.unravel_index(np.arange(len(values)), sizes), axis=1)
    dice = sum(np.array([len(one) for one in row.states])[states[:, i]] for i, row in enumerate(rows))
    is_open = sum((~np.array(row.full))[states[:, i]].astype(int) << i for i, row in enumerate(rows))
    numbers = np.zeros((COMPONENTS, len(values)), np.int8)
    reach = values.shape[-1] // 2
    head, squares, count, largest = [], 0.0, 0, 0.0
    for group in range(1, 1 << len(rows)):
        spread = sum(row.row.value // STEP for i, row in enumerate(rows) if group >> i & 1)
        members = np.flatnonzero(is_open == group)
        leads = [reach + lead for lead in range(1 - spread, spread, 2)]
        chances = values[members][:, :, leads].reshape(len(members), -1).astype(np.float64)
        # Half of the weight is shared by numbers of dice: few fills are early, but every round passes them.
        _, layer, fills = np.unique(dice[members], return_inverse=True, return_counts=True)
        share = 0.5 / len(members) + 0.5 / len(fills) / fills[layer]
        mean = np.round(share @ chances * UNIT)
        rest = chances - mean / UNIT
        strength, vectors = np.linalg.eigh(len(rest) * (rest * share[:, None]).T @ rest)
        wanted = int((strength[::-1][:COMPONENTS] > LEAST**2 * rest.size).sum())
        vectors = vectors[:, ::-1][:, :wanted]
        rounded = np.round(vectors * (LARGEST / np.abs(vectors).max(axis=0, initial=1e-9)))
        units = np.abs(vectors).max(axis=0, initial=1e-9) / LARGEST
        exact = rest @ np.linalg.pinv((rounded * units).T) if wanted else np.zeros((len(members), 0))
        step = max(
            ROUNDING * (12 * rest.shape[1] / COMPONENTS) ** 0.5, np.abs(exact).max(initial=0) / LARGEST
        )
        codes = np.round(exact / step)
        numbers[:wanted, members] = codes.T
        scales = [float(one) for one in units * step]
        error = (codes * np.array(scales, np.float32)) @ rounded.T - rest
        squares, count = squares + float((error**2).sum()), count + error.size
        largest = max(largest, float(np.abs(error).max()))
        head.append(pack(f"<B{wanted}f", wanted, *scales))
        head.append(mean.astype(np.uint8).tobytes() + rounded.T.astype(np.int8).tobytes())
    return b"".join(head) + numbers.tobytes(), (squares / count) ** 0.5, largest
