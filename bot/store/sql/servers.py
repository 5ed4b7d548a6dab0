"""Servers in SQL: their settings, and deleting what is no longer needed or wanted.

See :class:`~bot.store.servers.ServerStore`.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from bot.store.servers import TIME_ZONE
from bot.store.sql.access import SqlAccess
from bot.store.sql.connection import Connection
from bot.store.sql.game_end import recount

PURGED = (
    "purge_totals",
    "purge_records",
    "purge_daily_servers",
    "purge_puzzles",
    "purge_season_lines",
    "purge_seasons",
    "purge_members",
    "purge_settings",
    "come_back",
)
"""The queries that delete what is stored of a server besides its games."""

PURGE_GAMES = 50
"""How many games to delete in one transaction."""

TIDY_ROWS = 2000
"""How many rows to delete in one transaction."""

INTERACTION_SECONDS = 7 * 86_400.0
"""How long to keep interactions; Discord delivers none again after 15 minutes."""

CLOSED_SECONDS = 30 * 86_400.0
"""How long a game that was closed without a result keeps the names of its people."""

SEARCHED_GAMES = 1000
"""How many games to search at a time for closed ones, which have no index."""

DISCORD_EPOCH = 1_420_070_400
"""The Unix second from which Discord's ids count time."""


class SqlServers(SqlAccess):
    """The part of the stores on SQLite and PostgreSQL about whole servers."""

    async def all_settings(self) -> Mapping[int, Mapping[str, Any]]:
        settings: defaultdict[int, dict[str, Any]] = defaultdict(dict)
        for row in await self.reading.all("all_settings"):
            settings[row["guild_id"]][row["name"]] = json.loads(row["value"])
        return settings

    async def set_settings(self, guild_id: int, values: Mapping[str, Any], at: float) -> None:
        async def job(connection: Connection) -> None:
            if TIME_ZONE in values:
                await connection.lock_standings()
            for name, value in values.items():
                if value is None:
                    await connection.execute("unset_setting", guild_id=guild_id, name=name)
                    continue
                await connection.execute("set_setting", guild_id=guild_id, name=name, value=json.dumps(value))
            if TIME_ZONE in values:
                await recount(connection, guild_id, at)

        await self.write(job)

    async def depart(self, guild_id: int, at: float) -> None:
        await self.execute("depart", guild_id=guild_id, at=at)

    async def come_back(self, guild_id: int) -> None:
        await self.execute("come_back", guild_id=guild_id)

    async def departures(self) -> Mapping[int, float]:
        rows = await self.reading.all("departures")
        return {row["guild_id"]: row["at"] for row in rows}

    async def known_guilds(self) -> tuple[int, ...]:
        return await self.numbers("known_guilds")

    async def purge(self, guild_id: int) -> None:
        async def some(connection: Connection) -> bool:
            await connection.lock_standings()
            rows = await connection.all("some_games_of_guild", guild_id=guild_id, limit=PURGE_GAMES)
            games = json.dumps([row["id"] for row in rows])
            # Newest first: a rematch goes before the game it refers to.
            for table in ("moves", "results", "shares", "words", "former_seats", "seats", "games"):
                await connection.execute(f"purge_{table}", games=games)
            return bool(rows)

        async def rest(connection: Connection) -> None:
            await connection.lock_standings()
            for query in PURGED:
                await connection.execute(query, guild_id=guild_id)
            await connection.execute("note_deletion")

        await self.write_postponed()
        while await self.write(some):
            pass
        await self.write(rest)

    async def tidy(self, now: float) -> None:
        before = first_id_at(now - INTERACTION_SECONDS)

        async def sums(connection: Connection) -> int:
            await connection.lock_standings()
            # A day lasts at most 26 hours, also when clocks change; weeks and months likewise.
            passed = int(now - 2 * 86_400)
            return int(await connection.execute("delete_past_totals", before=passed, limit=TIDY_ROWS))

        async def interactions(connection: Connection) -> int:
            return int(await connection.execute("delete_old_interactions", before=before, limit=TIDY_ROWS))

        for job in (sums, interactions):
            while await self.write(job) == TIDY_ROWS:
                pass
        latest = int(await self.reading.value("latest_game_id"))
        for after in range(0, latest, SEARCHED_GAMES):
            await self._forget_closed(after, now - CLOSED_SECONDS)

    async def _forget_closed(self, after: int, before: float) -> None:
        """Remove people from games that were closed before a time, among those with the next ids."""
        rows = await self.reading.all(
            "closed_games_with_names", after=after, upto=after + SEARCHED_GAMES, before=before
        )
        games = json.dumps([row["id"] for row in rows])

        async def job(connection: Connection) -> None:
            await connection.lock_standings()
            await connection.execute("forget_seats_of_closed", games=games)
            await connection.execute("forget_words_of_closed", games=games)
            await connection.execute("forget_former_seats_of_closed", games=games)
            await connection.execute("forget_hosts_of_closed", games=games)
            await connection.execute("note_deletion")

        if rows:
            await self.write(job)


def first_id_at(at: float) -> int:
    """Return the smallest id that Discord gives at a time in Unix seconds, or later."""
    return int((at - DISCORD_EPOCH) * 1000) << 22
