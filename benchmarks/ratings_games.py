r"""Play the games that benchmarks/ratings.py makes its leagues from.

    python -m benchmarks.ratings_games > benchmarks/ratings_games.jsonl
    python -m benchmarks.ratings_games --choosing > benchmarks/ratings_choosing.jsonl
    python -m benchmarks.ratings_games --game gambler > lines-of-gambler.jsonl
    python -m benchmarks.ratings_games --counts 20000 --players beginner casual "noisy 40%" \
        >> benchmarks/ratings_counts.jsonl

One line a line-up: its game, its players, and its games. A game is ``[place, place, errors, errors]`` by
player with what each gave away in winning chance, or null if that says too little to count. With more than
two players the luck of each, in winning chance, follows, and only the first games have errors and luck, the
others the places only. Places are those of the bot: 1 is best, equal ones are shared. Players change seats
after every game. A noisy player takes any legal action in some of the choices, and otherwise plays like the
expert of Gambler or the grandmaster of Tutto, or the level that its name begins with. Some parameters are
chosen by line-ups of their own (``--choosing``).

With ``--counts``, line-ups of three and more play so many other games, from which the true chances follow.
Kept is, by pair of players, how often the first one is placed before the second and how often both are
equal, and how many games each player wins, where a shared win counts as its share.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import combinations
from math import exp
from random import Random
from typing import Any

from tqdm import tqdm

from bot.cli.simulation import derive, play_game
from bot.games.core import AnyGame
from bot.games.gambler import Gambler
from bot.games.tutto import Tutto
from bot.registry import GAMES
from bot.standings.ratings import MIN_CHOICES
from bot.strategy.account import Account
from bot.strategy.gambler import Expert
from bot.strategy.gambler import appraiser as gambler
from bot.strategy.gambler.winning import values
from bot.strategy.policy import Policy
from bot.strategy.skill import skill_of
from bot.strategy.tutto import Grandmaster
from bot.strategy.tutto import appraiser as tutto
from bot.strategy.tutto.winning import cache_turns

SEED = "rated leagues"
FIRST_COUNTED = 1_000_000
"""Games that are only counted have numbers from here, and with them other dice and other noise."""


class Noisy:
    """Another policy with slips: any legal action in some of the choices."""

    def __init__(self, game: AnyGame, policy: Policy, slip: float) -> None:
        self._game, self._policy, self._slip = game, policy, slip

    def choose(self, state: Any, rng: Random) -> Any:
        legal = self._game.legal(state)
        if len(legal) > 1 and rng.random() < self._slip:
            return rng.choice(legal)
        return self._policy.choose(state, rng)


class Unsure:
    """A player of Gambler for two who makes small errors often and large ones seldom.

    An action that is worse by ``doubt`` in winning chance is taken 1 / e times as often as the best one.
    """

    def __init__(self, doubt: float) -> None:
        self._doubt = doubt

    def choose(self, state: Any, rng: Random) -> Any:
        legal = RULES["gambler"].legal(state)
        if len(legal) == 1:
            return legal[0]
        valued = values(state)
        best = max(value for _, value in valued)
        weights = [exp((value - best) / self._doubt) for _, value in valued]
        return rng.choices([action for action, _ in valued], weights)[0]


RULES: dict[str, AnyGame] = {"tutto": Tutto(), "gambler": Gambler()}
ACCOUNTS: dict[str, Callable[..., Account[Any, Any]]] = {"tutto": tutto.account, "gambler": gambler.account}
PLAYERS: dict[str, dict[str, Policy]] = {
    "tutto": {
        **GAMES["tutto"].policies,
        **{f"noisy {slip}%": Noisy(Tutto(), Grandmaster(), slip / 100) for slip in (5, 10, 20, 40)},
    },
    "gambler": {
        **{name: GAMES["gambler"].policies[name] for name in ("beginner", "casual", "expert")},
        **{f"noisy {slip}%": Noisy(Gambler(), Expert(), slip / 100) for slip in (5, 10, 20, 40)},
    },
}
OTHERS: dict[str, Policy] = {
    **{f"unsure {doubt}%": Unsure(doubt / 100) for doubt in (1, 3, 10)},
    **{
        f"{name}, noisy 10%": Noisy(Gambler(), GAMES["gambler"].policies[name], 0.1)
        for name in ("beginner", "casual")
    },
    "noisy 30%": Noisy(Gambler(), Expert(), 0.3),
}
"""Players of Gambler in games of two that parameters are chosen by."""

LineUps = Sequence[tuple[str, int, int, tuple[str, ...]]]
"""By line-up: its game, how many games it plays, in how many of them errors are measured, and the players."""

LINE_UPS: LineUps = [
    *(("tutto", 60, 60, pair) for pair in combinations(PLAYERS["tutto"], 2)),
    ("tutto", 2200, 1000, ("beginner", "casual", "noisy 40%")),
    ("tutto", 600, 140, ("beginner", "casual", "expert")),
    ("tutto", 600, 140, ("beginner", "casual", "expert", "grandmaster")),
    ("tutto", 300, 140, ("beginner", "casual", "noisy 40%", "noisy 20%", "noisy 5%", "expert")),
    *(("gambler", 100, 100, pair) for pair in combinations(PLAYERS["gambler"], 2)),
    ("gambler", 300, 0, ("beginner", "casual", "expert")),
    ("gambler", 300, 0, ("casual", "noisy 20%", "noisy 10%", "expert")),
]
CHOOSING: LineUps = [
    ("tutto", 650, 60, ("beginner", "noisy 40%", "noisy 10%")),
    ("tutto", 650, 60, ("casual", "noisy 20%", "expert")),
    ("tutto", 650, 60, ("beginner", "noisy 20%", "noisy 5%", "expert")),
    ("tutto", 460, 50, ("casual", "noisy 40%", "noisy 10%", "expert", "grandmaster")),
    *(("gambler", 40, 40, pair) for pair in combinations(OTHERS, 2)),
    ("gambler", 300, 0, ("casual", "noisy 20%", "expert")),
    ("gambler", 300, 0, ("beginner", "noisy 40%", "noisy 10%")),
]


def play(game: str, names: Sequence[str], number: int, measured: bool) -> list[float | None]:
    """Play a game and return what is kept of it."""
    rules, seats = RULES[game], len(names)
    order = [(number + seat) % seats for seat in range(seats)]
    players = [(PLAYERS[game] | OTHERS)[names[player]] for player in order]
    randoms = [Random(f"{names} {number} {seat}") for seat in range(seats)]
    seed = derive(SEED, b"game", number)
    state, log = play_game(rules, rules.options({}), players, seed, randoms)
    result = rules.result(state)
    assert result is not None
    places = result.places()
    by_player = [order.index(player) for player in range(seats)]
    kept: list[float | None] = [places[seat] for seat in by_player]
    if measured:
        found = ACCOUNTS[game](log.options, seats, log.opening, log.moves)
        for seat in by_player:
            told = seats == 2 or skill_of(found, seat).choices >= MIN_CHOICES
            kept.append(round(found.errors(seat), 5) if told else None)
        if seats > 2:
            kept += [round(found.luck(seat), 5) for seat in by_player]
    return kept


def counts(games: Iterable[Sequence[float | None]]) -> dict[str, Any]:
    """Return what is kept of games of a line-up that are only counted.

    >>> counts([[1, 2, 3], [1, 1, 3]])
    {'games': 2, 'pairs': [[1, 1], [2, 0], [2, 0]], 'wins': [1.5, 0.5, 0.0]}
    """
    places = list(games)
    pairs = [list(zip(*pair, strict=True)) for pair in combinations(zip(*places, strict=True), 2)]
    wins = [
        sum((own == 1) / game.count(1) for own, game in zip(each, places, strict=True))
        for each in zip(*places, strict=True)
    ]
    return {
        "games": len(places),
        "pairs": [[sum(a < b for a, b in pair), sum(a == b for a, b in pair)] for pair in pairs],
        "wins": [round(won, 2) for won in wins],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Play games for benchmarks.ratings.")
    parser.add_argument("--choosing", action="store_true", help="the line-ups that parameters are chosen by")
    parser.add_argument("--game", choices=list(RULES), help="only the line-ups of this game")
    parser.add_argument("--players", nargs="+", help="only the line-up of these players")
    parser.add_argument("--counts", type=int, metavar="GAMES", help="count the places of other games")
    given = parser.parse_args()
    cache_turns(3000)
    for game, games, measured, names in CHOOSING if given.choosing else LINE_UPS:
        if given.game not in (None, game) or given.players not in (None, list(names)):
            continue
        line: dict[str, Any] = {"game": game, "players": names}
        title = f"{game}: {', '.join(names)}"
        if not given.counts:
            numbers = tqdm(range(games), desc=title)
            line["games"] = [play(game, names, number, number < measured) for number in numbers]
        elif len(names) > 2:
            others = range(FIRST_COUNTED, FIRST_COUNTED + given.counts)
            with ProcessPoolExecutor(initializer=cache_turns, initargs=(3000,)) as processes:
                played = processes.map(partial(play, game, names, measured=False), others, chunksize=20)
                line |= counts(tqdm(played, total=given.counts, desc=title))
        else:
            continue
        print(json.dumps(line, separators=(",", ":")), flush=True)


if __name__ == "__main__":
    main()
