"""How long a decision of each Tutto level takes.

    python -m benchmarks.tutto_decisions [--games 40]

Every level plays seat 0 of whole games against casual players. Measured is the time the thread really
computed (``thread_time``), so that a busy machine doesn't count, of each decision with more than one legal
action; nothing is left out, the first decision of a process included. docs/strategy.md says what is computed.
"""

from __future__ import annotations

import argparse
import random
from time import thread_time

from bot.games.core import OVER, play
from bot.games.tutto import Tutto
from bot.games.tutto.state import Edition, Options
from bot.records.seeds import SeededChance
from bot.registry import GAMES

RULES = Tutto()
SETTINGS = [
    (Options(), 2),
    (Options(), 3),
    (Options(), 6),
    (Options(Edition.CLASSIC), 2),
    (Options(target=3000), 2),
    (Options(target=10_000), 2),
]


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the decisions of the Tutto levels.")
    parser.add_argument("--games", type=int, default=40, help="per level and setting; default: %(default)s")
    games = parser.parse_args().games
    print("| level | edition | target | seats | decisions | median ms | 99% ms | longest ms |")
    print("|--|--|--|--|--|--|--|--|")
    for level in GAMES["tutto"].policies:
        for options, seats in SETTINGS if level == "grandmaster" else SETTINGS[:1]:
            times = sorted(
                1000 * seconds for game in range(games) for seconds in timed(level, options, seats, game)
            )
            print(
                f"| {level} | {options.edition} | {options.target} | {seats} | {len(times)} "
                f"| {times[len(times) // 2]:.2f} | {times[len(times) * 99 // 100]:.2f} | {times[-1]:.2f} |",
                flush=True,
            )


def timed(level: str, options: Options, seats: int, seed: int) -> list[float]:
    """Play one game; the seconds that each real decision of seat 0 took."""
    players = [GAMES["tutto"].policies[name] for name in [level] + ["casual"] * (seats - 1)]
    rng, chance = random.Random(seed), SeededChance(seed.to_bytes(32, "big"))
    state = RULES.initial(options, seats)
    times = []
    while RULES.to_move(state) != OVER:
        start = thread_time()
        action = players[state.seat].choose(state, rng)
        if state.seat == 0 and len(RULES.legal(state)) > 1:
            times.append(thread_time() - start)
        state = play(RULES, state, action, chance).state
    return times


if __name__ == "__main__":
    main()
