"""The one list of games: what a game needs to be played is named here, in one entry a game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.games.core import Game, Unreadable
from bot.games.gambler import Gambler
from bot.games.gambler import state as gambler_state
from bot.games.tutto import Tutto
from bot.games.tutto import state as tutto_state
from bot.screens.advice import Advice, Coach
from bot.screens.gambler.advice import GamblerAdvice
from bot.screens.gambler.table import GamblerScreen
from bot.screens.model import GameScreen
from bot.screens.tutto.advice import TuttoAdvice
from bot.screens.tutto.table import TuttoScreen
from bot.strategy import gambler as gambler_policies
from bot.strategy import tutto as tutto_policies
from bot.strategy.absent import Cautious
from bot.strategy.policy import Policy
from bot.strategy.tutto import luck as tutto_luck
from bot.strategy.tutto import tables


@dataclass(frozen=True, slots=True)
class Entry:
    """A game's rules, its screen, and its AI players by level, weakest first."""

    rules: Game[Any]
    screen: GameScreen
    policies: Mapping[str, Policy]
    absent: Policy
    """Plays the turns of people who are away."""
    feat: str = ""
    """The feat (see :class:`~bot.games.core.SeatStats`) that leaderboards can be sorted by; "" for none."""
    advice: Advice | None = None
    """Tells the odds during the game."""
    coach: Coach | None = None
    """Reviews the game afterwards."""
    luck: Callable[[Any, int, Sequence[tuple[Any, Sequence[Any]]]], Sequence[int]] | None = None
    """From options, number of seats and log: points by which chance was kinder to each seat than the odds."""
    problems: Callable[[], Sequence[Exception]] = tuple
    """What is wrong with the files that its AI players and its odds rest on."""


_tutto = Tutto()
_tutto_advice = TuttoAdvice()
_gambler = Gambler()

GAMES: Mapping[str, Entry] = {
    entry.rules.key: entry
    for entry in (
        Entry(
            _tutto,
            TuttoScreen(),
            {
                "beginner": tutto_policies.Beginner(),
                "casual": tutto_policies.Casual(),
                "expert": tutto_policies.Expert(),
                "grandmaster": tutto_policies.Grandmaster(),
            },
            Cautious(_tutto, tutto_state.STOP, tutto_policies.Casual()),
            feat="tuttos",
            luck=tutto_luck.luck,
            advice=_tutto_advice,
            coach=_tutto_advice,
            problems=tables.problems,
        ),
        Entry(
            _gambler,
            GamblerScreen(),
            {
                "beginner": gambler_policies.Beginner(),
                "casual": gambler_policies.Casual(),
                "expert": gambler_policies.Expert(),
            },
            Cautious(_gambler, gambler_state.STOP, gambler_policies.Casual()),
            feat="rows",
            advice=GamblerAdvice(),
        ),
    )
}


def find(key: str) -> Entry:
    """The entry of a game. Raises :class:`Unreadable` for a key that is none."""
    try:
        return GAMES[key]
    except KeyError:
        raise Unreadable("error-unknown-game", game=key) from None
