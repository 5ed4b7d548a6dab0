"""Measure how strong Gambler's levels are in games of two, and how long the expert takes to decide.

    python -m benchmarks.gambler_strength --games 10000 > benchmarks/gambler_strength.md

The levels of a pairing change seats after every game and meet the same dice in both. A shared win counts half
for each. Measured is the time the thread really computed (``thread_time``), so that a busy machine counts
less, of each decision with more than one legal action; the first one of a process is included.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path
from random import Random
from time import thread_time
from typing import Any

from bot.cli.simulation import derive, play_game, wilson
from bot.games.gambler import Gambler
from bot.games.gambler.state import Action, State
from bot.strategy.gambler import Beginner, Casual, Expert, Grandmaster
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
    "expert": Expert(),
    "grandmaster": Grandmaster(),
}
PAIRINGS = [
    ("grandmaster", "expert", "independent", 0.1),
    ("grandmaster", "expert", "distinct", 0.1),
    ("expert", "casual", "independent", 1.0),
    ("expert", "random", "independent", 1.0),
    ("expert", "casual", "distinct", 0.2),
    ("expert", "beginner", "independent", 0.2),
    ("casual", "beginner", "independent", 1.0),
    ("casual", "random", "independent", 1.0),
    ("beginner", "random", "independent", 1.0),
]
"""The last number is the part of the games that this pairing plays."""


CHUNK = 200
TIMED_GAMES = 150


@dataclass
class Tally:
    """The wins of the first level of a pairing, and the turns of all games."""

    games: int = 0
    won: float = 0.0
    turns: int = 0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=10_000, help="most for a pairing; default: %(default)s")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--keep", type=Path, help="a file for what is done, to go on from after a break")
    parser.add_argument("--level", choices=list(LEVELS), help="only the pairings of this level")
    asked = parser.parse_args()
    kept = Kept(asked.keep)
    print("# How strong Gambler's levels are\n")
    print(f"    python -m benchmarks.gambler_strength --games {asked.games} --seed {asked.seed}\n")
    print("Games of two with target 500; the levels change seats after every game.\n")
    print("| level | against | stars | games | wins | 95% interval | turns a game |")
    print("|--|--|--|--|--|--|--|", flush=True)
    for one, other, stars, part in PAIRINGS:
        if asked.level not in (None, one):
            continue
        total = Tally()
        for first in range(0, int(part * asked.games), CHUNK):
            games = range(first, min(first + CHUNK, int(part * asked.games)))
            name = f"{one} {other} {stars} {asked.seed} {games.start}-{games.stop}"
            done = kept.get(name, partial(meet, one, other, stars, games, asked.seed))
            total = Tally(*(had + more for had, more in zip(astuple(total), done, strict=True)))
        share = total.won / total.games
        low, high = wilson(share, total.games)
        print(
            f"| {one} | {other} | {stars} | {total.games} | {share:.1%} "
            f"| {low:.1%} to {high:.1%} | {total.turns / total.games:.1f} |",
            flush=True,
        )
    print(f"\nDecisions with more than one legal action, {TIMED_GAMES} games, in milliseconds:\n")
    print("| level | decisions | mean | median | 99% | 99.9% | longest |")
    print("|--|--|--|--|--|--|--|")
    for level in ("expert", "grandmaster"):
        timed = Timed(LEVELS[level])
        meet(level, "casual", "independent", range(TIMED_GAMES), asked.seed, {**LEVELS, level: timed})
        times = sorted(1000 * seconds for seconds in timed.seconds)
        print(
            f"| {level} | {len(times)} | {sum(times) / len(times):.1f} | {times[len(times) // 2]:.1f} "
            f"| {times[len(times) * 99 // 100]:.1f} | {times[len(times) * 999 // 1000]:.1f} "
            f"| {times[-1]:.1f} |"
        )


def meet(
    one: str,
    other: str,
    stars: str,
    games: range,
    seed: str,
    levels: Mapping[str, Policy] = LEVELS,
) -> tuple[int, float, int]:
    """Play the games with these numbers; a :class:`Tally` as a tuple."""
    options, tally = GAME.options({"stars": stars}), Tally()
    for number in games:
        seat, names = number % 2, [one, other] if number % 2 == 0 else [other, one]
        randoms = [Random(derive(seed, b"policy", number, which)) for which in range(2)]
        game_seed = derive(seed, b"game", number // 2)
        end, _ = play_game(GAME, options, [levels[name] for name in names], game_seed, randoms)
        result = GAME.result(end)
        assert result is not None
        tally.games += 1
        tally.won += (seat in result.winners) / len(result.winners)
        tally.turns += GAME.turns(end)
    return astuple(tally)


class Kept:
    """Parts of a long measurement by name, one JSON object a line, so that it can be broken off."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._done: dict[str, Any] = {}
        if path is not None and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                part = json.loads(line)
                self._done[part["name"]] = part["found"]

    def get(self, name: str, find: Callable[[], Any]) -> Any:
        """What is known by that name, or else what ``find`` finds."""
        if name not in self._done:
            self._done[name] = find()
            if self._path is not None:
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"name": name, "found": self._done[name]}) + "\n")
        return self._done[name]


if __name__ == "__main__":
    main()
