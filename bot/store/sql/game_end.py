"""Updates ratings and totals when a game ends, within the transaction that ends it."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from bot.games import codec
from bot.registry import rating_model
from bot.standings.aggregates import (
    MAX_RECORDS,
    Best,
    CurrentPeriods,
    Key,
    Records,
    Totals,
    reached,
    record_values,
)
from bot.standings.periods import DEFAULT_ZONE, period_start
from bot.standings.ratings import Rating
from bot.standings.repeats import PERIOD_SECONDS, Pair, weights
from bot.standings.values import Board, Period
from bot.store.base import ABORTED, GameRow, LastPlace, ResultRow
from bot.store.servers import TIME_ZONE
from bot.store.sql.connection import Connection, Value

LAST = 2
"""The place of somebody who gave up a seat; all others share the first place."""

MAX_LATELY = 500
"""How many of a person's latest games to search for earlier games with the same people."""

TotalsByPerson = Mapping[tuple[Period, int | None], Totals]
"""Totals by period and person."""


class _End(NamedTuple):
    """One person's row of ``results``, and their rating after the game if it changed."""

    result: Mapping[str, Any]
    rating: Rating | None


async def write_end(connection: Connection, row: GameRow, results: Sequence[ResultRow]) -> None:
    """Write the results of a game and the new ratings, and add the results to all totals."""
    await connection.execute("set_finish", game_id=row.id)
    people = [result for result in results if result.user_id is not None]
    board = results[0].board
    if people and board is not None:
        await _write_counted(connection, row, board, results)
    else:
        await connection.execute_many("insert_results", [_result(row, result) for result in results])
    names = {result.user_id: row.seats[result.seat].name for result in people if result.user_id is not None}
    await _note_members(connection, row.guild_id, names)


async def _note_members(connection: Connection, guild_id: int, names: Mapping[int, str]) -> None:
    """Store people who are not known in a server yet, so that their data is found."""
    rows: list[Mapping[str, Value]] = [
        {"guild_id": guild_id, "user_id": user_id, "name": name} for user_id, name in names.items()
    ]
    await connection.execute_many("insert_unknown_members", rows)


async def write_last_places(connection: Connection, row: GameRow, last_places: Sequence[LastPlace]) -> None:
    """Rate people as last who gave up a seat of a game that has ended, and count it among their games.

    Each is rated alone, against the others' present ratings, which do not change. People whose data was
    deleted meanwhile are left out.
    """
    if row.status == ABORTED:
        await connection.execute("set_finish", game_id=row.id)
    users = {
        former["number"]: former["user_id"]
        for former in await connection.all("former_seats_of_game", game_id=row.id)
        if former["user_id"] is not None
    }
    people = {user_id for last in last_places for user_id in last.against} | set(users.values())
    since, stored = await _totals(connection, row, Board.PEOPLE, people)
    game = _game(row)
    ends: list[_End] = []
    rows: list[dict[str, Value]] = []
    counted = [last for last in last_places if last.former in users]
    for last in counted:
        user_id = users[last.former]
        own = stored.get((Period.ALL, user_id)) or Totals()
        before = own.strength or Rating()
        against = [_strength(stored, other) for other in last.against]
        after = rated_last(row.game, before, against)
        ends.append(_End(last_result(game, user_id) | {"rating": after.shown}, after))
        rows.append(last_place_columns(game, last.former, before, against, after, own.games + 1))
    await connection.execute_many("set_last_place", rows)
    names = {users[last.former]: row.former[last.former].name for last in counted}
    await _note_members(connection, row.guild_id, names)
    await _add_to_totals(connection, row, ends, since, stored)


def rated_last(game: str, own: Rating, others: Sequence[Rating]) -> Rating:
    """Return a rating after a last place behind all the others."""
    return rating_model(game).played([own, *others], [LAST, *(1 for _ in others)])[0]


def last_result(game: Mapping[str, Any], user_id: int) -> dict[str, Any]:
    """Return the result that counts for somebody who gave up a seat, as far as totals need it.

    ``game`` holds the columns that all results of the game have in common.
    """
    return {
        **game,
        "user_id": user_id,
        "board": Board.PEOPLE.value,
        "place": LAST,
        "feats": "{}",
        **dict.fromkeys(("score", "turns", "best_turn", "feat"), 0),
    }


