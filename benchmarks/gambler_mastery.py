"""How much winning chance Gambler's players give away, measured against an exact solution of whole rounds.

``python -m benchmarks.gambler_mastery --rounds FILE --game 1`` has grandmasters play a game of two, solves
each of its rounds for the scores with which it began (needs numpy and numba, the extra ``solver``), and works
out what the choices of experts and of grandmasters cost there on average. Nothing is drawn by lot in that, so
all noise is between rounds. The only approximation left is what the following rounds are worth. A round takes
5 to 200 seconds, and is added to FILE; rounds in it are not solved again. Without ``--game``, it prints what
FILE says; the intervals take each game for one observation.

``python -m benchmarks.gambler_mastery --games 400`` compares the chances shown in whole games of
grandmasters, at the beginning of their turns, with the results. As grandmasters make no error by the odds, a
result is the chance shown, luck, and what the odds correct between and within turns (the ``gap`` of the
account). Without luck, which is 0 on average, the noise is five to ten times smaller.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from bot.cli.simulation import derive
from bot.games.core import OVER, play, settle
from bot.games.gambler import Gambler
from bot.games.gambler.state import NO_ROWS, Phase, Stars
from bot.records.seeds import SeededChance
from bot.strategy.gambler import Grandmaster
from bot.strategy.gambler.race import race
from bot.strategy.gambler.tables import STEP
from bot.strategy.gambler.winning import standing, values

RULES = Gambler()
Found = dict[str, Any]
"""A round of a game, and what was found about it: a line of the file."""


def rounds(seed: int, game: int, stars: Stars) -> Iterator[Found]:
    """Let grandmasters play a game, and yield how each round begins."""
    player, chance = Grandmaster(), SeededChance(derive(f"{seed} rounds", b"game", game))
    state = settle(RULES, RULES.initial(RULES.options({"stars": stars}), 2), chance).state
    while RULES.to_move(state) != OVER:
        if state.phase is Phase.START and state.rows == NO_ROWS:
            yield {
                "game": game,
                "round": state.number,
                "board": state.board,
                "own": state.scores[state.seat],
                "other": state.scores[1 - state.seat],
                "shown": standing(state)[state.seat],
            }
        state = play(RULES, state, player.choose(state, Random(0)), chance).state


def solve(file: Path, seed: int, game: int, stars: Stars) -> None:
    """Solve the rounds of a game that are not in ``file`` yet."""
    from benchmarks.gambler_rounds import Begun, cost

    known = {(one["game"], one["round"]) for one in read(file)}
    for one in rounds(seed, game, stars):
        if (one["game"], one["round"]) not in known:
            found = cost(Begun(one["board"], one["own"], one["other"]), stars)
            with file.open("a") as lines:
                print(json.dumps(one | found._asdict()), file=lines)


def read(file: Path) -> list[Found]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def summary(file: Path) -> None:
    """Print what a file of rounds says."""
    found = read(file)
    print("| scores together | rounds | expert | grandmaster | share | shown - solved | at most |")
    print("|--|--|--|--|--|--|--|")
    for least, most in ((0, 400), (400, 700), (700, 1000), (0, 1000)):
        some = [one for one in found if least <= one["own"] + one["other"] < most]
        if some:
            expert, grandmaster = ratio(some, EXPERT, ONE), ratio(some, GRANDMASTER, ONE)
            share, off = ratio(some, GRANDMASTER, EXPERT), ratio(some, OFF, ONE)
            largest = max(abs(OFF(one)) for one in some)
            print(
                f"| {least} to {most - 10} | {len(some)} | {expert[0]:.4f} ± {expert[1]:.4f} "
                f"| {grandmaster[0]:.5f} ± {grandmaster[1]:.5f} | {share[0]:.3f} ± {share[1]:.3f} "
                f"| {off[0]:+.4f} ± {off[1]:.4f} | {largest:.4f} |"
            )


def ratio(found: Sequence[Found], of: Number, to: Number) -> tuple[float, float]:
    """Return the ratio of two sums over rounds, and half the width of its 95% interval, by games."""
    tops, bottoms = defaultdict[int, float](float), defaultdict[int, float](float)
    for one in found:
        tops[one["game"]] += of(one)
        bottoms[one["game"]] += to(one)
    total, games = sum(bottoms.values()), len(tops)
    share = sum(tops.values()) / total
    squares = sum((tops[game] - share * bottoms[game]) ** 2 for game in tops)
    if games < 2:
        return share, float("inf")
    return share, student(games - 1) * sqrt(squares * games / (games - 1)) / total


def student(freedom: int) -> float:
    """Return within how many standard errors 95% of Student's t distribution lie.

    >>> [round(student(freedom), 2) for freedom in (3, 5, 10, 1000)]
    [3.16, 2.57, 2.23, 1.96]
    """
    return 1.96 + 2.37 / freedom + 2.82 / freedom**2 + 2.56 / freedom**3


Number = Callable[[Found], float]
ONE: Number = lambda one: 1.0  # noqa: E731
EXPERT: Number = lambda one: one["expert"]  # noqa: E731
GRANDMASTER: Number = lambda one: one["grandmaster"]  # noqa: E731
OFF: Number = lambda one: one["shown"] - one["solved"]  # noqa: E731


def whole_games(games: int, seed: int) -> None:
    """Compare the chances shown with results; the errors are those of means over games."""
    parts: list[list[Shown]] = [[] for _ in range(PARTS)]
    for number in range(games):
        chance = SeededChance(derive(f"{seed} shown", b"game", number))
        by_part: defaultdict[int, list[Shown]] = defaultdict(list)
        for one in shown_in_game(chance):
            by_part[min(int(one.value * PARTS), PARTS - 1)].append(one)
        for part, each in by_part.items():
            sums = [sum(numbers) for numbers in zip(*each, strict=True)]
            parts[part].append(Shown(*sums))
    print("| shown | positions | mean shown | won | difference, 95% | without luck, 95% |")
    print("|--|--|--|--|--|--|")
    for part, found in enumerate(parts):
        number = sum(one.number for one in found)
        if len(found) > 1:
            value, won = (sum(one[k] for one in found) / number for k in (0, 1))
            print(
                f"| {part / PARTS:.1f} to {(part + 1) / PARTS:.1f} | {number} | {value:.3f} | {won:.3f} "
                f"| {off(found, [one.won - one.value for one in found])} "
                f"| {off(found, [one.corrected for one in found])} |"
            )


class Shown(NamedTuple):
    """A chance shown, what came of it, and by how much the odds corrected it later; or sums of several."""

    value: float
    won: float
    corrected: float
    number: int = 1


def shown_in_game(chance: SeededChance) -> list[Shown]:
    """Let grandmasters play a game, and return the chances shown at the beginning of their turns."""
    player, found = Grandmaster(), race(500)
    assert found is not None
    state = settle(RULES, RULES.initial(RULES.options({}), 2), chance).state
    shown: list[tuple[int, float, float]] = []
    gap = 0.0  # of the first seat, so far
    while RULES.to_move(state) != OVER:
        sign = 1.0 if state.seat == 0 else -1.0
        if state.phase is Phase.START:
            value = standing(state)[state.seat]
            shown.append((state.seat, value, gap))
            gap += sign * (max(worth for _, worth in values(state)) - value)
        played = play(RULES, state, player.choose(state, Random(0)), chance)
        for after in played.states:
            if after.phase is Phase.BOARD:
                own, other = (after.scores[seat] // STEP for seat in (state.seat, 1 - state.seat))
                gap += sign * (standing(after)[state.seat] - found.after(own, other, 1.0))
        state = played.state
    return [
        Shown(value, (seat in state.winners) / len(state.winners), (gap - before) * (-1.0 if seat else 1.0))
        for seat, value, before in shown
    ]


def off(found: Sequence[Shown], sums: Sequence[float]) -> str:
    """Return the mean of what a part's positions add up to by game, with its 95% interval."""
    number = sum(one.number for one in found)
    middle = sum(sums) / number
    spread = sum((own - middle * one.number) ** 2 for own, one in zip(sums, found, strict=True))
    return f"{middle:+.4f} ± {1.96 * sqrt(spread) / number:.4f}"


PARTS = 10
"""Into how many parts the chances are sorted."""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gambler_mastery", description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--rounds", type=Path, metavar="FILE", help="rounds that are solved")
    what.add_argument("--games", type=int, help="whole games, instead of solved rounds")
    parser.add_argument("--game", type=int, help="solve the rounds of this game")
    parser.add_argument("--stars", type=Stars, choices=list(Stars), default=Stars.INDEPENDENT)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    if given.games:
        whole_games(given.games, given.seed)
    elif given.game is not None:
        solve(given.rounds, given.seed, given.game, given.stars)
    else:
        summary(given.rounds)


if __name__ == "__main__":
    main()
