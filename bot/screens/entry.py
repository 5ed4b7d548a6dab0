"""The entry of a game in the registry: rules, screen, AI players, and what lists and statistics need."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.games.core import AnyGame, Move
from bot.screens.advice import Advice, Coach
from bot.screens.game_screen import AnyScreen
from bot.standings.ratings import BETA, Errors
from bot.strategy.policy import Policy
from bot.strategy.skill import Measured


@dataclass(frozen=True, slots=True)
class Entry:
    """One game of the registry. Only the first five fields are needed.

    Catalogue keys follow the game's key: ``<game>-name``, ``cmd-<game>``, ``<game>-sum-<feat>`` and so on;
    docs/adding-a-game.md lists them.
    """

    rules: AnyGame
    screen: AnyScreen
    policies: Mapping[str, Policy]
    """The AI players by level, weakest first. The key ``ai-x`` names the level ``x``."""
    absent: Policy
    """Plays the turns of people who are away."""
    icon: str
    """Shown instead of the emoji ``game-<game>`` where that is not available."""
    icons: Mapping[str, str] = field(default_factory=dict)
    """Texts to show instead of the game's other emojis, by name."""
    counted: Sequence[str] = ()
    """The feats (see :class:`~bot.games.core.SeatStats`) to show in statistics, in order."""
    feat: str = ""
    """The feat by which leaderboards can be sorted; "" for none."""
    advice: Advice | None = None
    """Shows the odds during the game."""
    coach: Coach | None = None
    """Reviews the game afterwards."""
    measure: Callable[[Any, int, Sequence[Any], Sequence[Move[Any, Any]]], Sequence[Measured]] | None = None
    """Takes options, number of seats, the outcomes before the first move, and moves; returns by seat how
    luckily and how well it played."""
    measure_version: int = 0
    """Which version of ``measure`` this is, from 1. Games that an earlier one has measured are measured again
    in the background."""
    beta: float = BETA
    """How much chance decides, see :class:`~bot.standings.ratings.Model`."""
    errors: Errors | None = None
    """What people give away in winning chance, if that was measured and may change ratings."""
    problems: Callable[[], Sequence[Exception]] = tuple
    """Returns what is wrong with the files that its AI players and odds need."""

    def has_review(self, seats: int) -> bool:
        """Return whether finished games of so many seats are reviewed."""
        return self.coach is not None and seats in self.coach.seats

    @property
    def default_level(self) -> str:
        """The level of an AI that takes over a seat when none was chosen: the second weakest."""
        levels = tuple(self.policies)
        return levels[min(1, len(levels) - 1)]

    @property
    def text_icons(self) -> dict[str, str]:
        """Texts to show instead of all of the game's own emojis, by name."""
        return {f"game-{self.rules.key}": self.icon, **self.icons}
