"""Stores how luckily and how well a finished game was played, within a transaction.

When that is worked out again, what was stored before is taken out of people's sums. Their ratings stay: a
game changes a rating by what its person gave away only when that is worked out for the first time.
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
    """Store what a ``version`` of the game's measure says, unless that version or a later one is stored.

    What it can't work out, a seat's skill or with ``measured`` None everything, stays as it is.
    """
    await connection.lock_standings()
    rows = await connection.all("results_measured_before", game_id=game_id, version=version)
    if measured is None:
        await connection.execute("note_measured", game_id=game_id, version=version)
    if measured is None or not rows:
        return
    number, seats = await connection.value("last_number") + 1, len(measured)
    for row in rows:
        measure = measured[row["seat"]]
        # The skill of a person who was away for a turn is not only theirs.
        own = row["user_id"] is not None and row["own_turns"] >= row["turns"]
        new, old = stored(measure) if own else None, json.loads(row["skill"] or "{}")
        skill = new or old
        errors = _newly_judged(row, new, seats) if new else None
        await connection.execute(
            "set_luck",
            game_id=game_id,
            seat=row["seat"],
            version=version,
            luck=measure.luck,
            skill=codec.dumps(skill) if skill else None,
            judged=row["judged"] if errors is None else number,
            judged_errors=row["judged_errors"] if errors is None else errors,
        )
        if row["user_id"] is not None and row["board"] is not None:
            await _count(
                connection, row, _feats(row["luck"], old), _feats(measure.luck, skill), errors, seats
            )
    moves = [seat.puzzle for seat in measured if seat.puzzle is not None]
    await store_puzzle(connection, rows[0]["guild_id"], game_id, moves[0] if moves else None)


def _newly_judged(row: Row, skill: Mapping[str, int], seats: int) -> int | None:
    """Return what changes a person's rating now, in millionths of a win, or None if nothing does."""
    rated = row["mu"] is not None and rating_model(row["game"]).judges(seats)
    return judged_errors(skill) if rated and row["luck"] is None else None


def _feats(luck: int | None, skill: Mapping[str, int]) -> dict[str, int]:
    """Return what a game adds to its person's feats."""
    return ({} if luck is None else {LUCK: luck, LUCK_GAMES: 1}) | dict(skill)


async def _count(
    connection: Connection,
    row: Row,
    old: Mapping[str, int],
    new: Mapping[str, int],
    errors: int | None,
    seats: int,
) -> None:
    """Count ``new`` feats of a person instead of ``old`` ones, and change their rating if ``errors`` do."""
    own: dict[str, Value] = {name: row[name] for name in ("guild_id", "game", "board", "user_id")}
    before = await connection.one("standing_before", **own)
    assert before is not None
    more = {name: new.get(name, 0) - old.get(name, 0) for name in {*new, *old}}
    await connection.execute("set_feats", **own, feats=more_feats(before["feats"], more))
    if errors is not None:
        strength = Rating(before["mu"], before["sigma"])
        after = rating_model(row["game"]).judged(strength, errors / MILLION, seats)
        await connection.execute("set_strength", **own, mu=after.mu, sigma=after.sigma)
        await connection.execute("set_shown", **own, rating=after.shown)
