"""Play the games that benchmarks/ratings.py makes its leagues from.

    python -m benchmarks.ratings_games > benchmarks/ratings_games.jsonl

One line a line-up: its game, its players, and its games. A game of two is ``[place, place, errors, errors]``
by player with what each gave away in winning chance; any other game has the places only. Names of games
choose what is played (default: all). Places
are those of the bot: 1 is best, equal ones are shared. Players change seats after every game. A noisy player
takes any legal action in some of the choices, and otherwise plays like the best level of the game.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from itertools import combinations
from random import Random
from typing import Any

from tqdm import tqdm

from bot.cli.simulation import derive, play_game
from bot.games.core import AnyGame
from bot.games.gambler import Gambler
from bot.games.tutto import Tutto
from bot.registry import GAMES
from bot.strategy.account import Account
from bot.strategy.gambler import Expert
from bot.strategy.gambler import appraiser as gambler
from bot.strategy.policy import Policy
from bot.strategy.tutto import Grandmaster
from bot.strategy.tutto import appraiser as tutto
from bot.strategy.tutto.winning import cache_turns

SEED = "rated leagues"


class Noisy:
    """Another policy with slips: any legal action in some of the choices."""

    def __init__(self, game: AnyGame, policy: Policy, slip: float) -> None:
        self._game, self._policy, self._slip = game, policy, slip

    def choose(self, state: Any, rng: Random) -> Any:
        legal = self._game.legal(state)
        if len(legal) > 1 and rng.random() < self._slip:
            return rng.choice(legal)
        return self._policy.choose(state, rng)


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
LINE_UPS: dict[str, list[tuple[int, tuple[str, ...]]]] = {
    "tutto": [
        *((60, pair) for pair in combinations(PLAYERS["tutto"], 2)),
        (1200, ("beginner", "casual", "noisy 40%")),
        (600, ("beginner", "casual", "expert")),
        (600, ("beginner", "casual", "expert", "grandmaster")),
        (300, ("beginner", "casual", "noisy 40%", "noisy 20%", "noisy 5%", "expert")),
    ],
    "gambler": [
        *((100, pair) for pair in combinations(PLAYERS["gambler"], 2)),
        (300, ("beginner", "casual", "expert")),
        (300, ("casual", "noisy 20%", "noisy 10%", "expert")),
    ],
}
"""By game, how many games each line-up plays."""


def play(game: str, names: Sequence[str], number: int) -> list[float]:
    """Play a game and return what is kept of it."""
    rules, seats = RULES[game], len(names)
    order = [(number + seat) % seats for seat in range(seats)]
    players = [PLAYERS[game][names[player]] for player in order]
    randoms = [Random(f"{names} {number} {seat}") for seat in range(seats)]
    seed = derive(SEED, b"game", number)
    state, log = play_game(rules, rules.options({}), players, seed, randoms)
    result = rules.result(state)
    assert result is not None
    places = result.places()
    kept: list[float] = [places[order.index(player)] for player in range(seats)]
    if seats == 2:
        found = ACCOUNTS[game](log.options, seats, log.opening, log.moves)
        kept += [round(found.errors(order.index(player)), 5) for player in range(seats)]
    return kept


def main() -> None:
    cache_turns(3000)
    for game in sys.argv[1:] or LINE_UPS:
        for games, names in LINE_UPS[game]:
            label = f"{game}: {', '.join(names)}"
            played = [play(game, names, number) for number in tqdm(range(games), desc=label)]
            line = {"game": game, "players": names, "games": played}
            print(json.dumps(line, separators=(",", ":")), flush=True)


if __name__ == "__main__":
    main()
