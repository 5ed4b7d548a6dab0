"""Standings, history and people in SQL; see :class:`~bot.store.standings.StandingsStore`."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from typing import Any, TypeVar

from bot.games import codec
from bot.games.seats import Seat
from bot.registry import rating_model
from bot.standings.aggregates import LASTING, RECORDS, more_feats
from bot.standings.mastery import judged_errors, read, stored
from bot.standings.ratings import Rating
from bot.standings.values import (
    LUCK,
    LUCK_GAMES,
    MIN_GAMES_FOR_RATE,
    Board,
    CurvePoint,
    FinishedGame,
    Leaderboard,
    Opponent,
    Period,
    ServerRecord,
    SkillPoint,
    Sort,
    Span,
    Standing,
    Stats,
)
from bot.store.game_end import recount
from bot.store.leaderboard_queries import SORT_COLUMNS
from bot.store.sql import Connection, Job, Reader, Row, Value
from bot.store.sql_daily import SqlDaily, erase_daily
from bot.store.sql_notifications import SqlNotifications
from bot.store.sql_puzzles import SqlPuzzles, erase_puzzles, store_puzzle
from bot.store.sql_seasons import SqlSeasons
from bot.store.standings import TIME_ZONE, MemberRow, StillSeated
from bot.strategy.skill import Measured

T = TypeVar("T")

MAX_SKILLS = 120
"""How many of a person's latest games are read one by one for their skill."""
MAX_OPPONENTS = 3
LATELY = 500
"""How many of the latest games to search for opponents."""

CURVE_POINTS = 100
"""How many games a rating chart shows at most, evenly spread; the last one is always among them."""

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
"""How many games to search at a time for closed ones; there is no index of them."""

DISCORD_EPOCH = 1_420_070_400.0


