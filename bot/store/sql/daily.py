"""The daily game in SQL; see :class:`~bot.store.daily.DailyStore`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.store.daily import DailyDay, DailyLine, DailyList, DailyPlay
from bot.store.sql.access import SqlPart
from bot.store.sql.connection import Connection, Row


class SqlDaily(SqlPart):
    """Implements :class:`~bot.store.daily.DailyStore` on both databases."""

    async def make_day(self, day: int, secret: bytes, rules_version: int) -> DailyDay:
        stored = await self.day(day)
        if stored is not None:
            return stored

        async def job(connection: Connection) -> DailyDay:
            await connection.execute("make_daily_day", day=day, secret=secret, rules_version=rules_version)
            row = await connection.one("daily_day", day=day)
            assert row is not None
            return _day(row)

        return await self._sql.write(job)

    async def day(self, day: int) -> DailyDay | None:
        row = await self._sql.reading.one("daily_day", day=day)
        return None if row is None else _day(row)

    async def set_par(self, day: int, par: int) -> None:
        await self._sql.execute("set_daily_par", day=day, par=par)

    async def begin(self, user_id: int, day: int, at: float) -> DailyPlay:
        async def job(connection: Connection) -> DailyPlay:
            await connection.execute("begin_daily_play", user_id=user_id, day=day, at=at)
            row = await connection.one("daily_play", user_id=user_id, day=day)
            assert row is not None
            return DailyPlay(*row)

        return await self._sql.write(job)

    async def play(self, user_id: int, day: int) -> DailyPlay | None:
        row = await self._sql.reading.one("daily_play", user_id=user_id, day=day)
        return None if row is None else DailyPlay(*row)

    async def write(self, play: DailyPlay, expected: int) -> bool:
        async def job(connection: Connection) -> bool:
            changed = await connection.execute(
                "write_daily_choices",
                user_id=play.user_id,
                day=play.day,
                choices=play.choices,
                made=play.made,
                ended_at=play.ended_at,
                turns=play.turns,
                expected=expected,
            )
            return changed == 1

        return await self._sql.write(job)

    async def set_lost(self, user_id: int, day: int, lost: float) -> None:
        await self._sql.execute("set_daily_lost", user_id=user_id, day=day, lost=lost)

    async def days_of(self, user_id: int) -> tuple[int, ...]:
        return await self._sql.numbers("daily_days_of", user_id=user_id)

    async def put_on_list(self, guild_id: int, day: int, user_id: int) -> None:
        # Who is not known in the server is on no list, and their name may just have been noted.
        await self._sql.write_postponed()
        await self._sql.execute("note_daily_server", guild_id=guild_id, day=day, user_id=user_id)

    async def list_of(
        self, day: int, guild_id: int | None, start: int, limit: int, user_id: int
    ) -> DailyList:
        page = {"day": day, "start": start, "upto": start + limit, "user_id": user_id}
        if guild_id is None:
            rows = await self._sql.reading.all("daily_list_of_all", **page)
        else:
            rows = await self._sql.reading.all("daily_list_of_server", guild_id=guild_id, **page)
        return DailyList(tuple(map(_line, rows)), rows[0]["people"] if rows else 0)

    async def listed_name(self, user_id: int) -> str | None:
        name: str | None = await self._sql.reading.value("daily_listed_name", user_id=user_id)
        return name

    async def set_listed(self, user_id: int, name: str | None) -> None:
        async def job(connection: Connection) -> None:
            if name is None:
                await connection.execute("delete_daily_listed", user_id=user_id)
            else:
                await connection.execute("set_daily_listed", user_id=user_id, name=name)

        await self._sql.write(job)

    async def export(self, user_id: int) -> Mapping[str, Any]:
        """Return what is stored of a person's daily games, for their export."""
        plays = await self._sql.reading.all("export_daily_plays", user_id=user_id)
        servers = await self._sql.reading.all("export_daily_servers", user_id=user_id)
        return {
            "plays": [dict(row) for row in plays],
            "servers": [dict(row) for row in servers],
            "name_on_the_list_of_all": await self.listed_name(user_id),
        }


async def erase_daily(connection: Connection, user_id: int) -> int:
    """Delete a person's daily games. Return how many rows there were."""
    deleted = await connection.execute("delete_daily_listed", user_id=user_id)
    deleted += await connection.execute("delete_daily_servers_of", user_id=user_id)
    return deleted + await connection.execute("delete_daily_plays_of", user_id=user_id)


def _day(row: Row) -> DailyDay:
    return DailyDay(row["day"], bytes(row["secret"]), row["rules_version"], row["par"])


def _line(row: Row) -> DailyLine:
    names = ("user_id", "name", "turns", "lost", "place", "number")
    return DailyLine(*(row[name] for name in names))
