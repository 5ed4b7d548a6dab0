"""``python -m tools.learn_tutto``: fit the networks that correct the chances of several players.

Needs numpy and numba (the extra ``solver``). Grandmasters play on from random positions with 3 to 10 players;
from what became of them the networks of :mod:`bot.strategy.tutto.learned` are fitted, one for normal rounds
and one for the last round, which ``classic`` doesn't have. They begin with the shipped ones. The same seeds
give the same games, but how many fit into the time differs.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

from tqdm import tqdm

from bot.games.tutto.state import Edition
from bot.strategy.tutto import learned, tables
from tools import tutto_field

np: Any = import_module("numpy")

LONG = 10_000
TRUST = 0.7
"""How much the shipped network counts in long games, which it knows, against what became of a position.

One game says little of a position, and the network has seen more of these games than are played here.
"""
GAMES = {
    Edition.CURRENT: (
        (Edition.CURRENT, LONG),
        *((edition, target) for edition in (Edition.CURRENT, Edition.MODERN) for target in (1000, 2000)),
    ),
    Edition.CLASSIC: tuple((Edition.CLASSIC, target) for target in (LONG, 1000, 2000, 3000)),
}
"""The games to learn from: a long one has the positions of all shorter ones, but few of their starts."""
PLAYERS = range(3, 11)
WHOLE, NEAR, AHEAD, LAST = 0.1, 0.7, 0.4, 0.5
"""The shares of games begun at the start, and of the others near the end, with somebody far ahead, and in
the last round. Many games from near the end, where chances are off the most, take as long as a whole one.
"""
MOST_AHEAD = 3
"""The most players who are far ahead of all others."""
UNITS = 32
CLEAR, TIMES = 0.4, 4
"""A position with a chance from pairs above this is learned from so many times as often."""
EXAMPLES = 6000
"""How many seats to learn from in one step."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Play, fit and write; the exit code."""
    parser = argparse.ArgumentParser(prog=learned.COMMAND, description="Fit the chances of several players.")
    parser.add_argument("--edition", choices=learned.EDITIONS, default=Edition.CURRENT, type=Edition)
    parser.add_argument("--play", type=float, default=120.0, help="seconds for each number of players")
    parser.add_argument("--learn", type=float, default=300.0, help="seconds to fit each network")
    parser.add_argument("--out", type=Path, default=tables.DIRECTORY)
    given = parser.parse_args(arguments)
    edition: Edition = given.edition
    fields = [tutto_field.Field(*game) for game in GAMES[edition]]
    seconds = given.play / len(fields)
    played = [play(field, seats, seconds) for field in tqdm(fields, desc="play") for seats in PLAYERS]
    rounds = (False,) if edition is Edition.CLASSIC else (False, True)
    networks = [fit(played, last, given.learn, known(edition, last)) for last in rounds]
    text = json.dumps({"sha256": learned.checksum(networks), "networks": networks})
    (given.out / learned.file_of(edition)).write_text(text + "\n", "utf-8")
    return 0


def known(edition: Edition, last: bool) -> Mapping[str, Any] | None:
    """Return the shipped weights, which are a good beginning, or None if there are none."""
    file = tables.DIRECTORY / learned.file_of(edition)
    return json.loads(file.read_text("utf-8"))["networks"][last] if file.exists() else None


@dataclass(frozen=True, slots=True)
class Played:
    """Positions of one number of players: what a network sees of them, and what became of them."""

    target: int
    last: Any
    seen: Any
    base: Any
    outcomes: Any


