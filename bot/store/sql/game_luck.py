"""Stores how luckily and how well a finished game was played, within a transaction.

If a game is measured again, its earlier values are taken out of people's sums. Ratings stay: what a person
gave away changes their rating only when the game is measured for the first time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from bot.games import codec
from bot.registry import rating_model
from bot.standings.aggregates import more_feats
from bot.standings.mastery import MILLION, judged_errors, stored
from bot.standings.ratings import Rating
from bot.standings.values import LUCK, LUCK_GAMES
from bot.store.sql.connection import Connection, Row, Value
from bot.store.sql.puzzles import store_puzzle
from bot.strategy.skill import Measured


async def write_luck(
    connection: Connection, game_id: int, version: int, measured: Sequence[Measured] | None
) -> None:
    """Store what this ``version`` has measured, unless the same or a later version is stored already.

    A seat's skill stays as it is if this version can't measure it; if ``measured`` is None, everything stays.
    """
    await connection.lock_standings()
    rows = await connection.all("results_measured_before", game_id=game_id, version=version)
    if measured is None:
        await connection.execute("note_measured", game_id=game_id, version=version)
    if measured is None or not rows:
        return
    next_number, seats = await connection.value("last_number") + 1, len(measured)
    for row in rows:
        measure = measured[row["seat"]]
        # If a person was away for a turn, the bot has made some of the decisions.
        played_all = row["user_id"] is not None and row["own_turns"] >= row["turns"]
        new, old = stored(measure) if played_all else None, json.loads(row["skill"] or "{}")
        skill = new or old
        errors = _newly_judged(row, new, seats) if new else None
        await connection.execute(
            "set_luck",
            game_id=game_id,
            seat=row["seat"],
            version=version,
            luck=measure.luck,
            skill=codec.dumps(skill) if skill else None,
            judged=row["judged"] if errors is None else next_number,
            judged_errors=row["judged_errors"] if errors is None else errors,
        )
        if row["user_id"] is not None and row["board"] is not None:
            await _count(
                connection, row, _feats(row["luck"], old), _feats(measure.luck, skill), errors, seats
            )
    moves = [seat.puzzle for seat in measured if seat.puzzle is not None]
    await store_puzzle(connection, rows[0]["guild_id"], game_id, moves[0] if moves else None)


def _newly_judged(row: Row, skill: Mapping[str, int], seats: int) -> int | None:
    """Return the errors that change a person's rating now, in millionths of a win; None if none do."""
    rated = row["mu"] is not None and rating_model(row["game"]).judges(seats)
    return judged_errors(skill) if rated and row["luck"] is None else None


def _feats(luck: int | None, skill: Mapping[str, int]) -> dict[str, int]:
    """Return what a game adds to a person's feats."""
    return ({} if luck is None else {LUCK: luck, LUCK_GAMES: 1}) | dict(skill)


async def _count(
    connection: Connection,
    row: Row,
    old: Mapping[str, int],
    new: Mapping[str, int],
    errors: int | None,
    seats: int,
) -> None:
    """Replace ``old`` by ``new`` feats in a person's sums, and let ``errors`` change their rating."""
    key: dict[str, Value] = {name: row[name] for name in ("guild_id", "game", "board", "user_id")}
    before = await connection.one("standing_before", **key)
    assert before is not None
    more = {name: new.get(name, 0) - old.get(name, 0) for name in {*new, *old}}
    await connection.execute("set_feats", **key, feats=more_feats(before["feats"], more))
    if errors is not None:
        strength = Rating(before["mu"], before["sigma"])
        after = rating_model(row["game"]).judged(strength, errors / MILLION, seats)
        await connection.execute("set_strength", **key, mu=after.mu, sigma=after.sigma)
        await connection.execute("set_shown", **key, rating=after.shown)
