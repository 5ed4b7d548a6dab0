"""What is stored of seasons: which are closed, who was best, and the cards that are still to be posted."""

from __future__ import annotations

from typing import Protocol

from bot.standings.seasons import SeasonLine


class SeasonStore(Protocol):
    """Storage of seasons, which are given as months; see :mod:`bot.standings.seasons`."""

    async def with_open(self, through: int, after: int, limit: int) -> tuple[int, ...]:
        """Return servers with finished games whose seasons up to ``through`` are not all closed.

        They are of this process's shards, and have ids above ``after``."""
        ...

    async def close_next(self, guild_id: int, through: int) -> bool:
        """Close a server's next season with games that count, and all before it, but none after ``through``.

        Return whether there may be more to close. A closed season never changes.
        """
        ...

    async def cards(self) -> tuple[tuple[int, int], ...]:
        """Return the cards that are still to be posted, as server and season, of this process's shards."""
        ...

    async def try_card(self, guild_id: int, month: int) -> bool:
        """Note that the card of a season is about to be posted. Return whether that was noted before."""
        ...

    async def settle_card(self, guild_id: int, month: int, *, refused: bool) -> None:
        """Store that the card of a season was posted or needs no posting, or that Discord refused it."""
        ...

    async def refused_card(self, guild_id: int) -> int | None:
        """Return the season whose card Discord has refused, if that is the server's latest card."""
        ...

    async def months(self, guild_id: int, game: str) -> tuple[int, ...]:
        """Return the seasons of a game that somebody has won, the latest first."""
        ...

    async def lines(self, guild_id: int, game: str, month: int) -> tuple[SeasonLine, ...]: ...
