"""Compare the chances shown for several players with games that grandmasters play on.

    python -m benchmarks.tutto_field play [--edition classic] [--players 3 4] [--error 0.0012] --out FILE
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
    parser.add_argument("--edition", choices=list(Edition), default=Edition.CURRENT, type=Edition)
    parser.add_argument("--players", nargs="+", type=int, default=[3, 4, 6, 10])
    parser.add_argument("--positions", type=int, default=200, help="for each number of players")
    parser.add_argument("--error", type=float, default=0.0012, help="largest standard error")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    if given.what == "play":
        found = play(given.edition, given.players, given.positions, given.error)
        given.out.write_text("".join(json.dumps(one) + "\n" for one in found))
    else:
        lines = [line for file in given.files for line in file.read_text().splitlines()]
        compare([json.loads(line) for line in lines])


def play(edition: Edition, players: Sequence[int], positions: int, error: float) -> list[dict[str, Any]]:
    """Return positions of each number of players with the chance of each seat, found by playing on."""
    from tools import tutto_field

    field = tutto_field.Field(edition, 6000)
    return [
        {"edition": edition.value, **field.sample(number, seed, error)}
        for number in players
        for seed in tqdm(range(positions), desc=f"{number} players")
    ]


def compare(found: Sequence[dict[str, Any]]) -> None:
    print("| edition | players | positions | mean difference | largest | above 0.01 | standard error up to |")
    print("|--|--|--|--|--|--|--|")
    kinds: defaultdict[tuple[str, int], list[dict[str, Any]]] = defaultdict(list)
    for one in found:
        kinds[one["edition"], len(one["scores"])].append(one)
    for (edition, players), each in sorted(kinds.items()):
        differences = [difference(one) for one in each]
        print(
            f"| {edition} | {players} | {len(each)} | {mean(differences):.4f} | {max(differences):.4f} "
            f"| {sum(one > WANTED for one in differences)} | {max(one['error'] for one in each):.4f} |"
        )


def difference(one: dict[str, Any]) -> float:
    """Return the largest difference of any seat's chance."""
    options = Options(Edition(one["edition"]))
    state = State(options, tuple(one["scores"]), seat=one["seat"], last_round=one["last"])
    shown, _ = chances(state)
    return float(max(abs(chance - won) for chance, won in zip(shown, one["won"], strict=True)))


if __name__ == "__main__":
    main()
