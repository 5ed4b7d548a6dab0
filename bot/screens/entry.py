"""What a game brings along: rules, screen, AI players, and what lists and statistics need to know of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.games.core import AnyGame, Move
from bot.screens.advice import Advice, Coach
from bot.screens.game_screen import AnyScreen
from bot.strategy.policy import Policy


@dataclass(frozen=True, slots=True)
class Entry:
    """One game of the registry. Only the first five fields are needed.

    Catalogue keys follow the game's key: ``<game>-name``, ``cmd-<game>``, ``<game>-sum-<feat>`` and so on;
    docs/adding-a-game.md lists them.
    """

    rules: AnyGame
    screen: AnyScreen
    policies: Mapping[str, Policy]
    """The AI players by level, weakest first; the level ``x`` is called what the key ``ai-x`` says."""
    absent: Policy
    """Plays the turns of people who are away."""
    icon: str
    """What stands for the game where its emoji ``game-<game>`` is not drawn."""
    icons: Mapping[str, str] = field(default_factory=dict)
    """The same for the other emojis that only this game has, by name."""
    counted: Sequence[str] = ()
    """The feats (see :class:`~bot.games.core.SeatStats`) that statistics tell, in order."""
    feat: str = ""
    """The feat that leaderboards can be sorted by; "" for none."""
    advice: Advice | None = None
    """Tells the odds during the game."""
    coach: Coach | None = None
    """Reviews the game afterwards."""
    luck: Callable[[Any, int, Sequence[Move[Any, Any]]], Sequence[int]] | None = None
    """From options, number of seats and moves: points that chance gave each seat beyond the odds."""
    problems: Callable[[], Sequence[Exception]] = tuple
    """What is wrong with the files that its AI players and its odds rest on."""

    @property
    def default_level(self) -> str:
        """The AI that takes over a seat where nobody has chosen a level: the second weakest."""
        levels = tuple(self.policies)
        return levels[min(1, len(levels) - 1)]

    @property
    def text_icons(self) -> dict[str, str]:
        """What all of the game's own emojis are shown as where they are not drawn."""
        return {f"game-{self.rules.key}": self.icon, **self.icons}
