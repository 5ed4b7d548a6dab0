"""The store on SQLite: one connection that writes, one that reads."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import aiosqlite

from bot.store.base import (
    Change,
    ChannelTaken,
    GameRow,
    RematchTaken,
    Unusable,
)
from bot.store.files import make_file, make_folder
from bot.store.inline import drive, in_thread
from bot.store.rebuild import needed, rebuild
from bot.store.sql import all_rows as _all
from bot.store.sql import queries as _queries
from bot.store.sql_games import SqlGames, game_row, write_game
from bot.store.sqlite.batch_writer import Step, prepare, write_shown
from bot.store.sqlite.lock import Unmoved
from bot.store.sqlite.migrate import migrate
from bot.store.sqlite.scrub import Scrubber
from bot.store.sqlite.writer import Writer

BUSY_SECONDS = 5.0
SECURE_DELETE = "PRAGMA secure_delete = ON"
"""What somebody has deleted is to be gone from the file as well."""

CACHE_KIB = 16_384
"""Memory for pages of the database, for each of the two connections."""


class SqliteStore(SqlGames):
    """Implements :class:`~bot.store.base.Store`. Make one with :meth:`open`."""

    shared = False

    _writer: Writer

    def __init__(
        self,
        path: Path,
        writing: aiosqlite.Connection,
        reading: aiosqlite.Connection,
        lazy_seconds: float | None = None,
    ) -> None:
        super().__init__()
        self._writing = writing
        self._reading = reading
        self._writer = Writer(writing, Unmoved(path), lazy_seconds)
        self._scrubber = Scrubber(writing)

    @classmethod
    async def open(cls, path: Path | str, *, lazy_seconds: float | None = None) -> SqliteStore:
        """Open or create the database and bring it up to date. Raises :class:`Unusable`.

        ``lazy_seconds`` is how long a write that nobody waits for may be put off, if not as long as usual.
        """
        path = Path(path)
        try:
            make_folder(path.parent)
            await asyncio.to_thread(_prepare, path)
            writing = await _connect(path)
            try:
                await in_thread(writing, prepare)
                reading = await _connect(path)
            except BaseException:
                await writing.close()
                raise
        except (sqlite3.Error, OSError) as error:
            raise Unusable(f"the database {path} can't be opened: {error}") from error
        return cls(path, writing, reading, lazy_seconds)

    async def close(self) -> None:
        # An unclosed connection would keep the process from exiting.
        self._note_shown()
        try:
            await self._scrubber.close()
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

    # Writing.

    async def create(self, row: GameRow, interaction_id: int | None) -> GameRow:
        async def job(connection: aiosqlite.Connection) -> int:
            try:
                return await write_game(connection, row, interaction_id)
            except sqlite3.IntegrityError as error:
                if "parent_id" in str(error):
                    raise RematchTaken from error
                if "channel_id" in str(error):
                    raise ChannelTaken from error
                raise

        return row.but(id=await self._writer.run(job))

    async def commit(self, change: Change) -> None:
        await self._writer.run(Step(change))

    async def erase(self, user_id: int) -> None:
        await super().erase(user_id)
        await self._scrubber.scrub()

    async def purge(self, guild_id: int) -> None:
        await super().purge(guild_id)
        await self._scrubber.scrub()

    async def _write_shown(self, rows: Sequence[GameRow], connection: Any) -> None:
        write_shown(connection.raw, rows)

    async def _one_row(self, find: Callable[[Any], Awaitable[sqlite3.Row | None]]) -> GameRow | None:
        """The game that ``find`` finds, with its seats, in one hop to the database's thread."""

        async def job(connection: Any) -> GameRow | None:
            row = await find(connection)
            if row is None:
                return None
            return game_row(row, await _all(_queries.seats_of_game(connection, game_id=row["id"])))

        return await in_thread(self._reading, lambda connection: drive(connection, job))


def _prepare(path: Path) -> None:
    with suppress(FileExistsError):
        # SQLite would make it readable for everybody; its other files take after it.
        make_file(path)
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(SECURE_DELETE)
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
    await connection.execute(SECURE_DELETE)
    # What a transaction may have to undo is kept in memory, not written to a file of its own.
    await connection.execute("PRAGMA temp_store = MEMORY")
    return connection


__all__ = ["SqliteStore", "Unusable"]
