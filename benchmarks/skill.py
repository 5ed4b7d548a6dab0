"""Check the account of luck and errors over many games, and how fast it tells players of known skill apart.

    python -m benchmarks.skill account [--game gambler] [--options '{"target": 300}'] [--games 10000]
                                       [--levels expert grandmaster]
    python -m benchmarks.skill skill [--game gambler] [--games 300] [--levels casual expert "unsure 3%"]
    python -m benchmarks.skill rule [--options '{"edition": "classic"}'] [--games 200]

``account`` plays games of two, each level against each other one in turn and from both seats, and prints the
largest difference between a result and what its account says (``gap``, the differences between tables,
included), mean luck by who led at the start of the turn, and by pair the mean result of the first level: the
real one, the one without luck, which is right on average however good the chances are, and that without luck
and gap, with the variance. ``skill`` plays players of known skill against each other and prints their
ratings, and how often a few games rank all of them in the order of what they give away in a game: by the
rating, in which decisions count by the root of their stake, and if errors were divided by something else.
``rule`` plays Tutto's rule to remember against itself and prints what it gives away. Results are kept in
benchmarks/skill.md.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from random import Random
from statistics import mean, pvariance, stdev
from time import process_time
from typing import Any

from tqdm import tqdm

from benchmarks.ratings_games import ACCOUNTS, OTHERS, RULES, Noisy
from bot.cli.simulation import derive, play_game
from bot.games.tutto import Tutto
from bot.games.tutto.state import Options
from bot.registry import GAMES
from bot.strategy.account import Account, Cause
from bot.strategy.policy import Policy
from bot.strategy.skill import Skill, skill_of, total
from bot.strategy.tutto.appraiser import account
from bot.strategy.tutto.rule import TO_REMEMBER
from bot.strategy.tutto.winning import cache_turns

SEED = "tutto mastery"
NOISY = "noisy (20%)"
"""A grandmaster who takes any legal action in one of five choices."""
LEVELS = ("beginner", "casual", "expert", "grandmaster", NOISY)
PLAYERS: dict[str, dict[str, Policy]] = {
    game: {**entry.policies, NOISY: Noisy(entry.rules, entry.policies["grandmaster"], 0.2)}
    for game, entry in GAMES.items()
}
PLAYERS["gambler"] |= OTHERS
EXPONENTS = {"alike": 0.0, "by the root of the stake": 0.5, "by the stake": 1.0}
"""By how a decision counts: to which power its stake is raised."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Check the account of luck and errors.")
    parser.add_argument("what", choices=["account", "skill", "rule"])
    parser.add_argument("--game", default="tutto", choices=list(RULES))
    parser.add_argument("--options", type=json.loads, default={}, help="options of the game, as JSON")
    parser.add_argument(
        "--levels", nargs="+", help="default: account the first three, skill all five players"
    )
    parser.add_argument("--games", type=int, help="default: 10000, skill 300 a pair, rule 200")
    given = parser.parse_args()
    cache_turns(3000)
    options = RULES[given.game].options(given.options)
    if given.what == "account":
        check_account(given.game, options, given.levels or LEVELS[:3], given.games or 10_000)
    elif given.what == "skill":
        check_skill(given.game, options, given.levels or LEVELS, given.games or 300)
    else:
        check_rule(options, given.games or 200)


def played(game: str, names: tuple[str, str], options: Any, number: int) -> Account[Any, Any]:
    """Play a game of two and return its account."""
    randoms = [Random(f"{number} {seat}") for seat in range(2)]
    players = [PLAYERS[game][name] for name in names]
    _, log = play_game(RULES[game], options, players, derive(SEED, b"game", number), randoms)
    return ACCOUNTS[game](options, 2, log.opening, log.moves)


