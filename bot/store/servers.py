"""The interface for storing settings of servers, and for deleting what is no longer needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

TIME_ZONE = "time_zone"
"""The name of the setting that decides when days, weeks and months begin."""


class ServerStore(Protocol):
    """The settings of servers, and which of them have removed the bot."""

    async def all_settings(self) -> Mapping[int, Mapping[str, Any]]:
        """Return all settings by server and name."""
        ...

    async def set_settings(self, guild_id: int, values: Mapping[str, Any], at: float) -> None:
        """Change settings by name, all of them or none; None resets one to its default.

        A new time zone changes when days begin.
        """
        ...

    async def depart(self, guild_id: int, at: float) -> None:
        """Store that the bot was removed from a server."""
        ...

    async def come_back(self, guild_id: int) -> None: ...

    async def departures(self) -> Mapping[int, float]:
        """Return the servers that the bot was removed from, and when."""
        ...

    async def known_guilds(self) -> tuple[int, ...]:
        """Return all servers with stored data."""
        ...

    async def purge(self, guild_id: int) -> None:
        """Delete all data of a server, in small transactions so that other writes need not wait."""
        ...

    async def tidy(self, now: float) -> None:
        """Delete unused data: totals of past days, interactions too old to be delivered again, and the people
        of games that were closed a while ago.
        """
        ...
