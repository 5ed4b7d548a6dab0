"""What is stored of seasons: which are closed, who was best, and the cards that are still to be posted."""

from __future__ import annotations

from typing import Protocol

from bot.standings.seasons import SeasonLine


class SeasonStore(Protocol):
    """Storage of seasons, which are given as months; see :mod:`bot.standings.seasons`."""

    async def with_open(self, through: int, after: int, limit: int) -> tuple[int, ...]:
        """Return servers of this process's shards, with ids above ``after``, in which people have finished
        games and not all seasons up to ``through`` are closed."""
        ...

    async def close_next(self, guild_id: int, through: int) -> bool:
        """Close the next season of a server with games that count, and all before it, up to ``through``.

        Return whether there may be more to close. What is closed stays as it is.
        """
        ...

    async def cards(self) -> tuple[tuple[int, int], ...]:
        """Return the servers of this process's shards with a card that is still to be posted, and its
        season."""
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
