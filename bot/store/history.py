"""The interface for listing finished games, and for noting where their reviews were posted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from bot.standings.values import FinishedGame, Span


class HistoryStore(Protocol):
    """Lists of finished games."""

    async def finished_in_channel(self, channel_id: int, span: Span) -> tuple[FinishedGame, ...]: ...

    async def finished_in_guild(
        self, guild_id: int, channels: Sequence[int], user_id: int, span: Span
    ) -> tuple[FinishedGame, ...]:
        """Return finished games of these channels and those that the person played in."""
        ...

    async def note_share(self, game_id: int, channel_id: int) -> None:
        """Store that a game's review was posted in a channel."""
        ...

    async def has_share(self, game_id: int, channel_id: int) -> bool:
        """Return whether a game's review was posted in a channel."""
        ...
