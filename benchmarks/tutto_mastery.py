"""Check the account of luck and errors over many games, and how fast it tells players of known skill apart.

    python -m benchmarks.tutto_mastery account --edition current [--games 10000]
    python -m benchmarks.tutto_mastery skill [--games 300]
    python -m benchmarks.tutto_mastery rule --edition current [--games 200]

``account`` plays games of two, each level against each other one in turn, and prints the largest difference
between a result and what its account says, mean luck by who led at the start of the turn, and the variance
of results with and without luck. ``skill`` plays players of known skill against each other and prints their
ratings, and how often 20 games rank all of them right. ``rule`` plays the rule to remember against itself and
prints what it gives away. Results are kept in benchmarks/tutto_mastery.md.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from itertools import combinations
from random import Random
from statistics import mean, pvariance, stdev

from tqdm import tqdm

from bot.cli.simulation import derive, play_game
from bot.games.tutto import Tutto
from bot.games.tutto.state import Action, Edition, Options, State
from bot.registry import GAMES
from bot.strategy.account import Cause
from bot.strategy.policy import Policy
from bot.strategy.skill import Skill, skill_of, total
from bot.strategy.tutto import Grandmaster
from bot.strategy.tutto.account import Account, account
from bot.strategy.tutto.rule import TO_REMEMBER
from bot.strategy.tutto.values import RULES
from bot.strategy.tutto.winning import cache_turns

SEED = "tutto mastery"


class Noisy:
    """A grandmaster who takes any legal action in some of the choices."""

    def __init__(self, slip: float) -> None:
        self._slip = slip
        self._player = Grandmaster()

    def choose(self, state: State, rng: Random) -> Action:
        legal = RULES.legal(state)
        if len(legal) > 1 and rng.random() < self._slip:
            return rng.choice(legal)
        return self._player.choose(state, rng)


PLAYERS: dict[str, Policy] = {**GAMES["tutto"].policies, "noisy (20%)": Noisy(0.2)}


def main() -> None:
    parser = argparse.ArgumentParser(description="Check the account of luck and errors.")
    parser.add_argument("what", choices=["account", "skill", "rule"])
    parser.add_argument("--edition", default="current", choices=[edition.value for edition in Edition])
    parser.add_argument("--target", type=int, default=6000)
    parser.add_argument("--games", type=int, help="default: 10000, skill 300 a pair")
    given = parser.parse_args()
    cache_turns(3000)
    options = Options(Edition(given.edition), given.target)
    if given.what == "account":
        check_account(options, given.games or 10_000)
    elif given.what == "skill":
        check_skill(options, given.games or 300)
    else:
        check_rule(options, given.games or 200)


def played(names: tuple[str, str], options: Options, number: int) -> Account:
    """Play a game and return its account."""
    randoms = [Random(f"{number} {seat}") for seat in range(2)]
    players = [PLAYERS[name] for name in names]
    _, log = play_game(Tutto(), options, players, derive(SEED, b"game", number), randoms)
    return account(options, 2, (), log.moves)


def check_account(options: Options, games: int) -> None:
    pairs = list(combinations(["beginner", "casual", "expert"], 2))
    worst = 0.0
    lucky: defaultdict[str, list[float]] = defaultdict(list)
    real, adjusted = defaultdict(list), defaultdict(list)
    for number in tqdm(range(games), unit=" games"):
        names = pairs[number % len(pairs)]
        found = played(names, options, number)
        for seat in range(2):
            own, its = (found.luck(one) - found.errors(one) for one in (seat, 1 - seat))
            said = found.start[seat] + own - its
            worst = max(worst, abs(found.chances[-1][seat] - said))
        real[names].append(found.chances[-1][0])
        adjusted[names].append(found.adjusted(0))
        turns: defaultdict[int, float] = defaultdict(float)
        for item in found.items:
            if item.cause is Cause.CHANCE:
                turns[item.turn] += item.change
        for turn, luck in turns.items():
            seat, standing = found.turn_seats[turn], found.chances[turn]
            lucky["ahead" if standing[seat] > 0.5 else "behind"].append(luck)
    print(f"{options.edition} {options.target}: {games} games, largest difference {worst:.1e}")
    for who, found_luck in lucky.items():
        error = 1.96 * stdev(found_luck) / len(found_luck) ** 0.5
        print(f"luck of a turn, {who}: {mean(found_luck):+.6f} +- {error:.6f} ({len(found_luck)} turns)")
    for names in pairs:
        ratio = pvariance(real[names]) / pvariance(adjusted[names])
        print(
            f"{' - '.join(names)}: mean {mean(real[names]):.4f}, without luck {mean(adjusted[names]):.4f}, "
            f"variance {pvariance(real[names]):.4f} -> {pvariance(adjusted[names]):.4f} ({ratio:.0f} times)"
        )


def check_skill(options: Options, games: int) -> None:
    found: defaultdict[str, list[Skill]] = defaultdict(list)
    for pair in combinations(PLAYERS, 2):
        for number in tqdm(range(games), desc=" - ".join(pair), unit=" games"):
            names = pair if number % 2 else (pair[1], pair[0])
            game = played(names, options, number)
            for seat, name in enumerate(names):
                found[name].append(skill_of(game, seat))
    print("| player | games | rating | decisions a game | a game's 95% interval |")
    print("|--|--|--|--|--|")
    for name, each in found.items():
        all_ = total(each)
        intervals = [skill.interval or 0.0 for skill in each]
        print(
            f"| {name} | {all_.games} | {all_.rating:.2f} | {all_.choices / all_.games:.1f} "
            f"| +- {mean(intervals):.1f} |"
        )
    order = sorted(found, key=lambda name: -(total(found[name]).rating or 0.0))
    rng, trials = Random(1), 2000
    for number in (5, 10, 20):
        right = 0
        for _ in range(trials):
            rated = [total(rng.sample(found[name], number)).rating or 0.0 for name in order]
            right += rated == sorted(rated, reverse=True)
        print(f"all ranked right after {number} games: {right / trials:.1%} of {trials} trials")


def check_rule(options: Options, games: int) -> None:
    player = TO_REMEMBER[options.edition]
    lost: list[float] = []
    for number in tqdm(range(games), unit=" games"):
        randoms = [Random(number), Random(-number)]
        _, log = play_game(Tutto(), options, [player, player], derive(SEED, b"rule", number), randoms)
        found = account(options, 2, (), log.moves)
        lost += [found.errors(seat) for seat in range(2)]
    error = 1.96 * stdev(lost) / len(lost) ** 0.5
    print(
        f"{options.edition}: {player.stop}/{player.more}/{player.card}, loss {mean(lost):.4f} +- {error:.4f}"
    )


if __name__ == "__main__":
    main()
