"""Members of servers and people's data in SQL; see :class:`~bot.store.people.PeopleStore`."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from bot.store.people import TO_ERASE, MemberRow, StillSeated
from bot.store.sql.access import SqlAccess
from bot.store.sql.connection import Connection, Row
from bot.store.sql.daily import SqlDaily, erase_daily
from bot.store.sql.notifications import SqlNotifications
from bot.store.sql.puzzles import SqlPuzzles, erase_puzzles
from bot.store.sql.seasons import SqlSeasons


class SqlPeople(SqlAccess):
    """The part of the stores on SQLite and PostgreSQL about people."""

    @property
    def daily(self) -> SqlDaily:
        """The daily game."""
        return SqlDaily(self)

    @property
    def notifications(self) -> SqlNotifications:
        """How people want to be notified."""
        return SqlNotifications(self)

    @property
    def puzzles(self) -> SqlPuzzles:
        """The puzzles from games, and which ones people were shown."""
        return SqlPuzzles(self)

    @property
    def seasons(self) -> SqlSeasons:
        """The seasons of all servers."""
        return SqlSeasons(self)

    async def member(self, guild_id: int, user_id: int) -> MemberRow | None:
        row = await self.reading.one("member", guild_id=guild_id, user_id=user_id)
        return None if row is None else MemberRow(row["name"], bool(row["present"]), bool(row["unlisted"]))

    async def unlisted(self, guild_id: int, users: Collection[int]) -> frozenset[int]:
        rows = await self.reading.all("unlisted_members", guild_id=guild_id, users=json.dumps(sorted(users)))
        return frozenset(row["user_id"] for row in rows)

    async def absent(self, guild_id: int, limit: int) -> tuple[int, ...]:
        return await self.numbers("absent_members", guild_id=guild_id, limit=limit)

    async def note_member(self, guild_id: int, user_id: int, name: str) -> None:
        self.write_later(_write_members, (guild_id, user_id), (guild_id, user_id, name))

    async def set_present(self, guild_id: int, presence: Mapping[int, bool], at: float) -> None:
        async def job(connection: Connection) -> None:
            await connection.lock_standings()
            for user_id, present in presence.items():
                member = {"guild_id": guild_id, "user_id": user_id}
                await connection.execute("set_present", **member, present=int(present), at=at)
                await connection.execute("refresh_hidden", **member)

        if presence:
            # A name that was noted earlier would say that its person is there.
            await self.write_postponed()
            await self.write(job)

    async def set_unlisted(self, guild_id: int, user_id: int, name: str, unlisted: bool) -> None:
        async def job(connection: Connection) -> None:
            await connection.lock_standings()
            member = {"guild_id": guild_id, "user_id": user_id}
            await connection.execute("set_unlisted", **member, name=name, unlisted=int(unlisted))
            await connection.execute("refresh_hidden", **member)

        await self.write_postponed()
        await self.write(job)

    async def active_games_of(self, user_id: int) -> tuple[int, ...]:
        return await self.numbers("active_games_of", user_id=user_id, offered=_offered(user_id))

    async def erase(self, user_id: int) -> None:
        async def job(connection: Connection) -> None:
            await connection.lock_standings()
            active = await connection.all("active_games_of", user_id=user_id, offered=_offered(user_id))
            if active:
                raise StillSeated([row["id"] for row in active])
            deleted: list[int] = []
            for row in await connection.all("guilds_of_user", user_id=user_id):
                member = {"guild_id": row["guild_id"], "user_id": user_id}
                deleted.append(await connection.execute("delete_records_of", **member))
                deleted.append(await connection.execute("delete_totals_of", **member))
            # Puzzles and results first, because their queries find them through the seats.
            deleted.append(await erase_puzzles(connection, user_id))
            deleted.append(await connection.execute("anonymous_results", user_id=user_id))
            deleted.append(await connection.execute("anonymous_host", user_id=user_id))
            deleted.append(await connection.execute("anonymous_seats", user_id=user_id))
            deleted.append(await connection.execute("anonymous_former_seats", user_id=user_id))
            deleted.append(await connection.execute("anonymous_season_lines", user_id=user_id))
            deleted.append(await connection.execute("delete_words_of", user_id=user_id))
            deleted.append(await erase_daily(connection, user_id))
            deleted.append(await connection.execute("delete_notifications_of", user_id=user_id))
            deleted.append(await connection.execute("delete_member_everywhere", user_id=user_id))
            deleted.append(await connection.execute("forget_meta", key=f"{TO_ERASE}{user_id}"))
            if any(deleted):
                # On SQLite the file is then rewritten, which takes time.
                await connection.execute("note_deletion")

        await self.write_postponed()
        await self.write(job)

    async def to_erase(self) -> tuple[int, ...]:
        rows = await self.reading.all("meta_like", pattern=f"{TO_ERASE}%")
        return tuple(int(row["key"].removeprefix(TO_ERASE)) for row in rows)

    async def export(self, user_id: int) -> Mapping[str, Any]:
        members = await self.reading.all("export_members", user_id=user_id)
        totals = await self.reading.all("export_totals", user_id=user_id)
        records = await self.reading.all("export_records", user_id=user_id)
        words = await self.reading.all("export_words", user_id=user_id)
        offers = await self.reading.all("export_offers", offered=_offered(user_id))
        former = await self.reading.all("export_former_seats", user_id=user_id)
        return {
            "user_id": user_id,
            "servers": [
                {
                    "server": row["guild_id"],
                    "name": row["name"],
                    "in_server": bool(row["present"]),
                    "on_leaderboards": not row["unlisted"],
                    "asked_at": row["checked_at"],
                }
                for row in members
            ],
            "totals": [dict(row) for row in totals],
            "records": [dict(row) for row in records],
            "words": [dict(row) for row in words],
            "offers": [offer for row in offers for offer in _own_offers(row, user_id)],
            "former_seats": [dict(row) for row in former],
            "daily": await self.daily.export(user_id),
            "calls": await self.notifications.export(user_id),
            "puzzles": await self.puzzles.export(user_id),
            "seasons": await self.seasons.export(user_id),
        }

    async def export_games(self, user_id: int, after: int, limit: int) -> tuple[Mapping[str, Any], ...]:
        games = await self.reading.all("export_games", user_id=user_id, after=after, limit=limit)
        if not games:
            return ()
        moves: defaultdict[int, list[Any]] = defaultdict(list)
        upto = games[-1]["game_id"]
        for row in await self.reading.all("export_moves", user_id=user_id, after=after, upto=upto):
            moves[row["game_id"]].append([row["number"], row["at"], row["action"]])
        return tuple(_own(row) | {"moves": moves[row["game_id"]]} for row in games)


async def ask_to_erase(connection: Connection, people: Iterable[int]) -> None:
    """Leave a note that the bot shall delete these people's data."""
    for user_id in people:
        await connection.execute("set_meta", key=f"{TO_ERASE}{user_id}", value="")


