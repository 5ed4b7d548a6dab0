"""What the end of a game adds to ratings and sums. Runs within the transaction that ends the game."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import aiosqlite

from bot.periods import DEFAULT_ZONE, began
from bot.ranking import Period
from bot.ratings import Rating, rated
from bot.store.base import GameRow, ResultRow
from bot.store.memory import TIME_ZONE
from bot.store.sql import all_rows, queries
from bot.store.sums import Passing


async def write_end(connection: aiosqlite.Connection, row: GameRow, results: Sequence[ResultRow]) -> None:
    """Write the results of a game with the ratings that follow, and add them to all sums."""
    await queries.set_finish(connection, game_id=row.id)
    people = [result for result in results if result.user_id is not None]
    careers = await _careers(connection, row, [result.user_id for result in people])
    before = [_rating(careers[result.user_id]) for result in people]
    after = rated(before, [result.place for result in people])
    known = {
        result.seat: _after(careers[result.user_id], old, new, alone=len(people) < 2)
        for result, old, new in zip(people, before, after, strict=True)
    }
    nothing = {"mu": None, "sigma": None, "rating": None, "nth": None}
    await queries.insert_results(
        connection,
        [_result(row, result) | known.get(result.seat, nothing) for result in results],
    )
    if not people:
        return
    here = {"guild_id": row.guild_id, "game": row.game}
    await queries.insert_unknown_members(
        connection,
        [
            {"guild_id": row.guild_id, "user_id": result.user_id, "name": row.seats[result.seat].name}
            for result in people
        ],
    )
    if len(people) > 1:
        await queries.set_ratings(
            connection,
            [
                here | {"user_id": result.user_id, "mu": new.mu, "sigma": new.sigma}
                for result, new in zip(people, after, strict=True)
            ],
        )
    zone = await time_zone(connection, row.guild_id)
    began_at = {period: began(period, row.updated_at, zone) for period in Period}
    await queries.add_totals(
        connection,
        [
            here
            | {"period": period.value, "since": since, "rating": known[result.seat]["rating"]}
            | _total(result, row)
            for result in people
            for period, since in began_at.items()
        ],
    )
    await queries.add_feats(
        connection,
        [
            here | {"user_id": result.user_id, "feat": feat, "total": total}
            for result in people
            for feat, total in json.loads(result.feats).items()
        ],
    )
    await queries.add_pairs(
        connection,
        [
            here
            | {
                "user_id": result.user_id,
                "other_id": other.user_id,
                "games": 1,
                "ahead": int(result.place < other.place),
            }
            for result in people
            for other in people
            if other is not result
        ],
    )


async def time_zone(connection: aiosqlite.Connection, guild_id: int) -> str:
    """The time zone a server has chosen."""
    value = await queries.setting(connection, guild_id=guild_id, name=TIME_ZONE)
    return str(json.loads(value)) if value else DEFAULT_ZONE


async def recount(connection: aiosqlite.Connection, guild_id: int, at: float) -> None:
    """Build the sums of the present day, week and month anew, after the time zone has changed."""
    zone = await time_zone(connection, guild_id)
    passing = Passing(at, zone)
    ratings = {
        (row["game"], row["user_id"]): row["rating"]
        for row in await all_rows(queries.shown_ratings(connection, guild_id=guild_id))
    }
    await queries.delete_passing_totals(connection, guild_id=guild_id)
    for row in await all_rows(queries.results_since(connection, guild_id=guild_id, since=passing.earliest)):
        passing.add(dict(row))
    await queries.add_totals(
        connection,
        [one | {"rating": ratings.get((one["game"], one["user_id"]))} for one in passing.rows()],
    )


async def _careers(
    connection: aiosqlite.Connection, row: GameRow, users: Sequence[int | None]
) -> Mapping[int | None, Any]:
    rows = await all_rows(
        queries.careers(connection, guild_id=row.guild_id, game=row.game, users=json.dumps(users))
    )
    return {one["user_id"]: one for one in rows}


def _rating(career: Any) -> Rating:
    return Rating() if career["mu"] is None else Rating(career["mu"], career["sigma"])


def _after(career: Any, old: Rating, new: Rating, *, alone: bool) -> dict[str, Any]:
    """What a person's result says about their rating. A game without other people leaves it as it is."""
    unrated = career["mu"] is None
    if alone:
        return {
            "mu": None,
            "sigma": None,
            "rating": None if unrated else old.shown,
            "nth": career["games"] + 1,
        }
    return {"mu": old.mu, "sigma": old.sigma, "rating": new.shown, "nth": career["games"] + 1}


def _result(row: GameRow, result: ResultRow) -> dict[str, Any]:
    return {
        "game_id": row.id,
        "seat": result.seat,
        "guild_id": row.guild_id,
        "game": row.game,
        "user_id": result.user_id,
        "place": result.place,
        "score": result.score,
        "turns": result.turns,
        "best_turn": result.best_turn,
        "feats": result.feats,
        "feat": result.feat,
        "ended_at": row.updated_at,
    }


def _total(result: ResultRow, row: GameRow) -> dict[str, Any]:
    won = int(result.place == 1)
    return {
        "user_id": result.user_id,
        "games": 1,
        "wins": won,
        "score": result.score,
        "turns": result.turns,
        "best_turn": result.best_turn,
        "feat": result.feat,
        "streak": won,
        "longest_streak": won,
        "first_at": row.updated_at,
    }