def last_place_columns(
    game: Mapping[str, Any], number: int, before: Rating, against: Sequence[Rating], after: Rating, nth: int
) -> dict[str, Value]:
    """Return the columns of a former seat whose person is rated as last; this is their ``nth`` game.

    ``game`` is as in :func:`last_result`.
    """
    return {
        "game_id": game["game_id"],
        "number": number,
        "mu": before.mu,
        "sigma": before.sigma,
        "against": codec.dumps([[rating.mu, rating.sigma] for rating in against]),
        "rating": after.shown,
        "nth": nth,
        "ended_at": game["ended_at"],
    }


def _strength(stored: TotalsByPerson, user_id: int) -> Rating:
    totals = stored.get((Period.ALL, user_id))
    return (totals.strength if totals else None) or Rating()


async def _write_counted(
    connection: Connection, row: GameRow, board: Board, results: Sequence[ResultRow]
) -> None:
    """Write a game that counts on a board: its results, the new ratings of its people, totals and records.

    If the game is rated, its people are rated among each other, in the order of their places; AIs are left
    out.
    """
    people = {result.user_id: result for result in results if result.user_id is not None}
    since, stored = await _totals(connection, row, board, people)
    before = [_strength(stored, user_id) for user_id in people]
    # Ratings need at least two people. This agrees with what was fixed at the start: during a game no seat of
    # an AI goes to a person, so if there are two people at the end, there were two at the start.
    rated = row.rated and len(people) > 1
    weights: Sequence[float] = [1.0] * len(people)
    after: Sequence[Rating] = before
    if rated:
        weights = await _weights(connection, row, list(people))
        places = [result.place for result in people.values()]
        after = rating_model(row.game).played(before, places, weights)
    written = {result.seat: _result(row, result) for result in results}
    ends = []
    for (user_id, result), old, new, weight in zip(people.items(), before, after, weights, strict=True):
        totals = stored.get((Period.ALL, user_id)) or Totals()
        columns = written[result.seat]
        if rated:
            columns |= {"mu": old.mu, "sigma": old.sigma, "weight": weight}
        columns["rating"] = new.shown if rated or totals.strength is not None else None
        columns["nth"] = totals.games + 1 if board is Board.PEOPLE else None
        ends.append(_End(columns, new if rated else None))
    await connection.execute_many("insert_results", list(written.values()))
    streaks = await _add_to_totals(connection, row, ends, since, stored)
    if board is Board.PEOPLE:
        await _note_records(connection, row, [end.result for end in ends], streaks)


async def _weights(connection: Connection, row: GameRow, users: Sequence[int]) -> tuple[float, ...]:
    """Return how much a rated game counts for each person, after those that they have played together."""
    earlier: dict[Pair, int] = {}
    for place, user_id in enumerate(users[:-1]):
        together = await connection.all(
            "games_with",
            guild_id=row.guild_id,
            game=row.game,
            user_id=user_id,
            others=json.dumps(users[place + 1 :]),
            after=row.updated_at - PERIOD_SECONDS,
            lately=MAX_LATELY,
        )
        earlier |= {Pair((user_id, one["user_id"])): one["games"] for one in together}
    return weights(users, earlier)


async def time_zone(connection: Connection, guild_id: int) -> str:
    """Return the time zone of a server."""
    value = await connection.value("setting", guild_id=guild_id, name=TIME_ZONE)
    return str(json.loads(value)) if value else DEFAULT_ZONE


async def recount(connection: Connection, guild_id: int, at: float) -> None:
    """Recalculate the totals of the current day, week and month, after a change of the time zone."""
    zone = await time_zone(connection, guild_id)
    current = CurrentPeriods(at, zone)
    await connection.execute("delete_current_totals", guild_id=guild_id)
    for row in await connection.all("results_since", guild_id=guild_id, since=current.earliest):
        current.add(dict(row), row["rating"])
    await connection.execute_many("insert_totals", list(current.rows()))
    await connection.execute("refresh_current_ratings", guild_id=guild_id)


