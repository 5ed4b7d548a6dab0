"""The store on SQLite: one connection that writes, one that reads."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

import aiosqlite

from bot.seats import Seat
from bot.store.base import (
    Change,
    ChannelTaken,
    Conflict,
    Duplicate,
    GameRow,
    MoveRow,
    RematchTaken,
    ResultRow,
    Unusable,
    row_values,
)
from bot.store.ending import write_end
from bot.store.inline import drive, in_thread
from bot.store.migrate import migrate
from bot.store.rebuild import needed, rebuild
from bot.store.sql import all_rows as _all
from bot.store.sql import queries as _queries
from bot.store.sqlite_memory import SqliteMemory
from bot.store.writer import Writer

BUSY_SECONDS = 5.0
CACHE_KIB = 16_384
"""Memory for pages of the database, for each of the two connections."""

_COLUMNS = [column.name for column in fields(GameRow) if column.name != "seats"]


class SqliteStore(SqliteMemory):
    """Implements :class:`~bot.store.base.Store`. Make one with :meth:`open`."""

    def __init__(self, writing: aiosqlite.Connection, reading: aiosqlite.Connection) -> None:
        self._writing = writing
        self._reading = reading
        self._writer = Writer(writing)

    @classmethod
    async def open(cls, path: Path | str) -> SqliteStore:
        """Open or create the database and bring it up to date. Raises :class:`Unusable`."""
        path = Path(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            await asyncio.to_thread(_prepare, path)
            writing = await _connect(path)
            try:
                reading = await _connect(path)
            except BaseException:
                await writing.close()
                raise
        except (sqlite3.Error, OSError) as error:
            raise Unusable(f"the database {path} can't be opened: {error}") from error
        return cls(writing, reading)

    async def close(self) -> None:
        # An unclosed connection would keep the process from exiting.
        try:
            await self._writer.close()
        finally:
            try:
                await self._reading.close()
            finally:
                await self._writing.close()

    # Reading.

    async def game(self, game_id: int) -> GameRow | None:
        if not 0 < game_id < 1 << 63:
            return None
        return await self._one_row(lambda connection: _queries.game_by_id(connection, id=game_id))

    async def fresh(self, game_id: int) -> GameRow | None:
        return await self.game(game_id)

    async def active_game(self, channel_id: int) -> GameRow | None:
        return await self._one_row(lambda connection: _queries.active_game(connection, channel_id=channel_id))

    async def latest_game(self, channel_id: int) -> GameRow | None:
        return await self._one_row(lambda connection: _queries.latest_game(connection, channel_id=channel_id))

    async def rematch_of(self, game_id: int) -> GameRow | None:
        return await self._one_row(lambda connection: _queries.child_game(connection, parent_id=game_id))

    async def moves(self, game_id: int) -> tuple[MoveRow, ...]:
        rows = await _all(_queries.moves_of_game(self._reading, game_id=game_id))
        return tuple(MoveRow(*row) for row in rows)

    async def unshown(self) -> tuple[int, ...]:
        return tuple(row[0] for row in await _all(_queries.unshown_games(self._reading)))

    async def waiting_for_ai(self) -> tuple[int, ...]:
        return tuple(row[0] for row in await _all(_queries.games_waiting_for_ai(self._reading)))

    async def due(self, now: float, most: int = 100) -> tuple[int, ...]:
        return tuple(row[0] for row in await _all(_queries.due_games(self._reading, now=now, most=most)))

    async def next_deadline(self) -> float | None:
        value: float | None = await _queries.next_deadline(self._reading)
        return value

    async def active_counts(self) -> dict[tuple[str, str], int]:
        rows = await _all(_queries.active_counts(self._reading))
        return {(row["game"], row["status"]): row["number"] for row in rows}

    async def results(self, game_id: int) -> tuple[ResultRow, ...]:
        rows = await _all(_queries.results_of_game(self._reading, game_id=game_id))
        return tuple(ResultRow(*row) for row in rows)

    async def meta(self, key: str) -> str | None:
        value: str | None = await _queries.meta_value(self._reading, key=key)
        return value

    # Writing.

    async def create(self, row: GameRow, interaction_id: int | None) -> GameRow:
        async def job(connection: aiosqlite.Connection) -> int:
            try:
                game_id = int(await _queries.insert_game(connection, **row_values(row)))
            except sqlite3.IntegrityError as error:
                if "parent_id" in str(error):
                    raise RematchTaken from error
                if "channel_id" in str(error):
                    raise ChannelTaken from error
                raise
            await _note_interaction(connection, interaction_id, game_id)
            await _write_seats(connection, row.but(id=game_id))
            return game_id

        return row.but(id=await self._writer.run(job))

    async def commit(self, change: Change) -> None:
        row = change.row

        async def job(connection: aiosqlite.Connection) -> None:
            await _note_interaction(connection, change.interaction_id, row.id)
            changed = await _queries.update_game(connection, **row_values(row), expected=change.expected)
            if changed != 1:
                raise Conflict
            if change.seats_changed:
                await _queries.delete_seats(connection, game_id=row.id)
                await _write_seats(connection, row)
            if change.move is not None:
                move = change.move
                await _queries.insert_move(
                    connection,
                    game_id=row.id,
                    number=move.number,
                    seat=move.seat,
                    action=move.action,
                    chance=move.chance,
                    at=move.at,
                )
            if change.results:
                await write_end(connection, row, change.results)

        await self._writer.run(job)

    async def shown(self, row: GameRow, *, urgent: bool) -> None:
        async def job(connection: aiosqlite.Connection) -> None:
            await _queries.mark_shown(
                connection,
                id=row.id,
                message_id=row.message_id,
                posted_at=row.posted_at,
                version=row.shown_version,
                turn=row.shown_turn,
            )

        if urgent:
            await self._writer.run(job)
        else:
            self._writer.later(job)

    async def set_meta(self, key: str, value: str) -> None:
        async def job(connection: aiosqlite.Connection) -> None:
            await _queries.set_meta(connection, key=key, value=value)

        await self._writer.run(job)

    async def _one_row(self, find: Callable[[Any], Awaitable[sqlite3.Row | None]]) -> GameRow | None:
        """The game that ``find`` finds, with its seats, in one hop to the database's thread."""

        async def job(connection: Any) -> GameRow | None:
            row = await find(connection)
            if row is None:
                return None
            return _game_row(row, await _all(_queries.seats_of_game(connection, game_id=row["id"])))

        return await in_thread(self._reading, lambda connection: drive(connection, job))


