"""Recalculates ratings and totals from the results, in the order in which the games ended."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any

from bot.games import codec
from bot.registry import rating_model, rating_models
from bot.standings.aggregates import CurrentPeriods, Key, Records, Totals, reached
from bot.standings.mastery import MILLION
from bot.standings.periods import DEFAULT_ZONE
from bot.standings.ratings import Rating
from bot.standings.values import LUCK, LUCK_GAMES, Board, Period
from bot.store.sql.connection import Connection, Row
from bot.store.sql.game_end import last_place_columns, last_result, rated_last
from bot.store.standings import Rebuilt

CHUNK = 1000
"""How many games to read at a time."""

REQUESTED = "rebuild"
"""The key of the note by which a migration asks for a rebuild."""

MODELS = "rating_models"
"""The key of the note with the model of each game's stored ratings. After a change of the models, ratings are
rebuilt.

Two kinds of ratings can't be recalculated with another model: those of deleted people, and those against
which somebody was rated as last. They become a new player's."""

OBSOLETE = "new_rating_model"
"""The key of a note that early migrations leave. It is not needed, as they leave no note about models."""


async def is_needed(connection: Connection) -> bool:
    """Return whether a migration has asked for a rebuild, or other models have made the stored ratings."""
    asked = await connection.value("meta_value", key=REQUESTED) is not None
    return asked or await _stored_models(connection) != rating_models()


async def _stored_models(connection: Connection) -> Mapping[str, str]:
    models: dict[str, str] = json.loads(await connection.value("meta_value", key=MODELS) or "{}")
    return models


async def rebuild_standings(
    connection: Connection, now: float, progress: Callable[[int], object] | None = None
) -> Rebuilt:
    """Rebuild in a transaction that the caller has begun. Call ``progress`` with how many games were done.

    People's choices and who is present don't change.
    """
    await connection.lock_standings()
    models = await _stored_models(connection)
    report = await _Rebuild(connection, now, models).run(progress or (lambda games: None))
    for key in (REQUESTED, OBSOLETE):
        await connection.execute("forget_meta", key=key)
    await connection.execute("set_meta", key=MODELS, value=codec.dumps(dict(rating_models())))
    return report


