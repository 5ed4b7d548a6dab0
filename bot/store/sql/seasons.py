"""Seasons in SQL; see :class:`~bot.store.seasons.SeasonStore`."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from bot.standings.seasons import Score, SeasonLine, month_at, places, starts_at
from bot.store.sql.access import SqlPart
from bot.store.sql.connection import Connection, Row, Value


class SqlSeasons(SqlPart):
    """Implements :class:`~bot.store.seasons.SeasonStore` on both databases."""

    async def with_open(self, through: int, after: int, limit: int) -> tuple[int, ...]:
        return await self._sql.numbers(
            "guilds_with_open_seasons", through=through, after=after, limit=limit, **self._sql.shards
        )

    async def close_next(self, guild_id: int, through: int) -> bool:
        async def job(connection: Connection) -> bool:
            # Let a game that is just ending get into its season before the season is closed.
            await connection.lock_standings()
            row = await connection.one("season", guild_id=guild_id)
            since = starts_at(0 if row is None else row["through"] + 1)
            if row is not None and row["through"] >= through:
                return False
            span = {"guild_id": guild_id, "since": since, "until": starts_at(through + 1)}
            first = await connection.value("first_counted_result", **span)
            month = through if first is None else month_at(first)
            won = await _close(connection, guild_id, month)
            card = month if won else None
            await connection.execute("set_season", guild_id=guild_id, through=month, card=card)
            return month < through

        return await self._sql.write(job)

    async def cards(self) -> tuple[tuple[int, int], ...]:
        rows = await self._sql.reading.all("season_cards", **self._sql.shards)
        return tuple((row["guild_id"], row["card"]) for row in rows)

    async def try_card(self, guild_id: int, month: int) -> bool:
        async def job(connection: Connection) -> bool:
            row = await connection.one("season", guild_id=guild_id)
            await connection.execute("try_season_card", guild_id=guild_id, month=month)
            return row is not None and row["tried"] == month

        return await self._sql.write(job)

    async def settle_card(self, guild_id: int, month: int, *, refused: bool) -> None:
        await self._sql.execute(
            "settle_season_card", guild_id=guild_id, month=month, refused=month if refused else None
        )

    async def refused_card(self, guild_id: int) -> int | None:
        row = await self._sql.reading.one("season", guild_id=guild_id)
        month: int | None = None if row is None else row["refused"]
        return month

    async def months(self, guild_id: int, game: str) -> tuple[int, ...]:
        return await self._sql.numbers("season_months", guild_id=guild_id, game=game)

    async def lines(self, guild_id: int, game: str, month: int) -> tuple[SeasonLine, ...]:
        rows = await self._sql.reading.all("season_lines", guild_id=guild_id, game=game, month=month)
        return tuple(map(_line, rows))

    async def export(self, user_id: int) -> list[dict[str, Any]]:
        """Return a person's places in seasons, for their export."""
        return [dict(row) for row in await self._sql.reading.all("export_season_lines", user_id=user_id)]


async def _close(connection: Connection, guild_id: int, month: int) -> bool:
    """Store the best of a season; return whether there is anybody."""
    span = {"guild_id": guild_id, "since": starts_at(month), "until": starts_at(month + 1)}
    rows: list[dict[str, Value]] = []
    winners = await connection.all("season_winners", **span)
    for game, winners_of_game in groupby(winners, key=lambda row: str(row["game"])):
        scores = [Score(row["user_id"], int(row["wins"]), row["games"]) for row in winners_of_game]
        for number, (place, score) in enumerate(places(scores), 1):
            rows.append(
                {
                    "guild_id": guild_id,
                    "game": game,
                    "month": month,
                    "number": number,
                    "place": place,
                    "user_id": score.user_id,
                    "wins": score.wins,
                    "games": score.games,
                }
            )
    await connection.execute_many("insert_season_line", rows)
    return bool(rows)


def _line(row: Row) -> SeasonLine:
    shown = row["user_id"] is not None and not row["unlisted"]
    return SeasonLine(
        row["place"],
        row["user_id"] if shown else None,
        row["name"] if shown else "",
        row["wins"],
        row["games"],
    )
