"""Finished games in SQL, for lists of them; see :class:`~bot.store.history.HistoryStore`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from bot.games.seats import Seat
from bot.standings.values import FinishedGame, Span
from bot.store.sql.access import SqlAccess
from bot.store.sql.connection import Row


class SqlHistory(SqlAccess):
    """The part of the stores on SQLite and PostgreSQL about finished games."""

    async def finished_in_channel(self, channel_id: int, span: Span) -> tuple[FinishedGame, ...]:
        return await self._finished("finished_in_channel", span, channel_id=channel_id)

    async def finished_in_guild(
        self, guild_id: int, channels: Sequence[int], user_id: int, span: Span
    ) -> tuple[FinishedGame, ...]:
        visible = {"guild_id": guild_id, "channels": json.dumps(list(channels)), "user_id": user_id}
        return await self._finished("finished_in_guild", span, **visible)

    async def _finished(self, query: str, span: Span, **values: Any) -> tuple[FinishedGame, ...]:
        values |= {"game": span.game, "limit": span.limit}
        if span.after is None:
            rows = await self.reading.all(f"{query}_before", key=span.before, **values)
        else:
            rows = list(reversed(await self.reading.all(f"{query}_after", key=span.after, **values)))
        return await self._with_seats(rows)

    async def note_share(self, game_id: int, channel_id: int) -> None:
        await self.execute("note_share", game_id=game_id, channel_id=channel_id)

    async def has_share(self, game_id: int, channel_id: int) -> bool:
        return await self.reading.one("share", game_id=game_id, channel_id=channel_id) is not None

    async def _with_seats(self, games: Sequence[Row]) -> tuple[FinishedGame, ...]:
        ids = json.dumps([row["id"] for row in games])
        places = await self.reading.all("places_of_games", games=ids)
        seats: dict[int, list[Row]] = {
            game_id: list(rows) for game_id, rows in groupby(places, key=lambda row: int(row["game_id"]))
        }
        return tuple(
            FinishedGame(
                game_id=row["id"],
                finish=row["finish"],
                game=row["game"],
                channel_id=row["channel_id"],
                at=row["updated_at"],
                seats=tuple(
                    Seat(seat["kind"], seat["name"], seat["user_id"], seat["policy"])
                    for seat in seats.get(row["id"], ())
                ),
                winners=tuple(
                    index for index, seat in enumerate(seats.get(row["id"], ())) if seat["place"] == 1
                ),
            )
            for row in games
        )