def play(field: tutto_field.Field, seats: int, seconds: float) -> Played:
    """Play on from random positions."""
    rng = np.random.default_rng(seats)
    until = perf_counter() + seconds
    positions, outcomes = [], []
    while perf_counter() < until:
        scores, seat, last = begin(field, seats, rng)
        _, _, kept, told = field.on(scores, seat, last, 4 if last else 2, int(rng.integers(1 << 30)), 4000)
        positions.append(kept)
        outcomes.append(told)
    every = np.concatenate(positions)
    base, crowd = field.values(every)
    seen = np.empty((*base.shape, tutto_field.INPUTS), dtype=np.float32)
    for row, chances, more, out in zip(every, base, crowd, seen, strict=True):
        tutto_field.see(row[2:], row[0], row[1] == 1, field.goal, chances, more, out)
    told = np.concatenate(outcomes).astype(np.float32)
    return Played(field.target, every[:, 1] == 1, seen, base.astype(np.float32), told)


def begin(field: tutto_field.Field, seats: int, rng: Any) -> tuple[Any, int, bool]:
    """Return where to begin: the scores, the seat to move, and whether it is the last round."""
    if rng.random() < WHOLE:
        # The start of a game to this target or to a lower one.
        lowest = max(field.start + 1, field.goal - int(tutto_field.THOUSAND))
        begun = rng.choice([field.start, int(rng.integers(field.start, lowest))])
        return np.full(seats, begun, dtype=np.int64), 0, False
    # Most games are begun in the middle, with scores near each other or far apart.
    top, spread = int(rng.integers(field.start + 1, field.goal)), rng.choice([4, 15, 40, 80])
    if rng.random() < NEAR:
        top = max(field.start + 1, field.goal - int(rng.integers(1, 31)))
    below = [int(rng.exponential(spread)) for _ in range(seats)]
    if rng.random() < AHEAD:
        # Some are far ahead of all others.
        lead = int(rng.exponential(rng.choice([20, 60])))
        below = [less + lead for less in below]
        for seat in rng.permutation(seats)[: rng.integers(1, MOST_AHEAD + 1)]:
            below[seat] = int(rng.exponential(8))
        below[seat] = 0
    scores = np.array([max(field.start, top - less) for less in below], dtype=np.int64)
    seat = int(rng.integers(seats))
    last = seat > 0 and not field.rules.rules[3] and rng.random() < LAST
    if last:
        best = int(scores.max()) + int(rng.exponential(rng.choice([5, 15, 40])))
        if rng.random() < 0.3:
            # Somebody's Plus/Minus Tutto has taken 1000 points away again.
            best = max(best - int(tutto_field.THOUSAND), field.start)
        scores[int(rng.integers(seat))] = best
    return scores, seat, last


