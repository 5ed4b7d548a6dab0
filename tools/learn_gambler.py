"""Learn from experts' games of Gambler among three to six seats.

``python -m tools.learn_gambler`` learns who completes a row, and writes the networks. With ``--spreads`` it
fits the spreads of :mod:`~bot.strategy.gambler.many_players` to who wins, and prints them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bot.strategy.gambler import completion, many_players
from bot.strategy.gambler.tables import DIRECTORY
from tools import gambler_games as games

np = games.np

SEATS = (3, 4, 5, 6)
UNITS = 16
EPOCHS, BATCH, RATE = 20, 4096, 0.01
STEPS = 30


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
    parser.add_argument(
        "--spreads", action="store_true", help="print spreads instead, by the networks there are"
    )
    given = parser.parse_args(arguments)
    if given.spreads:
        for seats in SEATS:
            shipped = many_players.SPREADS[seats]
            fitted, before, after = fit(seats, shipped, given.records, given.seed)
            numbers = ", ".join(f"{one:.3f}" for one in fitted)
            print(f"{seats}: ({numbers}),  # mean logarithmic loss {after:.4f}, with {shipped} {before:.4f}")
        return 0
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


def fit(seats: int, shipped: many_players.Spread, records: int, seed: int) -> tuple[Any, float, float]:
    """Return a spread, and the mean logarithmic losses of a tenth of the positions with ``shipped`` and with
    it."""
    scores, points, won = games.standings(completion.networks()[seats], seats, records, seed)
    factors = np.stack([np.ones(len(points)), (games.TARGET - scores.max(1)) / 100, points / 100], 1)
    held = len(points) // 10

    def chances(spread: Any, at: slice) -> tuple[Any, Any]:
        scaled = scores[at] * (np.exp(-factors[at] @ spread) / 100)[:, None]
        odds = np.exp(scaled - scaled.max(1, keepdims=True))
        return scaled, odds / odds.sum(1, keepdims=True)

    def loss(spread: Any) -> float:
        return float(-(won[:held] * np.log(chances(spread, slice(held))[1])).sum(1).mean())

    spread, learned = np.zeros(3), slice(held, None)
    for _ in range(STEPS):  # Newton's method, with the expected curvature
        scaled, chance = chances(spread, learned)
        slopes = ((won[learned] - chance) * scaled).sum(1)
        curves = (chance * scaled * scaled).sum(1) - (chance * scaled).sum(1) ** 2
        curvature = factors[learned].T @ (factors[learned] * curves[:, None])
        spread = spread - np.linalg.solve(curvature, factors[learned].T @ slopes)
    return spread, loss(shipped), loss(spread)


if __name__ == "__main__":
    sys.exit(main())
