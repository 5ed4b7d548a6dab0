"""Fit the numbers by which Gambler's expert guesses who will complete an unfinished row.

Experts play each other at tables of 2 to 6. After every turn each open row is noted, and in the end who
completed it. The numbers of bot/strategy/gambler/outlook.py are then moved, one at a time, to where what came
about was most likely. Each round of this begins from the numbers that the experts played by.

    python -m benchmarks.gambler_outlook --games 100 --seed 1
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from math import log
from random import Random

from bot.cli.simulation import derive
from bot.games.core import OVER, play, settle
from bot.games.gambler import Gambler
from bot.games.gambler.boards import Row
from bot.games.gambler.state import Phase, RoundEnded, RowCompleted, TurnEnded, board_of
from bot.records.seeds import SeededChance
from bot.strategy.gambler import Expert
from bot.strategy.gambler.outlook import BLACK, YELLOW, Pull, shares

GAME = Gambler()
STEPS = (0.2, 0.1, 0.05)
ROUNDS = 12


@dataclass
class Open:
    """An open row at the end of a turn; ``taker`` is who completed it, counted from the seat that is next."""

    row: Row
    placed: tuple[int, ...]
    dice: tuple[int, ...]
    taker: int


def watch(seats: int, seed: bytes) -> Iterator[Open]:
    """One game; every open row after every turn."""
    chance, expert, rng = SeededChance(seed), Expert(), Random(seed)
    state = settle(GAME, GAME.initial(GAME.options({}), seats), chance).state
    waiting: list[tuple[int, tuple[int, ...], tuple[int, ...], int]] = []
    takers: dict[int, list[tuple[int, int]]] = {}
    turns = 0
    while GAME.to_move(state) != OVER:
        rows = board_of(state).rows
        played = play(GAME, state, expert.choose(state, rng), chance)
        for event in played.events:
            if isinstance(event, RowCompleted):
                takers.setdefault(event.row, []).append((turns, event.seat))
            if isinstance(event, TurnEnded):
                turns += 1
            if isinstance(event, RoundEnded):
                for row, placed, dice, first in waiting:
                    ((_, taker),) = takers[row]
                    yield Open(rows[row], placed, dice, (taker - first) % seats)
                waiting, takers = [], {}
        ended = any(isinstance(event, TurnEnded) for event in played.events)
        state = played.state
        if ended and state.phase is Phase.START and any(state.rows):
            dice = tuple(state.dice[(state.seat + turn) % seats] for turn in range(seats))
            waiting += [
                (number, placed, dice, state.seat)
                for number, (row, placed) in enumerate(zip(board_of(state).rows, state.rows, strict=True))
                if len(placed) < len(row.boxes)
            ]


def surprise(notes: Sequence[Open], pull: Pull) -> float:
    """The mean of -log of the probability that was given to what came about."""
    total = 0.0
    for note in notes:
        given = shares(note.row, note.placed, note.dice, yellow=pull, black=pull)[note.taker]
        total -= log(max(given, 1e-4))
    return total / len(notes)


def fit(notes: Sequence[Open], pull: Pull) -> tuple[Pull, float]:
    best = surprise(notes, pull)
    steps = list(STEPS)
    for _ in range(ROUNDS):
        for index in range(len(steps)):
            for sign in (1, -1):
                numbers = list(astuple(pull))
                numbers[index] = max(0.0, numbers[index] + sign * steps[index])
                found = surprise(notes, Pull(*numbers))
                if found < best:
                    best, pull = found, Pull(*numbers)
                    break
            else:
                steps[index] /= 2
    return pull, best


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=100, help="for each number of seats")
    parser.add_argument("--seed", default="1")
    asked = parser.parse_args()
    notes = [
        note
        for seats in range(GAME.min_seats, GAME.max_seats + 1)
        for number in range(asked.games)
        for note in watch(seats, derive(asked.seed, b"outlook", seats, number))
    ]
    print("| rows | noted | surprise before | after | close | far | growth |")
    print("|--|--|--|--|--|--|--|")
    for name, now in (("yellow", YELLOW), ("black", BLACK)):
        these = [note for note in notes if note.row.black == (name == "black")]
        pull, after = fit(these, now)
        numbers = " | ".join(f"{number:.2f}" for number in astuple(pull))
        print(f"| {name} | {len(these)} | {surprise(these, now):.4f} | {after:.4f} | {numbers} |")


if __name__ == "__main__":
    main()
