"""How Gambler's boards play: rounds and turns, wins by seat, points by kind of row, each board by itself.

    python -m benchmarks.gambler_balance --policy casual --games 10000
    python -m benchmarks.gambler_balance --policy expert --games 2000

All seats are played by the same level. benchmarks/gambler_balance.md keeps the results.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from math import sqrt
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.gambler_strength import Kept
from bot.cli.simulation import MAX_MOVES, derive, wilson
from bot.games.core import OVER, play, settle
from bot.games.gambler import Gambler
from bot.games.gambler.boards import BOARDS, Kind
from bot.games.gambler.state import BoardTurned, RowCompleted, TurnEnded
from bot.records.seeds import SeededChance
from bot.strategy.gambler import Beginner, Casual, Expert
from bot.strategy.policy import Policy

GAME = Gambler()
CHUNK = 200
Part = list[dict[str, Any]]
"""Some games, as :func:`game` tells them."""

LEVELS: dict[str, Policy] = {"beginner": Beginner(), "casual": Casual(), "expert": Expert()}


@dataclass
class BoardFigures:
    """``turns`` of each round, and by how much its starter's points exceeded the mean of the others'."""

    turns: list[int] = field(default_factory=list)
    ahead: list[float] = field(default_factory=list)


def game(seats: int, policy: Policy, seed: bytes, rng: Random, stars: str) -> dict[str, Any]:
    """One game: its ``rounds``, each with its board, starter, turns and rows completed."""
    chance = SeededChance(seed)
    played = settle(GAME, GAME.initial(GAME.options({"stars": stars}), seats), chance)
    rounds: list[dict[str, Any]] = []
    for _ in range(MAX_MOVES):
        for event in played.events:
            match event:
                case BoardTurned():
                    rounds.append({"board": event.board, "starter": event.seat, "turns": 0, "rows": []})
                case TurnEnded():
                    rounds[-1]["turns"] += 1
                case RowCompleted():
                    rounds[-1]["rows"].append((event.seat, event.row, event.points))
        if GAME.to_move(played.state) == OVER:
            break
        played = play(GAME, played.state, policy.choose(played.state, rng), chance)
    result = GAME.result(played.state)
    assert result is not None, "a game has not ended"
    return {"winners": result.winners, "best": max(result.scores), "rounds": rounds}


class Figures:
    """What has been seen at tables of one size."""

    def __init__(self, seats: int) -> None:
        self.seats = seats
        self.games = 0
        self.wins = [0.0] * seats
        self.best: list[int] = []
        self.turns: list[int] = []
        self.rounds: list[int] = []
        self.points: Counter[tuple[Kind, bool]] = Counter()
        self.boards: defaultdict[str, BoardFigures] = defaultdict(BoardFigures)

    def add(self, part: Part) -> None:
        for played in part:
            for seat in played["winners"]:
                self.wins[seat] += 1 / len(played["winners"])
            self.games += 1
            self.best.append(played["best"])
            self.turns.append(sum(one["turns"] for one in played["rounds"]))
            self.rounds.append(len(played["rounds"]))
            for one in played["rounds"]:
                gained = [0] * self.seats
                for seat, number, points in one["rows"]:
                    row = BOARDS[one["board"]].rows[number]
                    self.points[row.kind, row.black] += points
                    gained[seat] += points
                own = gained[one["starter"]]
                figures = self.boards[one["board"]]
                figures.turns.append(one["turns"])
                figures.ahead.append(own - (sum(gained) - own) / (self.seats - 1))

    def game_row(self) -> str:
        a_round = [turns for figures in self.boards.values() for turns in figures.turns]
        return (
            f"| {self.seats} | {self.games} | {mean(self.rounds):.1f} ({max(self.rounds)}) "
            f"| {mean(self.turns):.1f} | {at(self.turns, 0.05)} to {at(self.turns, 0.95)} "
            f"| {mean(self.turns) / self.seats:.1f} | {mean(a_round):.1f} | {at(a_round, 0.99)} "
            f"| {max(a_round)} | {mean(self.best):.0f} |"
        )

    def seat_row(self) -> str:
        shares = [won / self.games for won in self.wins]
        low, high = wilson(1 / self.seats, self.games)
        return (
            f"| {self.seats} | {1 / self.seats:.1%} ± {(high - low) / 2:.1%} | "
            + " | ".join(f"{share:.1%}" for share in shares)
            + " |" * (GAME.max_seats - self.seats + 1)
        )

    def kind_row(self) -> str:
        total = sum(self.points.values())
        shares = (self.points[kind, black] / total for black in (False, True) for kind in Kind)
        return f"| {self.seats} | " + " | ".join(f"{share:.1%}" for share in shares) + " |"


def some(seats: int, policy: str, stars: str, games: range, seed: str) -> Part:
    """Play the games with these numbers."""
    part: Part = []
    for number in games:
        rng = Random(derive(seed, b"policy", seats, number))
        part.append(game(seats, LEVELS[policy], derive(seed, b"balance", seats, number), rng, stars))
    return part


def mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)


def error(numbers: Sequence[float]) -> float:
    """Half the width of the 95% interval of the mean."""
    centre = mean(numbers)
    return 1.96 * sqrt(sum((number - centre) ** 2 for number in numbers)) / len(numbers)


def at(numbers: Sequence[int], part: float) -> int:
    return sorted(numbers)[int(part * (len(numbers) - 1))]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--policy", choices=LEVELS, default="casual")
    parser.add_argument("--games", type=int, default=10_000, help="for each number of seats")
    parser.add_argument("--seats", type=int, nargs="+", default=range(GAME.min_seats, GAME.max_seats + 1))
    parser.add_argument("--stars", choices=["independent", "distinct"], default="independent")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--keep", type=Path, help="a file for what is done, to go on from after a break")
    asked = parser.parse_args()
    kept = Kept(asked.keep)
    tables = []
    for seats in asked.seats:
        tables.append(Figures(seats))
        for first in range(0, asked.games, CHUNK):
            games = range(first, min(first + CHUNK, asked.games))
            name = f"{asked.policy} {asked.stars} {seats} {asked.seed} {games.start}-{games.stop}"
            find = partial(some, seats, asked.policy, asked.stars, games, asked.seed)
            tables[-1].add(kept.get(name, find))
    print(f"    python -m benchmarks.gambler_balance --policy {asked.policy} --games {asked.games}\n")
    print("Games and rounds (all of them finished):\n")
    print(
        "| seats | games | rounds (most) | turns a game | 5% to 95% | turns a seat "
        "| turns a round | 99% | longest | winning score |"
    )
    print("|--|--|--|--|--|--|--|--|--|--|")
    for figures in tables:
        print(figures.game_row())
    print("\nShare of wins by seat, beside an equal share and the 95% interval around it:\n")
    print("| seats | equal | " + " | ".join(f"seat {seat}" for seat in range(GAME.max_seats)) + " |")
    print("|--" * (GAME.max_seats + 2) + "|")
    for figures in tables:
        print(figures.seat_row())
    print("\nShare of all points by kind of row:\n")
    print(
        "| seats | "
        + " | ".join(f"{colour} {kind}" for colour in ("yellow", "black") for kind in Kind)
        + " |"
    )
    print("|--" * (2 * len(Kind) + 1) + "|")
    for figures in tables:
        print(figures.kind_row())
    print("\nEach board: turns a round / by how many points who starts it is ahead of the others' mean:\n")
    print("| board | boxes | points | " + " | ".join(f"{figures.seats} seats" for figures in tables) + " |")
    print("|--" * (len(tables) + 3) + "|")
    for board in BOARDS.values():
        cells = (
            f"{mean(seen.turns):.1f} / {mean(seen.ahead):+.0f} ± {error(seen.ahead):.0f}"
            for seen in (figures.boards[board.id] for figures in tables)
        )
        points = sum(row.points for row in board.rows)
        print(f"| {board.id} | {board.boxes} | {points} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
