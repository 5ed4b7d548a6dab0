"""Leaderboards, statistics and luck in SQL; see :class:`~bot.store.standings.StandingsStore`."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence

from bot.registry import rating_model
from bot.standings.aggregates import LASTING, RECORDS
from bot.standings.mastery import read
from bot.standings.ratings import Rating
from bot.standings.values import (
    MIN_GAMES_FOR_RATE,
    Board,
    CurvePoint,
    Leaderboard,
    Opponent,
    Period,
    ServerRecord,
    SkillPoint,
    Sort,
    Standing,
    Stats,
)
from bot.store.sql.access import SqlAccess
from bot.store.sql.connection import Row, Value
from bot.store.sql.game_luck import write_luck
from bot.store.sql.leaderboard_queries import SORT_COLUMNS
from bot.strategy.skill import Measured

MAX_SKILLS = 120
"""How many of a person's latest games are read one by one for their skill."""

MAX_OPPONENTS = 3
"""How many of a person's most frequent opponents to show."""

LATELY = 500
"""How many of the latest games to search for opponents."""

CURVE_POINTS = 100
"""How many games a rating chart shows at most, evenly spread; the last one is always among them."""


class SqlStandings(SqlAccess):
    """The part of the stores on SQLite and PostgreSQL about leaderboards and statistics."""

    async def standings(self, board: Leaderboard, start: int, limit: int) -> tuple[Standing, ...]:
        if board.period not in LASTING:
            rows = await self.reading.all("current_page", **_scope(board), start=start, limit=limit)
            return tuple(_standing(row, row["place"]) for row in rows)
        query = f"page_by_{board.sort.value}"
        rows = await self.reading.all(query, **_scope(board), start=start, limit=limit)
        lines: list[Standing] = []
        place = 0
        for index, row in enumerate(rows):
            if index == 0:
                place = (await self._before(board, row["value"], row["user_id"]))["better"] + 1
            elif row["value"] != rows[index - 1]["value"]:
                place = start + index + 1
            lines.append(_standing(row, place))
        return tuple(lines)

    async def ranked(self, board: Leaderboard) -> int:
        if board.period not in LASTING:
            return int(await self.reading.value("current_ranked", **_scope(board)))
        return int(await self.reading.value(f"ranked_by_{board.sort.value}", **_scope(board)))

    async def standing_of(self, board: Leaderboard, user_id: int) -> tuple[Standing, int] | None:
        row = await self.reading.one("line_of", **_scope(board), user_id=user_id)
        if row is None or row["hidden"]:
            return None
        column, _ = SORT_COLUMNS[board.sort]
        if row[column] is None or (board.sort is Sort.RATE and row["games"] < MIN_GAMES_FOR_RATE):
            return None
        before = await self._before(board, row[column], user_id)
        return _standing(row, before["better"] + 1), before["earlier"]

    async def _before(self, board: Leaderboard, value: float, user_id: int) -> Row:
        """Return how many people are ``better`` than this value, and how many lines come ``earlier``."""
        line = {**_scope(board), "value": value, "user_id": user_id}
        if board.period in LASTING:
            row = await self.reading.one(f"before_by_{board.sort.value}", **line)
        else:
            row = await self.reading.one("current_before", **line)
        assert row is not None
        return row

    async def stats(
        self, guild_id: int, game: str, user_id: int, counted: Board = Board.PEOPLE
    ) -> Stats | None:
        board = Leaderboard(guild_id, game, Sort.RATING, board=counted)
        row = await self.reading.one("line_of", **_scope(board), user_id=user_id)
        if row is None:
            return None
        own: dict[str, Value] = {"guild_id": guild_id, "game": game, "user_id": user_id}
        people = counted is Board.PEOPLE
        rank = None
        if row["rating"] is not None and not row["hidden"]:
            rank = int((await self._before(board, row["rating"], user_id))["better"]) + 1
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
                Opponent(*columns)
                for columns in await self.reading.all(
                    "opponents_of", **own, lately=LATELY, limit=MAX_OPPONENTS
                )
            )
            if people
            else (),
            curve=tuple(
                CurvePoint(*columns)
                for columns in await self.reading.all("curve_of", **own, numbers=json.dumps(numbers))
            )
            if people
            else (),
            skills=tuple(
                SkillPoint(point["number"], read(json.loads(point["skill"])))
                for point in reversed(await self.reading.all("skills_of", **own, limit=MAX_SKILLS))
            )
            if people
            else (),
            board=counted,
        )

    async def games_with_stats(self, guild_id: int, user_id: int) -> Collection[str]:
        rows = await self.reading.all("games_of_person", guild_id=guild_id, user_id=user_id)
        return [row["game"] for row in rows]

    async def forecasts(
        self, guild_id: int, game: str, user_id: int, others: Collection[int]
    ) -> Mapping[int, float]:
        rows = await self.reading.all(
            "strengths_of",
            guild_id=guild_id,
            game=game,
            user_id=user_id,
            users=json.dumps(sorted({user_id, *others})),
        )
        rated = {row["user_id"]: Rating(row["mu"], row["sigma"]) for row in rows}
        own, model = rated.pop(user_id, None), rating_model(game)
        if own is None:
            return {}
        chances = {other: model.forecast(own, rating) for other, rating in rated.items()}
        return {other: chance for other, chance in chances.items() if chance is not None}

    async def duel(self, game_id: int, user_id: int, other: int) -> tuple[int, int]:
        pair = {"game_id": game_id, "user_id": user_id, "other": other}
        (row,) = await self.reading.all("duel_of", **pair, lately=LATELY)
        return row["ahead"], row["behind"]

    async def records(self, guild_id: int, game: str) -> tuple[ServerRecord, ...]:
        best: dict[str, ServerRecord] = {}
        for row in await self.reading.all("records_of_guild", guild_id=guild_id, game=game):
            best.setdefault(row["kind"], ServerRecord(*row))
        return tuple(best[kind] for kind in RECORDS if kind in best)

    async def measured_by(self, game: str, version: int, before: int, limit: int) -> tuple[int, ...]:
        return await self.numbers(
            "games_measured_by", game=game, version=version, before=before, limit=limit, **self.shards
        )

    async def set_luck(self, game_id: int, version: int, measured: Sequence[Measured] | None) -> None:
        await self.write(lambda connection: write_luck(connection, game_id, version, measured))


def curve_numbers(games: int) -> list[int]:
    """Return the numbers of the games that a person's rating chart shows."""
    if games <= CURVE_POINTS:
        return list(range(1, games + 1))
    return sorted({games * number // CURVE_POINTS for number in range(1, CURVE_POINTS + 1)} | {1})


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
