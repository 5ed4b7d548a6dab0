"""``python -m tools.learn_tutto``: fit the networks that correct the chances of several players.

Needs numpy and numba (the extra ``solver``). Grandmasters play on from random positions with 3 to 10 players;
from what became of them the networks of :mod:`bot.strategy.tutto.learned` are fitted, one for normal rounds
and one for the last round; ``classic`` has none, and begins with the network of ``current`` for the others.
The same seeds give the same games, but how many fit into the time differs.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

from tqdm import tqdm

from bot.games.tutto.state import Edition
from bot.strategy.tutto import learned, tables
from tools import tutto_field

np: Any = import_module("numpy")

TARGET = 6000
PLAYERS = range(3, 11)
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
    field = tutto_field.Field(edition, TARGET)
    played = {seats: play(field, seats, given.play) for seats in tqdm(PLAYERS, desc="play")}
    if edition is Edition.CLASSIC:
        known = (tables.DIRECTORY / learned.file_of(Edition.CURRENT)).read_text("utf-8")
        networks = [fit(field, played, False, given.learn, json.loads(known)["networks"][0])]
    else:
        networks = [fit(field, played, last, given.learn) for last in (False, True)]
    text = json.dumps({"sha256": learned.checksum(networks), "networks": networks})
    (given.out / learned.file_of(edition)).write_text(text + "\n", "utf-8")
    return 0


def play(field: tutto_field.Field, seats: int, seconds: float) -> tuple[Any, Any]:
    """Play on from random positions; return positions and what became of them."""
    rng = np.random.default_rng(seats)
    until = perf_counter() + seconds
    positions, outcomes = [], []
    while perf_counter() < until:
        scores, seat, last, games = np.full(seats, field.start, dtype=np.int64), 0, False, 1
        if rng.random() < 0.7:
            # Most games are begun in the middle, with scores near each other or far apart.
            top, spread = int(rng.integers(field.start + 1, field.goal)), rng.choice([4, 15, 40, 80])
            below = [int(rng.exponential(spread)) for _ in range(seats)]
            scores = np.array([max(field.start, top - less) for less in below], dtype=np.int64)
            seat, games = int(rng.integers(seats)), 2
            if seat > 0 and not field.rules.rules[3] and rng.random() < 0.4:
                last, games = True, 4
                best = field.goal + int(rng.exponential(rng.choice([5, 15])))
                if rng.random() < 0.3:
                    # Somebody's Plus/Minus Tutto has taken 1000 points away again.
                    best -= int(tutto_field.THOUSAND)
                scores[int(rng.integers(seat))] = max(best, int(scores.max()))
        _, _, kept, told = field.on(scores, seat, last, games, int(rng.integers(1 << 30)), 4000)
        positions.append(kept)
        outcomes.append(told)
    return np.concatenate(positions), np.concatenate(outcomes)


def features(positions: Any, base: Any, crowd: Any, goal: int, floor: float) -> Any:
    """Return what :func:`bot.strategy.tutto.learned.features` does, for many positions at once."""
    seen = np.empty((*base.shape, tutto_field.INPUTS), dtype=np.float32)
    for row, chances, more, out in zip(positions, base, crowd, seen, strict=True):
        tutto_field.see(row[2:], row[0], goal, floor, chances, more, out)
    return seen


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

    def step(self, seen: Any, base: Any, floor: float, wanted: Any, rate: float) -> None:
        """Make one step of Adam towards the wanted chances."""
        one, rows, seats = self.weights, len(seen), seen.shape[1]
        units = np.tanh(seen @ one["W1"] + one["b1"])
        mean, weighted = units.mean(axis=1), (base[:, :, None] * units).sum(axis=1)
        spread = [np.broadcast_to(part[:, None], units.shape) for part in (mean, weighted)]
        joined = np.concatenate([seen, units, *spread], axis=-1)
        hidden = np.tanh(joined @ one["W2"] + one["b2"])
        raw = np.maximum(base, floor) * np.exp(hidden @ one["w3"])
        chance = raw / raw.sum(axis=1, keepdims=True)
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
    field: tutto_field.Field,
    played: Mapping[int, tuple[Any, Any]],
    last: bool,
    seconds: float,
    known: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Fit one network for that many seconds, beginning with ``known`` weights if any; return its weights."""
    floor = learned.FLOORS[last]
    rng = np.random.default_rng(0)
    examples = []
    for positions, outcomes in played.values():
        chosen = positions[:, 1] == last
        if not chosen.any():
            continue
        base, crowd = field.values(positions[chosen])
        seen = features(positions[chosen], base, crowd, field.goal, floor)
        # Where somebody is far ahead all errors add up to one chance, so those positions come up more often.
        clear = np.flatnonzero(base.max(axis=1) > CLEAR)
        order = np.concatenate([np.arange(len(base)), np.tile(clear, TIMES - 1)])
        examples.append((seen, base.astype(np.float32), outcomes[chosen].astype(np.float32), order))
    found = _Fit(examples[0][0].shape[-1], rng, known)
    begun, steps = perf_counter(), 0
    with tqdm(desc="last round" if last else "rounds", unit=" steps") as bar:
        while (share := (perf_counter() - begun) / seconds) < 1.0:
            seen, base, wanted, order = examples[steps % len(examples)]
            chosen = order[rng.integers(0, len(order), EXAMPLES // seen.shape[1])]
            rate = 0.004 * max(0.005, 1 - share) ** 1.5 * min(1.0, (steps + 1) / 200)
            found.step(seen[chosen], base[chosen], floor, wanted[chosen], rate)
            steps += 1
            bar.update()
    # Rounded in single precision, the weights would be written with 16 digits.
    return {name: value.astype(float).round(6).tolist() for name, value in found.average.items()}


if __name__ == "__main__":
    sys.exit(main())
