"""Compare the chances shown for several players with games that grandmasters play on.

    python -m benchmarks.tutto_field play [--edition classic] [--target 3000] [--players 3 4] --out FILE
    python -m benchmarks.tutto_field again FILE --above 0.007 --controls 24 --error 0.0006 --out FILE
    python -m benchmarks.tutto_field compare FILE...

``play`` (needs numpy and numba, up to some seconds a position) takes random turns of games among
grandmasters, ends included, and plays each on until the standard error of every seat's chance is small; where
the shown chances may be beyond the limit, until it is half of that. Cards are drawn as from a fresh deck,
and luck is taken off each result by the shown chances (:mod:`tools.tutto_field`). ``compare`` prints how far
the shown chances are from that. Results are kept in benchmarks/tutto_field.md.

The positions that are off the most are those where the games happened to be off, too. ``again`` plays all
that are further off than ``--above`` on once more, and some of the others, drawn at random, as controls. What
comes out replaces what was played before, which had a part in choosing them.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any

from tqdm import tqdm

from bot.games.tutto.state import Edition, Options, State
from bot.strategy.tutto.winning import chances

WANTED = 0.01


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare shown chances with games played on.")
    parser.add_argument("what", choices=["play", "again", "compare"])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--edition", choices=list(Edition), default=Edition.CURRENT, type=Edition)
    parser.add_argument("--target", default=Options().target, type=int)
    parser.add_argument("--players", nargs="+", type=int, default=[3, 4, 6, 10])
    parser.add_argument("--positions", type=int, default=200, help="for each number of players")
    parser.add_argument("--first", type=int, default=0, help="number of the first position")
    parser.add_argument("--error", type=float, default=0.0012, help="largest standard error")
    parser.add_argument("--above", type=float, default=0.007, help="play again what is further off than this")
    parser.add_argument("--controls", type=int, default=24, help="how many of the others to play again")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    lines = [json.loads(line) for file in given.files for line in file.read_text().splitlines()]
    if given.what == "play":
        numbers = range(given.first, given.first + given.positions)
        found = play(given.edition, given.target, given.players, numbers, given.error)
    elif given.what == "again":
        found = again(lines, chosen(lines, given.above, given.controls), given.error)
    else:
        compare(lines)
        return
    given.out.write_text("".join(json.dumps(one) + "\n" for one in found))


def play(
    edition: Edition, target: int, players: Sequence[int], numbers: Sequence[int], error: float
) -> list[dict[str, Any]]:
    """Return positions of each number of players with the chance of each seat, found by playing on."""
    from tools import tutto_field

    field = tutto_field.Field(edition, target)
    found = []
    for seats in players:
        for number in tqdm(numbers, desc=f"{seats} players"):
            one = field.sample(seats, number, error)
            if difference(one) + 2 * one["error"] > WANTED:
                one = field.sample(seats, number, error / 2)
            found.append(one)
    return found


def chosen(found: Sequence[dict[str, Any]], above: float, controls: int) -> dict[int, str]:
    """Return the numbers of the positions to play again, with the reason for each."""
    far = [number for number, one in enumerate(found) if difference(one) > above]
    others = sorted(set(range(len(found))) - set(far))
    drawn = Random(0).sample(others, min(controls, len(others)))
    return dict.fromkeys(far, "far") | dict.fromkeys(sorted(drawn), "control")


def again(found: Sequence[dict[str, Any]], numbers: Mapping[int, str], error: float) -> list[dict[str, Any]]:
    """Return all positions, those with these numbers played on again; print what that changes."""
    from tools import tutto_field

    field = cache(tutto_field.Field)
    every = list(found)
    for number in tqdm(numbers):
        one = found[number]
        every[number] = field(Edition(one["edition"]), one["target"]).again(one, number, error)
    names = ("edition", "target", "scores", "seat", "why", "before", "error", "again", "error")
    print("| " + " | ".join(names) + " |\n" + "|--" * len(names) + "|")
    for number, why in numbers.items():
        before, after = found[number], every[number]
        scores = " ".join(map(str, after["scores"]))
        each = [f"{difference(one):.4f} | {one['error']:.4f}" for one in (before, after)]
        words = (after["edition"], after["target"], scores, after["seat"], why, *each)
        print("| " + " | ".join(map(str, words)) + " |")
    return every


def compare(found: Sequence[dict[str, Any]]) -> None:
    names = ("edition", "target", "players", "positions", "mean difference", "largest", "above 0.01")
    print("| " + " | ".join((*names, "standard error up to")) + " |\n" + "|--" * 8 + "|")
    kinds: defaultdict[tuple[str, int, int], list[dict[str, Any]]] = defaultdict(list)
    for one in found:
        kinds[one["edition"], one["target"], len(one["scores"])].append(one)
    for (edition, target, players), each in sorted(kinds.items()):
        differences = [difference(one) for one in each]
        far, error = sum(one > WANTED for one in differences), max(one["error"] for one in each)
        numbers = f"{mean(differences):.4f} | {max(differences):.4f} | {far} | {error:.4f}"
        print(f"| {edition} | {target} | {players} | {len(each)} | {numbers} |")


def difference(one: dict[str, Any]) -> float:
    """Return the largest difference of any seat's chance."""
    options = Options(Edition(one["edition"]), one["target"])
    state = State(options, tuple(one["scores"]), seat=one["seat"], last_round=one["last"])
    shown, _ = chances(state)
    return float(max(abs(chance - won) for chance, won in zip(shown, one["won"], strict=True)))


if __name__ == "__main__":
    main()