def _game_row(row: sqlite3.Row, seats: Iterable[sqlite3.Row]) -> GameRow:
    values: dict[str, Any] = {name: row[name] for name in _COLUMNS}
    for name in ("acted", "missed", "votes"):
        values[name] = tuple(json.loads(values[name]))
    for name in ("ai_to_move", "reminded", "hints"):
        values[name] = bool(values[name])
    return GameRow(
        **values,
        seats=tuple(Seat(seat["kind"], seat["name"], seat["user_id"], seat["policy"]) for seat in seats),
    )


def _prepare(path: Path) -> None:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        migrate(connection)
        # A file that can only be read is found out now rather than by the first click.
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("PRAGMA user_version = 0")
        connection.execute("ROLLBACK")
        if needed(connection):
            rebuild(connection, time.time())
    finally:
        connection.close()


async def _connect(path: Path) -> aiosqlite.Connection:
    connection = await aiosqlite.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    connection.row_factory = sqlite3.Row
    # FULL: an acknowledged click survives a power cut, not only a crash of the process.
    await connection.execute("PRAGMA synchronous = FULL")
    await connection.execute("PRAGMA foreign_keys = ON")
    await connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    # What somebody has deleted is to be gone from the file as well.
    await connection.execute("PRAGMA secure_delete = ON")
    return connection


async def _note_interaction(
    connection: aiosqlite.Connection, interaction_id: int | None, game_id: int
) -> None:
    if interaction_id is None:
        return
    if await _queries.insert_interaction(connection, id=interaction_id, game_id=game_id) != 1:
        raise Duplicate


async def _write_seats(connection: aiosqlite.Connection, row: GameRow) -> None:
    for number, seat in enumerate(row.seats):
        await _queries.insert_seat(
            connection,
            game_id=row.id,
            seat=number,
            kind=seat.kind,
            user_id=seat.user_id,
            name=seat.name,
            policy=seat.policy,
        )


__all__ = ["SqliteStore", "Unusable"]
