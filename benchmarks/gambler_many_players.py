"""Measure how often Gambler's grandmaster wins among experts, at tables of three to six, and how long it
thinks.

    python -m benchmarks.gambler_many_players --games 10000
    python -m benchmarks.gambler_many_players --decisions 2000

The first one needs numpy and numba (the extra ``solver``). One grandmaster sits among experts, in every seat
in turn; stars are independent and the target is 500. A shared win counts as a part of one. With ``--level
expert`` the same is measured of an expert, whose share is equal by definition: a check of the method. With
``--keep FILE`` every game is written to a file at once, and those that it has already are not played again,
so that a long run may be stopped and go on. Each game has a seed of its own: however often the run is
stopped, the games are the same. Begin a new file after a change of the players.

The second one measures processor time, of both levels and of the odds shown for the same positions of
grandmasters' games, and only of decisions with more than one legal action.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from math import sqrt
from pathlib import Path
from random import Random
from statistics import fmean, median, pstdev
from time import process_time
from typing import Any

from bot.games.core import OVER, play, settle
from bot.games.gambler import Gambler
from bot.games.gambler.state import State
from bot.records.seeds import SeededChance
from bot.screens.gambler.advice import GamblerAdvice
from bot.strategy.gambler import Expert, Grandmaster, completion

GAME = Gambler()
SEATS = (3, 4, 5, 6)
SEEDS = 1_000_000
"""How many games can have the same ``--seed``; each has one of these seeds of its own."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=10_000, help="default: %(default)s")
    parser.add_argument("--seats", type=int, choices=SEATS, action="append", help="only tables of so many")
    parser.add_argument("--level", choices=("grandmaster", "expert"), default="grandmaster")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="a file to go on from, with a line for each game")
    parser.add_argument("--decisions", type=int, help="measure so many decisions instead of games")
    given = parser.parse_args()
    if given.decisions:
        print("| players | level | decisions | mean | median | 90% | 99% | longest |")
        print("|--|--|--|--|--|--|--|--|", flush=True)
    else:
        print(f"| players | equal share | {given.level} | 95% interval | luck included | luck | games |")
        print("|--|--|--|--|--|--|--|", flush=True)
    for seats in given.seats or SEATS:
        if given.decisions:
            print_times(seats, given.decisions, given.seed)
        else:
            print_wins(seats, given.games, given.seed, given.level, given.keep)


def print_wins(seats: int, games: int, seed: int, level: str, keep: Path | None) -> None:
    pairs = measure(seats, games, seed, level, keep)
    mean, error = interval([win - lucky for win, lucky in pairs])
    raw, raw_error = interval([win for win, _ in pairs])
    drawn, drawn_error = interval([lucky for _, lucky in pairs])
    print(
        f"| {seats} | {1 / seats:.1%} | {mean:.1%} | ± {error:.2%} | {raw:.1%} ± {raw_error:.1%} "
        f"| {drawn:.1%} ± {drawn_error:.1%} | {games} |",
        flush=True,
    )


def measure(seats: int, number: int, seed: int, level: str, keep: Path | None) -> list[tuple[float, float]]:
    """Return what one player won in each game, and the luck it had."""
    names = [f"{seats} {level} {seed * SEEDS + game}" for game in range(number)]
    found: dict[str, tuple[float, float]] = {}
    if keep and keep.exists():
        for line in keep.read_text().splitlines():
            name, won, luck = line.rsplit(" ", 2)
            found[name] = float(won), float(luck)
    left = [game for game in range(number) if names[game] not in found]
    with keep.open("a") if keep else nullcontext() as file:
        for game, pair in zip(left, played(seats, left, seed, grand=level == "grandmaster"), strict=True):
            found[names[game]] = pair
            if file:
                print(names[game], *pair, file=file, flush=True)
    return [found[name] for name in names]


def played(seats: int, numbers: Sequence[int], seed: int, *, grand: bool) -> Iterator[tuple[float, float]]:
    """Play the games with these numbers."""
    from tools import gambler_games as games

    boards, rolls, room = games.boards(), games.all_rolls(), games.space()
    expert, learned = games.no_net(seats), games.net(completion.networks()[seats], seats)
    nothing = games.np.zeros((0, games.COLUMNS), games.np.int64)
    for game in numbers:
        games.set_seed(seed * SEEDS + game)
        won, luck, _ = games.play(boards, rolls, expert, learned, seats, game % seats, grand, room, nothing)
        yield won, luck


def print_times(seats: int, decisions: int, seed: int) -> None:
    asked: dict[str, Callable[[State], Any]] = {
        "expert": partial(Expert().choose, rng=Random(1)),
        "grandmaster": partial(Grandmaster().choose, rng=Random(1)),
        "odds shown": GamblerAdvice().odds,
    }
    taken: dict[str, list[float]] = {level: [] for level in asked}
    game = 0
    while len(taken["expert"]) < decisions:
        chance = SeededChance(bytes([seed, game]) * 16)
        position = settle(GAME, GAME.initial(GAME.options({}), seats), chance)
        while GAME.to_move(position.state) != OVER:
            state = position.state
            action, *others = GAME.legal(state)
            if others:
                for level, ask in asked.items():
                    begun = process_time()
                    answer = ask(state)
                    taken[level].append(1000 * (process_time() - begun))
                    if level == "grandmaster":
                        action = answer
            position = play(GAME, state, action, chance)
        game += 1
    for level, times in taken.items():
        ranked = sorted(times)
        most, nearly_all = (ranked[len(ranked) * part // 100] for part in (90, 99))
        print(
            f"| {seats} | {level} | {len(ranked)} | {fmean(ranked):.1f} | {median(ranked):.1f} "
            f"| {most:.1f} | {nearly_all:.1f} | {ranked[-1]:.1f} |",
            flush=True,
        )


def interval(sample: list[float]) -> tuple[float, float]:
    """Return the mean, and half of its 95% interval."""
    return fmean(sample), 1.96 * pstdev(sample) / sqrt(len(sample))


if __name__ == "__main__":
    main()