async def _totals(
    connection: Connection, row: GameRow, board: Board, users: Collection[int]
) -> tuple[Mapping[Period, int], TotalsByPerson]:
    """Return when each period with the end of the game began, and the totals of these people in it."""
    zone = await time_zone(connection, row.guild_id)
    since = {period: period_start(period, row.updated_at, zone) for period in Period}
    rows = await connection.all(
        "totals_of",
        guild_id=row.guild_id,
        game=row.game,
        board=board.value,
        users=json.dumps(sorted(users)),
        **{period.value: at for period, at in since.items() if period is not Period.ALL},
    )
    return since, {(Period(period), user_id): Totals.stored(columns) for period, user_id, *columns in rows}


async def _add_to_totals(
    connection: Connection,
    row: GameRow,
    ends: Sequence[_End],
    since: Mapping[Period, int],
    stored: TotalsByPerson,
) -> dict[int, int]:
    """Add the results to all periods; return how many games each person has won in a row, by their id."""
    new: list[dict[str, Any]] = []
    changed: dict[str, list[dict[str, Any]]] = {"totals": [], "wins": [], "best_turn": [], "feat": []}
    streaks = {}
    for result, rating in ends:
        key: Key = (row.guild_id, row.game, result["board"], result["user_id"])
        for period, at in since.items():
            earlier = stored.get((period, result["user_id"]))
            totals = earlier or Totals()
            before = (totals.wins, totals.best_turn, totals.feat)
            totals.add(result, result["rating"])
            if period is Period.ALL:
                streaks[result["user_id"]] = totals.streak
                totals.count(json.loads(result["feats"]))
                if rating is not None:
                    totals.strength = rating
            sums = totals.row(key, period, at)
            if earlier is None:
                new.append(sums)
                continue
            changed["totals"].append(sums)
            for column, old in zip(("wins", "best_turn", "feat"), before, strict=True):
                if sums[column] != old:
                    changed[column].append(sums)
    await connection.execute_many("insert_totals", new)
    for name, rows in changed.items():
        if rows:
            await connection.execute_many(f"update_{name}", rows)
    return streaks


async def _note_records(
    connection: Connection,
    row: GameRow,
    results: Sequence[Mapping[str, Any]],
    streaks: Mapping[int, int],
) -> None:
    here: dict[str, Value] = {"guild_id": row.guild_id, "game": row.game}
    # Most games set no record; comparing with the lowest record of each kind shows that.
    least = {
        one["kind"]: one["least"]
        for one in await connection.all("least_records", **here)
        if one["people"] >= MAX_RECORDS
    }
    if not any(
        value > least.get(kind, 0)
        for result in results
        for kind, value in record_values(result, streaks[result["user_id"]])
    ):
        return
    records = Records()
    for one in await connection.all("records_of", **here):
        records.add(one["kind"], one["user_id"], Best(one["value"], one["game_id"], one["at"]))
    gone: list[dict[str, Value]] = []
    for result in results:
        for kind, best in reached(result, streaks[result["user_id"]]):
            loser = records.add(kind, result["user_id"], best)
            if loser is not None:
                gone.append(here | {"kind": kind, "user_id": loser})
    new = [one for one in records.rows(row.guild_id, row.game) if one["game_id"] == row.id]
    if gone:
        await connection.execute_many("delete_record", gone)
    if new:
        await connection.execute_many("set_record", new)


def _game(row: GameRow) -> dict[str, Any]:
    """Return the columns that all results of a game have in common."""
    return {"game_id": row.id, "guild_id": row.guild_id, "game": row.game, "ended_at": row.updated_at}


def _result(row: GameRow, result: ResultRow) -> dict[str, Any]:
    """Return the row of a result that counts for nothing yet."""
    return {
        **_game(row),
        "seat": result.seat,
        "user_id": result.user_id,
        "place": result.place,
        "score": result.score,
        "turns": result.turns,
        "best_turn": result.best_turn,
        "feats": codec.dumps(dict(result.feats)),
        "feat": result.feat,
        "own_turns": result.own_turns,
        "board": None if result.board is None else result.board.value,
        "mu": None,
        "sigma": None,
        "rating": None,
        "nth": None,
        "weight": 1.0,
    }
