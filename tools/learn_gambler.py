"""``python -m tools.learn_gambler``: learn from experts' games who completes a row among three to six
seats."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bot.strategy.gambler import completion
from bot.strategy.gambler.tables import DIRECTORY
from tools import gambler_games as games

np = games.np

SEATS = (3, 4, 5, 6)
UNITS = 16
EPOCHS, BATCH, RATE = 20, 4096, 0.01


def main(arguments: Sequence[str] | None = None) -> int:
    """Play, learn and write; the exit code."""
    parser = argparse.ArgumentParser(
        prog=completion.COMMAND,
        description="Learn who completes a row of Gambler among three to six seats. Takes some minutes, and "
        "needs numba and numpy: pip install numba numpy",
    )
    parser.add_argument(
        "--records", type=int, default=250_000, help="for each number of seats; default: %(default)s"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=DIRECTORY, help="a folder; default: the shipped one")
    given = parser.parse_args(arguments)
    found, losses = {}, {}
    for seats in SEATS:
        found[seats], before, after = learn(seats, given.records, given.seed)
        losses[str(seats)] = [round(before, 4), round(after, 4)]
        print(f"{seats} seats: mean logarithmic loss {before:.4f} before, {after:.4f} after", file=sys.stderr)
    completion.write(given.out, found, {"records": given.records, "seed": given.seed, "losses": losses})
    return 0


def learn(seats: int, records: int, seed: int) -> tuple[dict[str, Any], float, float]:
    """Return the weights, and the mean logarithmic losses of a tenth of the records without and with them."""
    own, row, estimate, winner = games.examples(seats, records, seed)
    held = len(own) // 10
    random = np.random.default_rng(seed)
    weights = [
        random.normal(size=(completion.OWN, UNITS)) / 3,
        np.zeros((seats, UNITS)),
        random.normal(size=(completion.COMMON, UNITS)) / 3,
        np.zeros(UNITS),
        np.zeros(UNITS),
        np.zeros(completion.OWN),
    ]
    weights[5][0] = 3.0  # the logarithm of the estimate, which the feature has a third of
    means, squares = [np.zeros_like(one) for one in weights], [np.zeros_like(one) for one in weights]
    steps, step = EPOCHS * ((len(own) - held) // BATCH), 0

    def chances(at: Any) -> tuple[Any, Any]:
        units = np.tanh(own[at] @ weights[0] + weights[1] + (row[at] @ weights[2] + weights[3])[:, None])
        logits = units @ weights[4] + own[at] @ weights[5]
        odds = np.exp(logits - logits.max(1, keepdims=True))
        return units, odds / odds.sum(1, keepdims=True)

    for _ in range(EPOCHS):
        order = held + random.permutation(len(own) - held)
        for first in range(0, len(order) - BATCH + 1, BATCH):
            at = order[first : first + BATCH]
            units, chance = chances(at)
            wrong = chance
            wrong[np.arange(BATCH), winner[at]] -= 1
            wrong /= BATCH
            inner = wrong[:, :, None] * weights[4] * (1 - units * units)
            slopes = [
                own[at].reshape(-1, completion.OWN).T @ inner.reshape(-1, UNITS),
                inner.sum(0),
                row[at].T @ inner.sum(1),
                inner.sum((0, 1)),
                wrong.reshape(-1) @ units.reshape(-1, UNITS),
                wrong.reshape(-1) @ own[at].reshape(-1, completion.OWN),
            ]
            step += 1
            rate = RATE * (1 + np.cos(np.pi * step / steps)) / 2
            for k, slope in enumerate(slopes):  # Adam
                means[k] = 0.9 * means[k] + 0.1 * slope
                squares[k] = 0.999 * squares[k] + 0.001 * slope * slope
                mean, square = means[k] / (1 - 0.9**step), squares[k] / (1 - 0.999**step)
                weights[k] = weights[k] - rate * mean / (np.sqrt(square) + 1e-8)
    weights = [one.round(4) for one in weights]
    test = np.arange(held)
    before = -np.log(estimate[test, winner[:held]] + 1e-9).mean()
    after = -np.log(chances(test)[1][test, winner[:held]]).mean()
    names = ("own", "turn", "common", "bias", "out", "direct")
    across = ("own", "common")
    return (
        {name: (one.T if name in across else one).tolist() for name, one in zip(names, weights, strict=True)},
        float(before),
        float(after),
    )


if __name__ == "__main__":
    sys.exit(main())
