"""The public record of a game that was played in a channel."""

from __future__ import annotations

from bot.records import record
from bot.records.game_log import read_log
from bot.registry import find
from bot.store.base import FINISHED, GameRow, Store


async def record_of(store: Store, row: GameRow) -> str | None:
    """Return one line as docs/game-record.md describes it, or None while the game has no result."""
    if row.status != FINISHED:
        return None
    entry = find(row.game)
    log = await read_log(store, row)
    seats = [record.Human(seat.name or "?") if seat.human else record.Ai(seat.policy) for seat in row.seats]
    return record.to_line(
        record.build(entry.rules, log.options, seats, row.seed, log.moves, opening=log.opening)
    )
