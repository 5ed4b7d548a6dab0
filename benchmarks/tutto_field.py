"""Compare the chances shown for several players with games that grandmasters play on.

    python -m benchmarks.tutto_field play --players 3 4 6 10 [--positions 200] [--error 0.0012] --out FILE
    python -m benchmarks.tutto_field compare FILE...

``play`` (needs numpy and numba, some seconds a position) takes random turns of games among grandmasters, ends
included, and plays each on until the standard error of every seat's chance is small. Cards are drawn as from
a fresh deck, and luck is taken off each result by the chances from pairs (:mod:`tools.tutto_field`).
``compare`` prints how far the shown chances are from that. Results are kept in benchmarks/tutto_field.md.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from tqdm import tqdm

from bot.games.tutto.state import Edition, Options, State
from bot.strategy.tutto.winning import chances

WANTED = 0.01


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare shown chances with games played on.")
    parser.add_argument("what", choices=["play", "compare"])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--players", nargs="+", type=int, default=[3, 4, 6, 10])
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--error", type=float, default=0.0012, help="largest standard error")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    if given.what == "play":
        found = [one for players in given.players for one in play(players, given.positions, given.error)]
        given.out.write_text("".join(json.dumps(one) + "\n" for one in found))
    else:
        lines = [line for file in given.files for line in file.read_text().splitlines()]
        compare([json.loads(line) for line in lines])


def play(players: int, positions: int, error: float) -> list[dict[str, Any]]:
    """Return positions with the chance of each seat, found by playing on."""
    from tools import tutto_field

    field = tutto_field.Field(Edition.CURRENT, 6000)
    return [field.sample(players, seed, error) for seed in tqdm(range(positions), desc=f"{players} players")]


def compare(found: Sequence[dict[str, Any]]) -> None:
    print("| players | positions | mean difference | largest | above 0.01 | standard error up to |")
    print("|--|--|--|--|--|--|")
    by_players: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for one in found:
        by_players[len(one["scores"])].append(one)
    for players, each in sorted(by_players.items()):
        differences = [difference(one) for one in each]
        print(
            f"| {players} | {len(each)} | {mean(differences):.4f} | {max(differences):.4f} "
            f"| {sum(one > WANTED for one in differences)} | {max(one['error'] for one in each):.4f} |"
        )


def difference(one: dict[str, Any]) -> float:
    """Return the largest difference of any seat's chance."""
    state = State(Options(), tuple(one["scores"]), seat=one["seat"], last_round=one["last"])
    shown, _ = chances(state)
    return float(max(abs(chance - won) for chance, won in zip(shown, one["won"], strict=True)))


if __name__ == "__main__":
    main()