def check_account(game: str, options: Any, levels: Sequence[str], games: int) -> None:
    pairs = list(combinations(levels, 2))
    worst, gaps, start = 0.0, list[float](), process_time()
    lucky: defaultdict[str, list[float]] = defaultdict(list)
    real, earned, adjusted = (defaultdict[tuple[str, str], list[float]](list) for _ in range(3))
    for number in tqdm(range(games), unit=" games"):
        names, own = pairs[number % len(pairs)], number // len(pairs) % 2
        found = played(game, (names[own], names[1 - own]), options, number)
        for seat in range(2):
            parts = [found.luck(one) - found.errors(one) + found.gap[one] for one in (seat, 1 - seat)]
            said = found.start[seat] + parts[0] - parts[1]
            worst = max(worst, abs(found.chances[-1][seat] - said))
        gaps.append(found.gap[own] - found.gap[1 - own])
        real[names].append(found.chances[-1][own])
        earned[names].append(found.chances[-1][own] - found.luck(own) + found.luck(1 - own))
        adjusted[names].append(found.adjusted(own))
        turns: defaultdict[int, float] = defaultdict(float)
        for item in found.items:
            if item.cause is Cause.CHANCE:
                turns[item.turn] += item.change
        for turn, luck in turns.items():
            seat, standing = found.turn_seats[turn], found.chances[turn]
            lucky["ahead" if standing[seat] > 0.5 else "behind"].append(luck)
    print(f"{game} {options}: {games} games, largest difference {worst:.1e}")
    print(f"gap of the first level, less the other's: {interval(gaps)}, standard deviation {stdev(gaps):.4f}")
    print(f"{(process_time() - start) / games:.3f} s of processor time a game, with playing it")
    for who, found_luck in lucky.items():
        print(f"luck of a turn, {who}: {interval(found_luck)} ({len(found_luck)} turns)")
    for names in pairs:
        ratio = pvariance(real[names]) / pvariance(adjusted[names])
        print(
            f"{' - '.join(names)}: {interval(real[names])}, without luck {interval(earned[names])}, "
            f"and gap {interval(adjusted[names])}, "
            f"variance {pvariance(real[names]):.4f} -> {pvariance(adjusted[names]):.4f} ({ratio:.0f} times)"
        )


def interval(found: Sequence[float]) -> str:
    """Return the mean with its 95% interval."""
    return f"{mean(found):+.4f} +- {1.96 * stdev(found) / len(found) ** 0.5:.4f}"


def check_skill(game: str, options: Any, levels: Sequence[str], games: int) -> None:
    found: defaultdict[str, list[Skill]] = defaultdict(list)
    weights: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for pair in combinations(levels, 2):
        for number in tqdm(range(games), desc=" - ".join(pair), unit=" games"):
            names = pair if number % 2 else (pair[1], pair[0])
            found_game = played(game, names, options, number)
            for seat, name in enumerate(names):
                found[name].append(skill_of(found_game, seat))
                for kind, weight in weighed(found_game, seat).items():
                    weights[kind][name].append(weight)
    print("| player | games | rating | decisions a game | a game's 95% interval |")
    print("|--|--|--|--|--|")
    order = sorted(found, key=lambda name: -total(found[name]).errors)
    for name in order:
        each, all_ = found[name], total(found[name])
        intervals = [skill.interval or 0.0 for skill in each]
        print(
            f"| {name} | {all_.games} | {all_.rating:.2f} | {all_.choices / all_.games:.1f} "
            f"| +- {mean(intervals):.1f} |"
        )
    rng, trials = Random(1), 2000
    print("\n| what counts | 5 games | 10 games | 20 games |\n|--|--|--|--|")
    errors = {name: [skill.errors for skill in each] for name, each in found.items()}
    for kind, by_name in weights.items():
        shares = []
        for number in (5, 10, 20):
            right = 0
            for _ in range(trials):
                rated = []
                for name in order:
                    drawn = rng.sample(range(len(errors[name])), number)
                    rated.append(sum(errors[name][i] for i in drawn) / sum(by_name[name][i] for i in drawn))
                right += rated == sorted(rated, reverse=True)
            shares.append(f"{right / trials:.1%}")
        print(f"| {kind} | {' | '.join(shares)} |")


def weighed(found: Account[Any, Any], seat: int) -> dict[str, float]:
    """Return by what errors of a game may be divided."""
    stakes = [one.stake for one in found.decisions if one.seat == seat and one.real]
    decisions = {
        f"decisions, {how}": sum(stake**power for stake in stakes) for how, power in EXPONENTS.items()
    }
    return {**decisions, "turns": found.turn_seats.count(seat), "games": 1.0}


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