class _Fit:
    """A network while it is fitted."""

    def __init__(self, inputs: int, rng: Any, known: Mapping[str, Any] | None) -> None:
        wide = inputs + 3 * UNITS
        self.inputs = inputs
        self.weights = {
            "W1": rng.normal(0, inputs**-0.5, (inputs, UNITS)),
            "b1": np.zeros(UNITS),
            "W2": rng.normal(0, wide**-0.5, (wide, UNITS)),
            "b2": np.zeros(UNITS),
            "w3": rng.normal(0, 0.05, UNITS),
        }
        if known:
            self.weights = {name: np.array(known[name]) for name in self.weights}
        self.weights = {name: value.astype(np.float32) for name, value in self.weights.items()}
        self.average = {name: value.copy() for name, value in self.weights.items()}
        self._first = {name: np.zeros_like(value) for name, value in self.weights.items()}
        self._second = {name: np.zeros_like(value) for name, value in self.weights.items()}
        self._steps = 0

    def chances(self, seen: Any, base: Any, floor: float) -> tuple[Any, Any, Any, Any]:
        """Return the first units, what the second layer sees, its units, and the corrected chances."""
        one = self.weights
        units = np.tanh(seen @ one["W1"] + one["b1"])
        mean, weighted = units.mean(axis=1), (base[:, :, None] * units).sum(axis=1)
        spread = [np.broadcast_to(part[:, None], units.shape) for part in (mean, weighted)]
        joined = np.concatenate([seen, units, *spread], axis=-1)
        hidden = np.tanh(joined @ one["W2"] + one["b2"])
        raw = np.maximum(base, floor) * np.exp(hidden @ one["w3"])
        return units, joined, hidden, raw / raw.sum(axis=1, keepdims=True)

    def step(self, seen: Any, base: Any, floor: float, wanted: Any, rate: float) -> None:
        """Make one step of Adam towards the wanted chances."""
        one, rows, seats = self.weights, len(seen), seen.shape[1]
        units, joined, hidden, chance = self.chances(seen, base, floor)
        slope = 2 * (chance - wanted) / rows
        slope = chance * (slope - (slope * chance).sum(axis=1, keepdims=True))
        inner = slope[:, :, None] * one["w3"] * (1 - hidden * hidden)
        flat = inner.reshape(-1, UNITS)
        back = (flat @ one["W2"].T).reshape(rows, seats, -1)[:, :, self.inputs :]
        into = back[:, :, :UNITS] + back[:, :, UNITS : 2 * UNITS].sum(axis=1)[:, None] / seats
        into = into + base[:, :, None] * back[:, :, 2 * UNITS :].sum(axis=1)[:, None]
        into = (into * (1 - units * units)).reshape(-1, UNITS)
        self._move(
            {
                "W1": seen.reshape(-1, self.inputs).T @ into,
                "b1": into.sum(axis=0),
                "W2": joined.reshape(-1, joined.shape[-1]).T @ flat,
                "b2": flat.sum(axis=0),
                "w3": np.einsum("bnh,bn->h", hidden, slope),
            },
            rate,
        )

    def _move(self, slopes: Mapping[str, Any], rate: float) -> None:
        self._steps += 1
        for name, slope in slopes.items():
            first, second = self._first[name], self._second[name]
            first += 0.1 * (slope - first)
            second += 0.001 * (slope * slope - second)
            scale = np.sqrt(second / (1 - 0.999**self._steps)) + 1e-9
            self.weights[name] -= rate * first / (1 - 0.9**self._steps) / scale
            self.average[name] += 0.002 * (self.weights[name] - self.average[name])


def fit(
    played: Sequence[Played], last: bool, seconds: float, begin: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Fit one network for that many seconds, beginning with these weights if any; return its weights."""
    floor = learned.FLOORS[last]
    rng = np.random.default_rng(0)
    found = _Fit(tutto_field.INPUTS, rng, begin)
    rows: dict[int, list[tuple[Any, Any, Any]]] = defaultdict(list)
    for one in played:
        seen, base, wanted = (part[one.last == last] for part in (one.seen, one.base, one.outcomes))
        if begin and one.target == LONG:
            wanted = (1 - TRUST) * wanted + TRUST * found.chances(seen, base, floor)[-1]
        rows[base.shape[1]].append((seen, base, wanted))
    examples = []
    for each in rows.values():
        seen, base, wanted = (np.concatenate(part) for part in zip(*each, strict=True))
        # Where somebody is far ahead all errors add up to one chance, so those positions come up more often.
        clear = np.flatnonzero(base.max(axis=1) > CLEAR)
        order = np.concatenate([np.arange(len(base)), np.tile(clear, TIMES - 1)])
        examples.append((seen, base, wanted, order))
    begun, steps = perf_counter(), 0
    with tqdm(desc="last round" if last else "rounds", unit=" steps") as bar:
        while (share := (perf_counter() - begun) / seconds) < 1.0:
            seen, base, wanted, order = examples[steps % len(examples)]
            chosen = order[rng.integers(0, len(order), EXAMPLES // seen.shape[1])]
            rate = (0.002 if begin else 0.004) * max(0.005, 1 - share) ** 1.5 * min(1.0, (steps + 1) / 200)
            found.step(seen[chosen], base[chosen], floor, wanted[chosen], rate)
            steps += 1
            bar.update()
    # Rounded in single precision, the weights would be written with 16 digits.
    return {name: value.astype(float).round(6).tolist() for name, value in found.average.items()}


if __name__ == "__main__":
    sys.exit(main())
