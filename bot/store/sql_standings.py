"""The remembering part of a store that speaks SQL; see :class:`~bot.store.standings.StandingsStore`."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, Protocol, TypeVar

from bot.games.seats import Seat
from bot.standings.aggregates import LASTING, RECORDS, more_feats
from bot.standings.values import (
    LUCK,
    LUCK_GAMES,
    Board,
    CurvePoint,
    Opponent,
    Period,
    Played,
    Record,
    Sort,
    Standing,
    Stats,
)
from bot.store.game_end import recount
from bot.store.inline import Job
from bot.store.leaderboard_queries import ORDERS
from bot.store.sql import all_rows, alone, queries
from bot.store.standings import TIME_ZONE, MemberRow, StillSeated

T = TypeVar("T")

MAX_OPPONENTS = 3
LATELY = 500
"""Opponents are those of so many latest games."""

CURVE_POINTS = 100
"""A curve of more games is made of so many of them, evenly spread; the last is always there."""

PURGE_GAMES = 50
"""Games that are deleted in one transaction."""

TIDY_ROWS = 2000
"""Rows that are deleted in one transaction."""

INTERACTION_SECONDS = 7 * 86_400.0
"""How long interactions are remembered; Discord delivers none again after 15 minutes."""

DISCORD_EPOCH = 1_420_070_400.0


class Writes(Protocol):
    """Runs jobs in transactions; see :class:`~bot.store.sqlite.writer.Writer`."""

    async def run(self, job: Job[T]) -> T: ...

    def later(self, job: Job[Any]) -> None: ...

    @property
    def lazy_seconds(self) -> float: ...


class SqlStandings:
    """Mixed into the stores on SQLite and PostgreSQL, which say through what it reads and writes."""

    _reading: Any
    _writer: Writes
    _care: Mapping[str, Any] = {}
    """Which games are found for what happens by itself, if not all: more values of their queries."""

    # Standings.

    async def standings(self, board: Board, start: int, most: int) -> tuple[Standing, ...]:
        if board.period not in LASTING:
            query = queries.passing_page(
                self._reading, **_scope(board), sort=board.sort.value, start=start, most=most
            )
            return tuple(_standing(row, row["place"]) for row in await all_rows(query))
        query = getattr(queries, f"page_by_{board.sort.value}")
        rows = await all_rows(query(self._reading, **_scope(board), start=start, most=most))
        lines: list[Standing] = []
        place = 0
        for number, row in enumerate(rows):
            if number == 0:
                place = (await self._before(board, row["value"], row["user_id"]))["better"] + 1
            elif row["value"] != rows[number - 1]["value"]:
                place = start + number + 1
            lines.append(_standing(row, place))
        return tuple(lines)

    async def ranked(self, board: Board) -> int:
        if board.period not in LASTING:
            query = queries.passing_ranked(self._reading, **_scope(board), sort=board.sort.value)
            return int(await query)
        query = getattr(queries, f"ranked_by_{board.sort.value}")
        return int(await query(self._reading, **_scope(board)))

    async def standing_of(self, board: Board, user_id: int) -> tuple[Standing, int] | None:
        row = await queries.line_of(self._reading, **_scope(board), user_id=user_id)
        if row is None or row["hidden"]:
            return None
        column, _ = ORDERS[board.sort]
        if row[column] is None or (board.sort is Sort.RATE and row["games"] < 5):
            return None
        found = await self._before(board, row[column], user_id)
        return _standing(row, found["better"] + 1), found["earlier"]

    async def _before(self, board: Board, value: float, user_id: int) -> Any:
        own = {**_scope(board), "value": value, "user_id": user_id}
        row: Any
        if board.period in LASTING:
            row = await getattr(queries, f"before_by_{board.sort.value}")(self._reading, **own)
        else:
            row = await queries.passing_before(self._reading, **own, sort=board.sort.value)
        return row

    async def stats(self, guild_id: int, game: str, user_id: int) -> Stats | None:
        board = Board(guild_id, game, Sort.RATING)
        row = await queries.line_of(self._reading, **_scope(board), user_id=user_id)
        if row is None:
            return None
        own = {"guild_id": guild_id, "game": game, "user_id": user_id}
        rank = None
        if row["rating"] is not None and not row["hidden"]:
            found = await self._before(board, row["rating"], user_id)
            rank = int(found["better"]) + 1
        numbers = curve_numbers(row["games"])
        return Stats(
            user_id=user_id,
            name=row["name"],
            games=row["games"],
            wins=row["wins"],
            score=row["score"],
            turns=row["turns"],
            best_turn=row["best_turn"],
            streak=row["streak"],
            longest_streak=row["longest_streak"],
            rating=row["rating"],
            rank=rank,
            ranked=await self.ranked(board),
            since=row["first_at"],
            feats=json.loads(row["feats"]),
            opponents=tuple(
                Opponent(*one)
                for one in await all_rows(
                    queries.opponents_of(self._reading, **own, lately=LATELY, most=MAX_OPPONENTS)
                )
            ),
            curve=tuple(
                CurvePoint(*one)
                for one in await all_rows(queries.curve_of(self._reading, **own, numbers=json.dumps(numbers)))
            ),
        )

    async def records(self, guild_id: int, game: str) -> tuple[Record, ...]:
        found: dict[str, Record] = {}
        for row in await all_rows(queries.records_of_guild(self._reading, guild_id=guild_id, game=game)):
            found.setdefault(row["kind"], Record(*row))
        return tuple(found[kind] for kind in RECORDS if kind in found)

    async def without_luck(self, game: str, before: int, most: int) -> tuple[int, ...]:
        rows = queries.games_without_luck(self._reading, game=game, before=before, most=most, **self._care)
        return tuple(row["game_id"] for row in await all_rows(rows))

    async def set_luck(self, game_id: int, luck: Sequence[int]) -> None:
        async def job(connection: Any) -> None:
            await alone(connection)
            rows = await all_rows(queries.results_without_luck(connection, game_id=game_id))
            await queries.set_luck(
                connection,
                [{"game_id": game_id, "seat": row["seat"], "luck": luck[row["seat"]]} for row in rows],
            )
            for row in rows:
                if row["user_id"] is None:
                    continue
                own = {name: row[name] for name in ("guild_id", "game", "user_id")}
                feats = await queries.feats_of(connection, **own)
                more = {LUCK: luck[row["seat"]], LUCK_GAMES: 1}
                await queries.set_feats(connection, **own, feats=more_feats(feats, more))

        await self._writer.run(job)

    # History.

    async def finished_in_channel(self, channel_id: int, start: int, most: int) -> tuple[Played, ...]:
        rows = queries.finished_in_channel(self._reading, channel_id=channel_id, start=start, most=most)
        return await self._played(await all_rows(rows))

    async def finished_in_guild(
        self, guild_id: int, channels: Sequence[int], user_id: int, start: int, most: int
    ) -> tuple[Played, ...]:
        rows = queries.finished_in_guild(
            self._reading,
            guild_id=guild_id,
            channels=json.dumps(list(channels)),
            user_id=user_id,
            start=start,
            most=most,
        )
        return await self._played(await all_rows(rows))

    async def count_finished(
        self, guild_id: int, channels: Sequence[int], user_id: int, *, channel_id: int | None = None
    ) -> int:
        if channel_id is not None:
            return int(await queries.count_finished_in_channel(self._reading, channel_id=channel_id))
        return int(
            await queries.count_finished_in_guild(
                self._reading, guild_id=guild_id, channels=json.dumps(list(channels)), user_id=user_id
            )
        )

    async def note_share(self, game_id: int, channel_id: int) -> None:
        async def job(connection: Any) -> None:
            await queries.note_share(connection, game_id=game_id, channel_id=channel_id)

        await self._writer.run(job)

    async def has_share(self, game_id: int, channel_id: int) -> bool:
        return await queries.share(self._reading, game_id=game_id, channel_id=channel_id) is not None

    async def _played(self, games: Sequence[Any]) -> tuple[Played, ...]:
        ids = json.dumps([row["id"] for row in games])
        places = await all_rows(queries.places_of_games(self._reading, games=ids))
        seats: dict[int, list[Any]] = {
            game_id: list(rows) for game_id, rows in groupby(places, key=lambda row: int(row["game_id"]))
        }
        return tuple(
            Played(
                game_id=row["id"],
                game=row["game"],
                channel_id=row["channel_id"],
                at=row["updated_at"],
                seats=tuple(
                    Seat(seat["kind"], seat["name"], seat["user_id"], seat["policy"])
                    for seat in seats.get(row["id"], ())
                ),
                winners=tuple(
                    number for number, seat in enumerate(seats.get(row["id"], ())) if seat["place"] == 1
                ),
            )
            for row in games
        )

    # People.

    async def member(self, guild_id: int, user_id: int) -> MemberRow | None:
        row = await queries.member(self._reading, guild_id=guild_id, user_id=user_id)
        return None if row is None else MemberRow(row["name"], bool(row["present"]), bool(row["unlisted"]))

    async def absent(self, guild_id: int, most: int) -> tuple[int, ...]:
        rows = await all_rows(queries.absent_members(self._reading, guild_id=guild_id, most=most))
        return tuple(row["user_id"] for row in rows)

    async def seen(self, guild_id: int, user_id: int, name: str) -> None:
        async def job(connection: Any) -> None:
            own = {"guild_id": guild_id, "user_id": user_id}
            row = await queries.member(connection, **own)
            if row is not None and row["present"] and row["name"] == name:
                return
            await alone(connection)
            await queries.upsert_member(connection, **own, name=name)
            await queries.refresh_hidden(connection, **own)

        self._writer.later(job)

    async def set_present(self, guild_id: int, found: Mapping[int, bool], at: float) -> None:
        async def job(connection: Any) -> None:
            await alone(connection)
            for user_id, present in found.items():
                own = {"guild_id": guild_id, "user_id": user_id}
                await queries.set_present(connection, **own, present=int(present), at=at)
                await queries.refresh_hidden(connection, **own)

        if found:
            await self._writer.run(job)

    async def set_unlisted(self, guild_id: int, user_id: int, name: str, unlisted: bool) -> None:
        async def job(connection: Any) -> None:
            await alone(connection)
            own = {"guild_id": guild_id, "user_id": user_id}
            await queries.set_unlisted(connection, **own, name=name, unlisted=int(unlisted))
            await queries.refresh_hidden(connection, **own)

        await self._writer.run(job)

    async def active_games_of(self, user_id: int) -> tuple[int, ...]:
        rows = await all_rows(queries.active_games_of(self._reading, user_id=user_id))
        return tuple(row["id"] for row in rows)

    async def erase(self, user_id: int) -> None:
        async def job(connection: Any) -> None:
            await alone(connection)
            active = await all_rows(queries.active_games_of(connection, user_id=user_id))
            if active:
                raise StillSeated([row["id"] for row in active])
            for row in await all_rows(queries.guilds_of_user(connection, user_id=user_id)):
                own = {"guild_id": row["guild_id"], "user_id": user_id}
                kinds = await all_rows(queries.kinds_played(connection, **own))
                games = json.dumps([kind["game"] for kind in kinds])
                await queries.delete_records_of(connection, **own, games=games)
                await queries.delete_totals_of(connection, **own)
            # The results first: they are found by way of the seats.
            await queries.anonymous_results(connection, user_id=user_id)
            await queries.anonymous_host(connection, user_id=user_id)
            await queries.anonymous_seats(connection, user_id=user_id)
            await queries.delete_member_everywhere(connection, user_id=user_id)

        await self._writer.run(job)

    async def export(self, user_id: int) -> Mapping[str, Any]:
        members = await all_rows(queries.export_members(self._reading, user_id=user_id))
        ratings = await all_rows(queries.export_ratings(self._reading, user_id=user_id))
        return {
            "user_id": user_id,
            "servers": [
                {
                    "server": row["guild_id"],
                    "name": row["name"],
                    "in_server": bool(row["present"]),
                    "on_leaderboards": not row["unlisted"],
                }
                for row in members
            ],
            "ratings": [dict(row) for row in ratings],
        }

    async def export_games(self, user_id: int, after: int, most: int) -> tuple[Mapping[str, Any], ...]:
        games = await all_rows(queries.export_games(self._reading, user_id=user_id, after=after, most=most))
        if not games:
            return ()
        moves: defaultdict[int, list[Any]] = defaultdict(list)
        upto = games[-1]["game_id"]
        for row in await all_rows(
            queries.export_moves(self._reading, user_id=user_id, after=after, upto=upto)
        ):
            moves[row["game_id"]].append([row["number"], row["at"], row["action"]])
        return tuple(dict(row) | {"moves": moves[row["game_id"]]} for row in games)

    # Servers.

    async def all_settings(self) -> Mapping[int, Mapping[str, Any]]:
        found: defaultdict[int, dict[str, Any]] = defaultdict(dict)
        for row in await all_rows(queries.all_settings(self._reading)):
            found[row["guild_id"]][row["name"]] = json.loads(row["value"])
        return found

    async def set_setting(self, guild_id: int, name: str, value: Any, at: float) -> None:
        async def job(connection: Any) -> None:
            if name == TIME_ZONE:
                await alone(connection)
            if value is None:
                await queries.unset_setting(connection, guild_id=guild_id, name=name)
            else:
                await queries.set_setting(connection, guild_id=guild_id, name=name, value=json.dumps(value))
            if name == TIME_ZONE:
                await recount(connection, guild_id, at)

        await self._writer.run(job)

    async def depart(self, guild_id: int, at: float) -> None:
        async def job(connection: Any) -> None:
            await queries.depart(connection, guild_id=guild_id, at=at)

        await self._writer.run(job)

    async def come_back(self, guild_id: int) -> None:
        async def job(connection: Any) -> None:
            await queries.come_back(connection, guild_id=guild_id)

        await self._writer.run(job)

    async def departures(self) -> Mapping[int, float]:
        rows = await all_rows(queries.departures(self._reading))
        return {row["guild_id"]: row["at"] for row in rows}

    async def known_guilds(self) -> tuple[int, ...]:
        rows = await all_rows(queries.known_guilds(self._reading))
        return tuple(row["guild_id"] for row in rows)

    async def purge(self, guild_id: int) -> None:
        async def some(connection: Any) -> bool:
            await alone(connection)
            rows = await all_rows(
                queries.some_games_of_guild(connection, guild_id=guild_id, most=PURGE_GAMES)
            )
            games = json.dumps([row["id"] for row in rows])
            # Newest first: a rematch goes before the game it refers to.
            for query in (
                queries.purge_moves,
                queries.purge_results,
                queries.purge_shares,
                queries.purge_seats,
                queries.purge_games,
            ):
                await query(connection, games=games)
            return bool(rows)

        async def rest(connection: Any) -> None:
            await alone(connection)
            for query in (
                queries.purge_totals,
                queries.purge_records,
                queries.purge_members,
                queries.purge_settings,
                queries.come_back,
            ):
                await query(connection, guild_id=guild_id)

        while await self._writer.run(some):
            pass
        await self._writer.run(rest)

    async def tidy(self, now: float) -> None:
        before = int((now - INTERACTION_SECONDS - DISCORD_EPOCH) * 1000) << 22

        async def sums(connection: Any) -> int:
            await alone(connection)
            # A day is over after at most 26 hours wherever people live, a week and a month so much later.
            passed = int(now - 2 * 86_400)
            return int(await queries.delete_passed_totals(connection, before=passed, most=TIDY_ROWS))

        async def interactions(connection: Any) -> int:
            return int(await queries.delete_old_interactions(connection, before=before, most=TIDY_ROWS))

        for job in (sums, interactions):
            while await self._writer.run(job) == TIDY_ROWS:
                pass


def curve_numbers(games: int) -> list[int]:
    """Which of somebody's games make up their curve."""
    if games <= CURVE_POINTS:
        return list(range(1, games + 1))
    return sorted({games * number // CURVE_POINTS for number in range(1, CURVE_POINTS + 1)} | {1})


def _scope(board: Board) -> dict[str, Any]:
    return {
        "guild_id": board.guild_id,
        "game": board.game,
        "period": board.period.value,
        "since": board.since if board.period is not Period.ALL else 0,
    }


def _standing(row: Any, place: int) -> Standing:
    return Standing(
        row["user_id"],
        row["name"],
        place,
        row["games"],
        row["wins"],
        row["best_turn"],
        row["feat"],
        row["rating"],
    )