class _Rebuild:
    def __init__(self, connection: Connection, now: float, models: Mapping[str, str]) -> None:
        self._connection = connection
        self._models = models
        """By game, the model that made the stored ratings."""
        self._now = now
        self._zones: dict[int, str] = {}
        self._totals: defaultdict[Key, Totals] = defaultdict(Totals)
        self._current: dict[int, CurrentPeriods] = {}
        self._ratings: dict[Key, Rating] = {}
        self._feats: defaultdict[Key, defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
        self._records: defaultdict[tuple[int, str], Records] = defaultdict(Records)

    async def run(self, progress: Callable[[int], object]) -> Rebuilt:
        connection = self._connection
        for row in await connection.all("all_time_zones"):
            self._zones[row["guild_id"]] = str(json.loads(row["value"]))
        for row in await connection.all("unnumbered_games"):
            await connection.execute("set_finish", game_id=row["id"])
        games = 0
        # Games that end and games that are judged take their numbers from one sequence.
        for after in range(0, await connection.value("last_number"), CHUNK):
            part = {"after": after, "upto": after + CHUNK}
            results = _by_number("finish", await connection.all("results_in_order", **part))
            given_up = _by_number("finish", await connection.all("last_places_in_order", **part))
            judged = _by_number("judged", await connection.all("judged_in_order", **part))
            changes: list[dict[str, Any]] = []
            last_places: list[dict[str, Any]] = []
            for number in sorted({*results, *given_up, *judged}):
                for row in judged.get(number, ()):
                    self._judge(row, row["seats"])
                if number in results:
                    changes += self._game(results[number])
                last_places += [self._last_place(row) for row in given_up.get(number, ())]
            if changes:
                await connection.execute_many("update_results", changes)
            if last_places:
                await connection.execute_many("set_last_place", last_places)
            games += len(results)
            progress(len(results))
        changed = await self._compare()
        await self._write()
        return Rebuilt(games, len(self._ratings), changed)

    def _game(self, results: list[Row]) -> list[dict[str, Any]]:
        """Count one game. Return how its rows must change.

        Its board and weights were decided when it ended, and stay.
        """
        if results[0]["board"] is None:
            # An earlier version may have counted it.
            counted = [row for row in results if row["rating"] is not None or row["nth"] is not None]
            return [_columns(row, None, None, None, None) for row in counted]
        # A deleted person's seat keeps only its rating, because the other ratings follow from it.
        seats = [row for row in results if row["user_id"] is not None or _rated(row)]
        before = [
            self._rating_apart(row["game"], row["mu"], row["sigma"])
            if row["user_id"] is None
            else self._ratings.get(_key(row), Rating())
            for row in seats
        ]
        counts = bool(results[0]["rated"]) and len(seats) > 1
        after: Sequence[Rating] = before
        if counts:
            weights = [row["weight"] for row in seats]
            model = rating_model(results[0]["game"])
            after = model.played(before, [row["place"] for row in seats], weights)
        changes = []
        for row, old, new in zip(seats, before, after, strict=True):
            mu, sigma, shown, nth = stored = row["mu"], row["sigma"], row["rating"], row["nth"]
            if row["user_id"] is None:
                mu, sigma = old.mu, old.sigma
            else:
                key = _key(row)
                if counts:
                    self._ratings[key] = new
                mu, sigma = (old.mu, old.sigma) if counts else (None, None)
                shown = self._ratings[key].shown if key in self._ratings else None
                self._count(row, key, shown)
                nth = self._totals[key].games if row["board"] == Board.PEOPLE else None
                # Errors of old games, which had two seats, have no number of their own: count them now.
                if counts and len(results) == 2 and row["judged"] is None:
                    self._judge(row, 2)
            if (mu, sigma, shown, nth) != stored:
                changes.append(_columns(row, mu, sigma, shown, nth))
        return changes

    def _rating_apart(self, game: str, mu: float, sigma: float) -> Rating:
        """Return a rating that is stored apart from a person, see :data:`MODELS`."""
        same = self._models.get(game) == rating_models().get(game)
        return Rating(mu, sigma) if same else Rating()

    def _judge(self, row: Row, seats: int) -> None:
        """Change a person's rating by what they gave away in a game, if that was measured and counted."""
        if row["judged_errors"] is not None:
            key = _key(row)
            errors = row["judged_errors"] / MILLION
            after = rating_model(row["game"]).judged(self._ratings.get(key, Rating()), errors, seats)
            self._ratings[key] = after
            self._totals[key].rating = after.shown

    def _last_place(self, row: Row) -> dict[str, Any]:
        """Count a game for a person who gave up a seat. Return the columns of the former seat."""
        key: Key = (row["guild_id"], row["game"], Board.PEOPLE.value, row["user_id"])
        before = self._ratings.get(key, Rating())
        against = [self._rating_apart(row["game"], mu, sigma) for mu, sigma in json.loads(row["against"])]
        after = self._ratings[key] = rated_last(row["game"], before, against)
        game = {name: row[name] for name in ("game_id", "guild_id", "game", "ended_at")}
        self._count(last_result(game, row["user_id"]) | {"luck": None, "skill": None}, key, after.shown)
        return last_place_columns(game, row["number"], before, against, after, self._totals[key].games)

    def _count(self, row: Any, key: Key, shown: int | None) -> None:
        guild_id = row["guild_id"]
        self._totals[key].add(row, shown)
        if guild_id not in self._current:
            self._current[guild_id] = CurrentPeriods(self._now, self._zones.get(guild_id, DEFAULT_ZONE))
        self._current[guild_id].add(row, shown)
        records = reached(row, self._totals[key].streak) if row["board"] == Board.PEOPLE else ()
        for kind, best in records:
            self._records[guild_id, key[1]].add(kind, key[3], best)
        feats = self._feats[key]
        for feat, count in json.loads(row["feats"]).items():
            feats[feat] += count
        if row["luck"] is not None:
            feats[LUCK] += row["luck"]
            feats[LUCK_GAMES] += 1
        if row["skill"] is not None:
            for feat, count in json.loads(row["skill"]).items():
                feats[feat] += count

    async def _compare(self) -> int:
        """Return how many people's ratings differ from those in the table."""
        rows = await self._connection.all("all_ratings")
        stored = {_key(row): (row["mu"], row["sigma"]) for row in rows}
        built = {key: (rating.mu, rating.sigma) for key, rating in self._ratings.items()}
        return sum(stored.get(key) != built.get(key) for key in stored.keys() | built.keys())

    async def _write(self) -> None:
        connection = self._connection
        for key, rating in self._ratings.items():
            self._totals[key].strength = rating
        for key, feats in self._feats.items():
            self._totals[key].count(feats)
        await connection.execute("delete_all_totals")
        totals = [lasting.row(key, Period.ALL, 0) for key, lasting in self._totals.items()]
        totals += [row for current in self._current.values() for row in current.rows()]
        await connection.execute_many("insert_totals", totals)
        for guild_id in self._current:
            await connection.execute("refresh_current_ratings", guild_id=guild_id)
        await connection.execute("delete_all_records")
        await connection.execute_many(
            "set_record",
            [row for where, records in self._records.items() for row in records.rows(*where)],
        )


def _by_number(column: str, rows: Sequence[Row]) -> dict[int, list[Row]]:
    """Group rows by the column by which they are sorted."""
    return {number: list(group) for number, group in groupby(rows, key=lambda row: row[column])}


def _rated(row: Row) -> bool:
    return row["mu"] is not None and row["sigma"] is not None


def _key(row: Row) -> Key:
    return row["guild_id"], row["game"], row["board"], row["user_id"]


def _columns(
    row: Row, mu: float | None, sigma: float | None, rating: int | None, nth: int | None
) -> dict[str, Any]:
    """Return the columns of a result that a rebuild may change, with the key of its row."""
    where = {"game_id": row["game_id"], "seat": row["seat"]}
    return {"mu": mu, "sigma": sigma, "rating": rating, "nth": nth, **where}
