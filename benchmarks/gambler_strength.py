"""How strong Gambler's levels are in games of two, and how long the expert takes to decide.

    python -m benchmarks.gambler_strength --games 10000 > benchmarks/gambler_strength.md

The levels of a pairing change seats after every game and meet the same dice in both. A shared win counts half
for each. Measured is the time the thread really computed (``thread_time``), so that a busy machine counts
less, of each decision with more than one legal action; the first one of a process is included.
"""

from __future__ import annotations

import argparse
from random import Random
from time import thread_time
from typing import Any

from bot.games.gambler import Gambler
from bot.games.gambler.state import Action, State
from bot.simulate import derive, play_game, wilson
from bot.strategy.gambler import Beginner, Casual, Expert
from bot.strategy.policy import Policy

GAME = Gambler()


class Anything:
    """Any legal action, each as likely as the others."""

    def choose(self, state: State, rng: Random) -> Action:
        return rng.choice(GAME.legal(state))


class Timed:
    """Another policy, with a watch."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self.seconds: list[float] = []

    def choose(self, state: State, rng: Random) -> Any:
        start = thread_time()
        action = self._policy.choose(state, rng)
        if len(GAME.legal(state)) > 1:
            self.seconds.append(thread_time() - start)
        return action


LEVELS: dict[str, Policy] = {
    "random": Anything(),
    "beginner": Beginner(),
    "casual": Casual(),
    "expert": Timed(Expert()),
}
PAIRINGS = [
    ("expert", "casual", "independent", 1.0),
    ("expert", "random", "independent", 1.0),
    ("expert", "casual", "distinct", 0.2),
    ("expert", "beginner", "independent", 0.2),
    ("casual", "beginner", "independent", 1.0),
    ("casual", "random", "independent", 1.0),
    ("beginner", "random", "independent", 1.0),
]
"""The last number is the part of the games that this pairing plays."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=10_000, help="most for a pairing; default: %(default)s")
    parser.add_argument("--seed", default="1")
    asked = parser.parse_args()
    print("# How strong Gambler's levels are\n")
    print(f"    python -m benchmarks.gambler_strength --games {asked.games} --seed {asked.seed}\n")
    print("Games of two with target 500; the levels change seats after every game.\n")
    print("| level | against | stars | games | wins | 95% interval | turns a game |")
    print("|--|--|--|--|--|--|--|", flush=True)
    for one, other, stars, part in PAIRINGS:
        games = int(part * asked.games)
        share, turns = meet(one, other, stars, games, asked.seed)
        low, high = wilson(share, games)
        print(
            f"| {one} | {other} | {stars} | {games} | {share:.1%} | {low:.1%} to {high:.1%} | {turns:.1f} |",
            flush=True,
        )
    timed = LEVELS["expert"]
    assert isinstance(timed, Timed)
    times = sorted(1000 * seconds for seconds in timed.seconds)
    print("\nDecisions of the expert with more than one legal action, in milliseconds:\n")
    print("| decisions | mean | median | 99% | 99.9% | longest |")
    print("|--|--|--|--|--|--|")
    print(
        f"| {len(times)} | {sum(times) / len(times):.1f} | {times[len(times) // 2]:.1f} "
        f"| {times[len(times) * 99 // 100]:.1f} | {times[len(times) * 999 // 1000]:.1f} | {times[-1]:.1f} |"
    )


def meet(one: str, other: str, stars: str, games: int, seed: str) -> tuple[float, float]:
    """The share of wins of ``one`` and the mean number of turns."""
    options = GAME.options({"stars": stars})
    won, turns = 0.0, 0
    for number in range(games):
        seat, names = number % 2, [one, other] if number % 2 == 0 else [other, one]
        randoms = [Random(derive(seed, b"policy", number, which)) for which in range(2)]
        game_seed = derive(seed, b"game", number // 2)
        played = play_game(GAME, options, [LEVELS[name] for name in names], game_seed, randoms)
        result = GAME.result(played.state)
        assert result is not None
        won += (seat in result.winners) / len(result.winners)
        turns += GAME.turns(played.state)
    return won / games, turns / games


if __name__ == "__main__":
    main()