class SqlStandings(ABC):
    """Base of the stores on SQLite and PostgreSQL, which define how it reads and writes."""

    _reading: Reader
    _shards: Mapping[str, Value] = {"shard_count": 1, "shards": "[0]"}
    """The shards that this process is responsible for, as parameters of the queries of background jobs."""

    @abstractmethod
    async def write(self, job: Job[T]) -> T:
        """Run ``job`` in a transaction. Return its result once the transaction is on disk."""

    @abstractmethod
    def write_later(self, job: Job[object]) -> None:
        """Run ``job`` in a transaction a moment later. Losing it in a crash must do no harm."""

    @property
    def daily(self) -> SqlDaily:
        """The daily game."""
        return SqlDaily(self._reading, self.write)

    @property
    def notifications(self) -> SqlNotifications:
        """How people want to be notified."""
        return SqlNotifications(self._reading, self.write)

    @property
    def puzzles(self) -> SqlPuzzles:
        """The puzzles from games, and which ones people were shown."""
        return SqlPuzzles(self._reading, self.write)

    @property
    def seasons(self) -> SqlSeasons:
        """The seasons of all servers."""
        return SqlSeasons(self._reading, self.write, self._shards)

    # Standings.

    async def standings(self, board: Leaderboard, start: int, limit: int) -> tuple[Standing, ...]:
        if board.period not in LASTING:
            rows = await self._reading.all("current_page", **_scope(board), start=start, limit=limit)
            return tuple(_standing(row, row["place"]) for row in rows)
        query = f"page_by_{board.sort.value}"
        rows = await self._reading.all(query, **_scope(board), start=start, limit=limit)
        lines: list[Standing] = []
        place = 0
        for number, row in enumerate(rows):
            if number == 0:
                place = (await self._before(board, row["value"], row["user_id"]))["better"] + 1
            elif row["value"] != rows[number - 1]["value"]:
                place = start + number + 1
            lines.append(_standing(row, place))
        return tuple(lines)

    async def ranked(self, board: Leaderboard) -> int:
        if board.period not in LASTING:
            return int(await self._reading.value("current_ranked", **_scope(board)))
        return int(await self._reading.value(f"ranked_by_{board.sort.value}", **_scope(board)))

    async def standing_of(self, board: Leaderboard, user_id: int) -> tuple[Standing, int] | None:
        row = await self._reading.one("line_of", **_scope(board), user_id=user_id)
        if row is None or row["hidden"]:
            return None
        column, _ = SORT_COLUMNS[board.sort]
        if row[column] is None or (board.sort is Sort.RATE and row["games"] < MIN_GAMES_FOR_RATE):
            return None
        found = await self._before(board, row[column], user_id)
        return _standing(row, found["better"] + 1), found["earlier"]

    async def _before(self, board: Leaderboard, value: float, user_id: int) -> Row:
        own = {**_scope(board), "value": value, "user_id": user_id}
        if board.period in LASTING:
            row = await self._reading.one(f"before_by_{board.sort.value}", **own)
        else:
            row = await self._reading.one("current_before", **own)
        assert row is not None
        return row

    async def stats(
        self, guild_id: int, game: str, user_id: int, counted: Board = Board.PEOPLE
    ) -> Stats | None:
        board = Leaderboard(guild_id, game, Sort.RATING, board=counted)
        row = await self._reading.one("line_of", **_scope(board), user_id=user_id)
        if row is None:
            return None
        own: dict[str, Value] = {"guild_id": guild_id, "game": game, "user_id": user_id}
        people = counted is Board.PEOPLE
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
            ranked=await self.ranked(board) if people else 0,
            since=row["first_at"],
            feats=json.loads(row["feats"]),
            opponents=tuple(
                _opponent(game, row, one)
                for one in await self._reading.all("opponents_of", **own, lately=LATELY, limit=MAX_OPPONENTS)
            )
            if people
            else (),
            curve=tuple(
                CurvePoint(*one)
                for one in await self._reading.all("curve_of", **own, numbers=json.dumps(numbers))
            )
            if people
            else (),
            skills=tuple(
                SkillPoint(one["number"], read(json.loads(one["skill"])))
                for one in reversed(await self._reading.all("skills_of", **own, limit=MAX_SKILLS))
            )
            if people
            else (),
            board=counted,
        )

    async def records(self, guild_id: int, game: str) -> tuple[ServerRecord, ...]:
        found: dict[str, ServerRecord] = {}
        for row in await self._reading.all("records_of_guild", guild_id=guild_id, game=game):
            found.setdefault(row["kind"], ServerRecord(*row))
        return tuple(found[kind] for kind in RECORDS if kind in found)

    async def without_luck(self, game: str, before: int, limit: int) -> tuple[int, ...]:
        rows = self._reading.all("games_without_luck", game=game, before=before, limit=limit, **self._shards)
        return tuple(row["game_id"] for row in await rows)

    async def set_luck(self, game_id: int, measured: Sequence[Measured]) -> None:
        async def job(connection: Connection) -> None:
            await connection.lock_standings()
            rows = await connection.all("results_without_luck", game_id=game_id)
            skills = {}
            for row in rows:
                # The skill of a person who was away for a turn is not only theirs.
                if row["user_id"] is not None and row["own_turns"] >= row["turns"]:
                    skill = stored(measured[row["seat"]])
                    if skill is not None:
                        skills[row["seat"]] = skill
            judged = {
                row["seat"]: errors
                for row in rows
                if rating_model(row["game"]).judges and len(rows) == 2 and row["mu"] is not None
                if row["seat"] in skills
                if (errors := judged_errors(skills[row["seat"]])) is not None
            }
            number = await connection.value("last_number") + 1
            await connection.execute_many(
                "set_luck",
                [
                    {
                        "game_id": game_id,
                        "seat": row["seat"],
                        "luck": measured[row["seat"]].luck,
                        "skill": codec.dumps(skills[row["seat"]]) if row["seat"] in skills else None,
                        "judged": number if row["seat"] in judged else None,
                    }
                    for row in rows
                ],
            )
            for row in rows:
                if row["user_id"] is None or row["board"] is None:
                    continue
                own = {name: row[name] for name in ("guild_id", "game", "board", "user_id")}
                before = await connection.one("standing_before", **own)
                assert before is not None
                more = {LUCK: measured[row["seat"]].luck, LUCK_GAMES: 1, **skills.get(row["seat"], {})}
                await connection.execute("set_feats", **own, feats=more_feats(before["feats"], more))
                if row["seat"] in judged:
                    strength = Rating(before["mu"], before["sigma"])
                    after = rating_model(row["game"]).judged(strength, judged[row["seat"]])
                    await connection.execute("set_strength", **own, mu=after.mu, sigma=after.sigma)
                    await connection.execute("set_shown", **own, rating=after.shown)
            for row in rows:
                move = measured[row["seat"]].puzzle
                if move is not None:
                    await store_puzzle(connection, row["guild_id"], game_id, move)

        await self.write(job)

    # History.

    async def finished_in_channel(self, channel_id: int, span: Span) -> tuple[FinishedGame, ...]:
        return await self._finished("finished_in_channel", span, channel_id=channel_id)

    async def finished_in_guild(
        self, guild_id: int, channels: Sequence[int], user_id: int, span: Span
    ) -> tuple[FinishedGame, ...]:
        found = {"guild_id": guild_id, "channels": json.dumps(list(channels)), "user_id": user_id}
        return await self._finished("finished_in_guild", span, **found)

    async def _finished(self, query: str, span: Span, **values: Any) -> tuple[FinishedGame, ...]:
        values |= {"game": span.game, "limit": span.limit}
        if span.after is None:
            rows = await self._reading.all(f"{query}_before", key=span.before, **values)
        else:
            rows = list(reversed(await self._reading.all(f"{query}_after", key=span.after, **values)))
        return await self._played(rows)

    async def note_share(self, game_id: int, channel_id: int) -> None:
        async def job(connection: Connection) -> None:
            await connection.execute("note_share", game_id=game_id, channel_id=channel_id)

        await self.write(job)

    async def has_share(self, game_id: int, channel_id: int) -> bool:
        return await self._reading.one("share", game_id=game_id, channel_id=channel_id) is not None

    async def _played(self, games: Sequence[Row]) -> tuple[FinishedGame, ...]:
        ids = json.dumps([row["id"] for row in games])
        places = await self._reading.all("places_of_games", games=ids)
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
                    number for number, seat in enumerate(seats.get(row["id"], ())) if seat["place"] == 1
                ),
            )
            for row in games
        )

    # People.

    async def member(self, guild_id: int, user_id: int) -> MemberRow | None:
        row = await self._reading.one("member", guild_id=guild_id, user_id=user_id)
        return None if row is None else MemberRow(row["name"], bool(row["present"]), bool(row["unlisted"]))

    async def unlisted(self, guild_id: int, users: Collection[int]) -> frozenset[int]:
        rows = await self._reading.all("unlisted_members", guild_id=guild_id, users=json.dumps(sorted(users)))
        return frozenset(row["user_id"] for row in rows)

    async def absent(self, guild_id: int, limit: int) -> tuple[int, ...]:
        rows = await self._reading.all("absent_members", guild_id=guild_id, limit=limit)
        return tuple(row["user_id"] for row in rows)

    async def note_member(self, guild_id: int, user_id: int, name: str) -> None:
        async def job(connection: Connection) -> None:
            own = {"guild_id": guild_id, "user_id": user_id}
            row = await connection.one("member", **own)
            if row is not None and row["present"] and row["name"] == name:
                return
            await connection.lock_standings()
            await connection.execute("upsert_member", **own, name=name)
            await connection.execute("refresh_hidden", **own)

        self.write_later(job)

    async def set_present(self, guild_id: int, found: Mapping[int, bool], at: float) -> None:
        async def job(connection: Connection) -> None:
            await connection.lock_standings()
            for user_id, present in found.items():
                own = {"guild_id": guild_id, "user_id": user_id}
                await connection.execute("set_present", **own, present=int(present), at=at)
                await connection.execute("refresh_hidden", **own)

        if found:
            await self.write(job)

    async def set_unlisted(self, guild_id: int, user_id: int, name: str, unlisted: bool) -> None:
        async def job(connection: Connection) -> None:
            await connection.lock_standings()
            own = {"guild_id": guild_id, "user_id": user_id}
            await connection.execute("set_unlisted", **own, name=name, unlisted=int(unlisted))
            await connection.execute("refresh_hidden", **own)

        await self.write(job)

    async def active_games_of(self, user_id: int) -> tuple[int, ...]:
        rows = await self._reading.all("active_games_of", user_id=user_id, offered=_offered(user_id))
        return tuple(row["id"] for row in rows)

    async def open_tables(self, channels: Collection[int]) -> tuple[int, ...]:
        rows = await self._reading.all("open_tables", channels=json.dumps(sorted(channels)))
        return tuple(row["id"] for row in rows)

    async def erase(self, user_id: int) -> None:
        async def job(connection: Connection) -> None:
            await connection.lock_standings()
            active = await connection.all("active_games_of", user_id=user_id, offered=_offered(user_id))
            if active:
                raise StillSeated([row["id"] for row in active])
            deleted = 0
            for row in await connection.all("guilds_of_user", user_id=user_id):
                own = {"guild_id": row["guild_id"], "user_id": user_id}
                deleted += await connection.execute("delete_records_of", **own)
                deleted += await connection.execute("delete_totals_of", **own)
            # Puzzles and results first, because their queries find them through the seats.
            deleted += await erase_puzzles(connection, user_id)
            deleted += await connection.execute("anonymous_results", user_id=user_id)
            deleted += await connection.execute("anonymous_host", user_id=user_id)
            deleted += await connection.execute("anonymous_seats", user_id=user_id)
            deleted += await connection.execute("anonymous_former_seats", user_id=user_id)
            deleted += await connection.execute("anonymous_season_lines", user_id=user_id)
            deleted += await connection.execute("delete_words_of", user_id=user_id)
            deleted += await erase_daily(connection, user_id)
            deleted += await connection.execute("delete_notifications_of", user_id=user_id)
            deleted += await connection.execute("delete_member_everywhere", user_id=user_id)
            if deleted:
                # On SQLite the file is then rewritten, which is not for nothing.
                await connection.execute("note_deletion")

        await self.write(job)

    async def export(self, user_id: int) -> Mapping[str, Any]:
        members = await self._reading.all("export_members", user_id=user_id)
        totals = await self._reading.all("export_totals", user_id=user_id)
        records = await self._reading.all("export_records", user_id=user_id)
        words = await self._reading.all("export_words", user_id=user_id)
        offers = await self._reading.all("export_offers", offered=_offered(user_id))
        former = await self._reading.all("export_former_seats", user_id=user_id)
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
            "offers": [one for row in offers for one in _own_offers(row, user_id)],
            "former_seats": [dict(row) for row in former],
            "daily": await self.daily.export(user_id),
            "calls": await self.notifications.export(user_id),
            "puzzles": await self.puzzles.export(user_id),
            "seasons": await self.seasons.export(user_id),
        }

    async def export_games(self, user_id: int, after: int, limit: int) -> tuple[Mapping[str, Any], ...]:
        games = await self._reading.all("export_games", user_id=user_id, after=after, limit=limit)
        if not games:
            return ()
        moves: defaultdict[int, list[Any]] = defaultdict(list)
        upto = games[-1]["game_id"]
        for row in await self._reading.all("export_moves", user_id=user_id, after=after, upto=upto):
            moves[row["game_id"]].append([row["number"], row["at"], row["action"]])
        return tuple(_own(row) | {"moves": moves[row["game_id"]]} for row in games)

    # Servers.

    async def all_settings(self) -> Mapping[int, Mapping[str, Any]]:
        found: defaultdict[int, dict[str, Any]] = defaultdict(dict)
        for row in await self._reading.all("all_settings"):
            found[row["guild_id"]][row["name"]] = json.loads(row["value"])
        return found

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
        async def job(connection: Connection) -> None:
            await connection.execute("depart", guild_id=guild_id, at=at)

        await self.write(job)

    async def come_back(self, guild_id: int) -> None:
        async def job(connection: Connection) -> None:
            await connection.execute("come_back", guild_id=guild_id)

        await self.write(job)

    async def departures(self) -> Mapping[int, float]:
        rows = await self._reading.all("departures")
        return {row["guild_id"]: row["at"] for row in rows}

    async def known_guilds(self) -> tuple[int, ...]:
        rows = await self._reading.all("known_guilds")
        return tuple(row["guild_id"] for row in rows)

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

        while await self.write(some):
            pass
        await self.write(rest)

    async def tidy(self, now: float) -> None:
        before = int((now - INTERACTION_SECONDS - DISCORD_EPOCH) * 1000) << 22

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
        latest = int(await self._reading.value("latest_game_id"))
        for after in range(0, latest, SEARCHED_GAMES):
            await self._forget_closed(after, now - CLOSED_SECONDS)

    async def _forget_closed(self, after: int, before: float) -> None:
        """Remove people from games with the next ids that were closed before a time."""
        rows = await self._reading.all(
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


def _offered(user_id: int) -> str:
    """Return the pattern of stored questions that name a person, see ``offers`` in bot/store/encoding.py."""
    return f"%,{user_id},%"


def curve_numbers(games: int) -> list[int]:
    """Return the numbers of the games that a person's rating chart shows."""
    if games <= CURVE_POINTS:
        return list(range(1, games + 1))
    return sorted({games * number // CURVE_POINTS for number in range(1, CURVE_POINTS + 1)} | {1})


def _own_offers(row: Row, user_id: int) -> list[dict[str, Any]]:
    """Return the questions of a game to a person, and about their seat, without the other person."""
    return [
        {"game_id": row["id"], "asked": asked == user_id, "until": until, "answer": answer}
        for _, seated, asked, until, answer in json.loads(row["offers"])
        if user_id in (seated, asked)
    ]


def _own(row: Row) -> dict[str, Any]:
    """Return an exported game, with only the person's own part of what is stored for all seats."""
    game = dict(row)
    seat = game["seat"]
    for name, default in (("acted", 0.0), ("missed", 0)):
        game[name] = dict(enumerate(json.loads(game[name]))).get(seat, default)
    game["voted"] = seat in json.loads(game.pop("votes"))
    return game


def _scope(board: Leaderboard) -> dict[str, Value]:
    """Return the parameters that queries about a leaderboard have in common."""
    return {
        "guild_id": board.guild_id,
        "game": board.game,
        "board": board.board.value,
        "period": board.period.value,
        "since": board.since if board.period is not Period.ALL else 0,
        "sort": board.sort.value,
        "min_games": MIN_GAMES_FOR_RATE,
    }


def _opponent(game: str, person: Row, row: Row) -> Opponent:
    """Return an opponent of a person, whose row has their rating too."""
    chance = None
    if person["mu"] is not None and row["mu"] is not None:
        own, other = (Rating(one["mu"], one["sigma"]) for one in (person, row))
        chance = rating_model(game).forecast(own, other)
    return Opponent(row["user_id"], row["name"], row["games"], row["ahead"], chance)


def _standing(row: Row, place: int) -> Standing:
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
