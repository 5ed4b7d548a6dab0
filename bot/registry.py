"""The one list of games: what a game needs to be played is named here, in one entry a game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.games.core import Game, Unreadable
from bot.games.tutto import Tutto
from bot.games.tutto import state as tutto_state
from bot.screens.model import GameScreen
from bot.screens.tutto import TuttoScreen
from bot.strategy import tutto as tutto_policies
from bot.strategy.absent import Cautious
from bot.strategy.policy import Policy


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


_tutto = Tutto()

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
        ),
    )
}


def find(key: str) -> Entry:
    """The entry of a game. Raises :class:`Unreadable` for a key that is none."""
    try:
        return GAMES[key]
    except KeyError:
        raise Unreadable("error-unknown-game", game=key) from None