async def _write_members(members: Sequence[tuple[int, int, str]], connection: Connection) -> None:
    """Store the names of people, by server and person, and that they are there."""
    locked = False
    for guild_id, user_id, name in members:
        member = {"guild_id": guild_id, "user_id": user_id}
        row = await connection.one("member", **member)
        if row is not None and row["present"] and row["name"] == name:
            continue
        if not locked:
            await connection.lock_standings()
            locked = True
        await connection.execute("upsert_member", **member, name=name)
        await connection.execute("refresh_hidden", **member)


def _offered(user_id: int) -> str:
    """Return the pattern of stored questions that name a person, see ``offers`` in bot/store/encoding.py."""
    return f"%,{user_id},%"


def _own_offers(row: Row, user_id: int) -> list[dict[str, Any]]:
    """Return a game's questions to a person and about their seat, without who the other person is."""
    return [
        {"game_id": row["id"], "asked": asked == user_id, "until": until, "answer": answer}
        for _, seated, asked, until, answer in json.loads(row["offers"])
        if user_id in (seated, asked)
    ]


def _own(row: Row) -> dict[str, Any]:
    """Return a game for the export, with only the person's part of columns that hold all seats."""
    game = dict(row)
    seat = game["seat"]
    for name, default in (("acted", 0.0), ("missed", 0)):
        game[name] = dict(enumerate(json.loads(game[name]))).get(seat, default)
    game["voted"] = seat in json.loads(game.pop("votes"))
    return game
