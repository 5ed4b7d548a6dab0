"""Measure how strong Tutto's levels are, and how it plays against several rivals.

    python -m benchmarks.tutto_strength levels [--games 10000]
    python -m benchmarks.tutto_strength rivals [--games 3000]
    python -m benchmarks.tutto_strength time [--games 12]

``levels`` plays every level against the one below it, two players, both seat orders. ``rivals`` plays one
grandmaster against two and three experts, taking every seat in turn. ``time`` measures the processor time of
grandmasters' decisions with more than one legal action, and of the odds shown for such decisions in games of
experts; the first of each number of players, which may load tables, is left out. The same seeds give the same
games; the intervals are 95% (Wilson's). Results are kept in benchmarks/tutto_strength.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from itertools import pairwise
from random import Random
from time import thread_time
from typing import Any

from tqdm import tqdm

from bot.cli.simulation import derive, play_game, simulate, wilson
from bot.games.tutto import Tutto
from bot.games.tutto.state import Options, State
from bot.registry import GAMES
from bot.screens.tutto.advice import TuttoAdvice
from bot.strategy.policy import Policy
from bot.strategy.tutto import Expert, Grandmaster
from bot.strategy.tutto.position import Position
from bot.strategy.tutto.winning import cache_turns

SEED = "tutto strength"


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure how strong the Tutto levels are.")
    parser.add_argument("what", choices=["levels", "rivals", "time"])
    parser.add_argument(
        "--only", choices=list(GAMES["tutto"].policies)[1:], help="this level against the one below"
    )
    parser.add_argument(
        "--games", type=int, help="a pairing and seat order; default: 10000, rivals 3000, time 12"
    )
    given = parser.parse_args()
    if given.what == "time":
        times(given.games or 12)
        return
    cache_turns(20_000)
    if given.what == "levels":
        levels(given.games or 10_000, given.only)
    else:
        rivals(given.games or 3000)


def levels(games: int, only: str | None) -> None:
    print("| better | weaker | better begins | better is second | both orders | interval |")
    print("|--|--|--|--|--|--|")
    for weaker, better in pairwise(GAMES["tutto"].policies):
        if only not in (None, better):
            continue
        wins, shares = 0.0, []
        for names in ([better, weaker], [weaker, better]):
            with tqdm(total=games, desc=" - ".join(names), unit=" games") as bar:
                report = simulate("tutto", {}, names, games, SEED, progress=bar.update)
            seat = report.seats[names.index(better)]
            shares.append(f"{seat.share:.4f} ({seat.low:.4f}-{seat.high:.4f})")
            wins += seat.wins
        low, high = wilson(wins / (2 * games), 2 * games)
        both = f"{wins / (2 * games):.4f}"
        print(
            f"| {better} | {weaker} | {shares[0]} | {shares[1]} | {both} | {low:.4f}-{high:.4f} |", flush=True
        )


def rivals(games: int) -> None:
    print("| players | wins of its seat | interval | equal share |")
    print("|--|--|--|--|")
    for seats in (3, 4):
        wins, played = 0.0, 0
        for place in range(seats):
            players: list[Policy] = [Expert() for _ in range(seats)]
            players[place] = Grandmaster()
            for number in tqdm(range(games // seats), desc=f"seat {place} of {seats}", unit=" games"):
                winners = _winners(players, number)
                wins += (place in winners) / len(winners)
                played += 1
        low, high = wilson(wins / played, played)
        print(f"| {seats} | {wins / played:.4f} | {low:.4f}-{high:.4f} | {1 / seats:.4f} |", flush=True)


def _winners(players: list[Policy], number: int) -> tuple[int, ...]:
    randoms = [Random(0) for _ in players]
    end, _ = play_game(Tutto(), Options(), players, derive(SEED, b"game", number), randoms)
    winners: tuple[int, ...] = end.winners
    return winners


def times(games: int) -> None:
    print("| what | players | rounds | choices | median | 99% | longest |")
    print("|--|--|--|--|--|--|--|")
    for what, ask, policy in (
        ("decision", lambda state: Grandmaster().choose(state, Random(0)), Grandmaster()),
        ("odds", TuttoAdvice().odds, Expert()),
    ):
        for seats in (2, 3, 6, 10):
            timed = Timed(ask, policy)
            for number in range(games):
                _winners([timed] * seats, number)
            for rounds, taken in (("all", timed.seconds[1:]), ("last", timed.in_last_rounds)):
                ranked = sorted(1000 * seconds for seconds in taken)
                if ranked:
                    cells = (ranked[len(ranked) // 2], ranked[len(ranked) * 99 // 100], ranked[-1])
                    figures = " | ".join(f"{cell:.1f}" for cell in cells)
                    print(f"| {what} | {seats} | {rounds} | {len(ranked)} | {figures} |", flush=True)


class Timed:
    """A policy with a watch, which measures what is asked wherever there is a choice."""

    def __init__(self, ask: Callable[[State], object], policy: Policy) -> None:
        self._ask, self._policy = ask, policy
        self.seconds: list[float] = []
        self.in_last_rounds: list[float] = []

    def choose(self, state: State, rng: Random) -> Any:
        if len(Tutto().legal(state)) > 1:
            start = thread_time()
            self._ask(state)
            self.seconds.append(thread_time() - start)
            if Position.of(state).last_round:
                self.in_last_rounds.append(self.seconds[-1])
        return self._policy.choose(state, rng)


if __name__ == "__main__":
    main()
