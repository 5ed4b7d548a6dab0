"""Hold the table against games played by the real rules.

    python -m benchmarks.tutto_table [--games 4000]

Two grandmasters play on from given scores: once with every card drawn as if from a fresh deck, which is the
model of the table, and once from the real pile, which the table leaves out. 95% intervals (Wilson's).
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tqdm import tqdm

from bot.cli.simulation import wilson
from bot.games.core import play
from bot.games.tutto import Tutto
from bot.games.tutto.cards import FULL_DECK
from bot.games.tutto.state import Options, Phase, State
from bot.strategy.tutto import Grandmaster
from bot.strategy.tutto.winning import chances, remember

RULES = Tutto()
STARTS = [
    ((0, 0), 0),
    ((3000, 4000), 1),
    ((4500, 5500), 0),
    ((5700, 5000), 1),
    ((2000, 2000), 0),
    ((0, 3000), 1),
]


class Luck:
    """Chance outcomes from a random generator."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def draw(self, outcomes: Sequence[tuple[Any, int]]) -> Any:
        moves, weights = zip(*outcomes, strict=True)
        return self._rng.choices(moves, weights)[0]


def main() -> None:
    parser = argparse.ArgumentParser(description="Hold the table against games played by the rules.")
    parser.add_argument("--games", type=int, default=4000, help="per start and deck; default: %(default)s")
    games = parser.parse_args().games
    remember(20_000)
    print("| scores | to move | table | fresh decks | interval | real pile | interval |")
    print("|--|--|--|--|--|--|--|")
    for scores, seat in STARTS:
        start = State(Options(), scores, seat=seat)
        cells = []
        for fresh in (True, False):
            rng = random.Random(f"{scores} {seat} {fresh}")
            bar = tqdm(range(games), desc=f"{scores} {'fresh' if fresh else 'real'}", unit=" games")
            share = sum(_won(start, fresh, rng) for _ in bar) / games
            low, high = wilson(share, games)
            cells.append(f"{share:.4f} | {low:.4f}-{high:.4f}")
        print(
            f"| {scores[0]} : {scores[1]} | {seat} | {chances(start)[0][seat]:.4f} | {' | '.join(cells)} |",
            flush=True,
        )


def _won(start: State, fresh: bool, rng: random.Random) -> float:
    player, chance, state = Grandmaster(), Luck(rng), start
    while state.phase is not Phase.OVER:
        if fresh:
            # A card is drawn only after a decision, so the pile may be made whole before each.
            state = replace(state, deck=FULL_DECK)
        state = play(RULES, state, player.choose(state, rng), chance).state
    return (start.seat in state.winners) / len(state.winners)


if __name__ == "__main__":
    main()
