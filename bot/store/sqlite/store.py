"""The store on SQLite: one connection that writes, one that reads."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import TypeVar

import aiosqlite

from bot.store.backup import delete_old_copies, make_private
from bot.store.base import Change, ChannelTaken, GameRow, ReadOnly, RematchTaken, Unusable
from bot.store.files import make_file, make_folder
from bot.store.sql.connection import Connection, Job
from bot.store.sql.games import SqlGames, write_change, write_game
from bot.store.sqlite.batch_writer import ChangeJob, is_plain
from bot.store.sqlite.connection import SqliteReader, run_job
from bot.store.sqlite.file_check import FileCheck
from bot.store.sqlite.log_size import LOG_BYTES, LogWatch
from bot.store.sqlite.migrate import migrate
from bot.store.sqlite.rebuild import rebuild_if_needed
from bot.store.sqlite.scrub import Scrubber, note_compacted
from bot.store.sqlite.write_thread import WriteThread
from bot.store.sqlite.writer import Writer

T = TypeVar("T")

BUSY_SECONDS = 5.0
"""How long to wait for another program that holds a lock on the file."""

SECURE_DELETE = "PRAGMA secure_delete = ON"
"""Overwrites deleted data in the file."""

CACHE_KIB = 16_384
"""The page cache of each of the two connections."""


class SqliteStore(SqlGames):
    """Implements :class:`~bot.store.base.Store`. Make one with :meth:`open`."""

    shared = False

    reading: SqliteReader

    def __init__(
        self,
        path: Path,
        thread: WriteThread,
        reading: SqliteReader,
    ) -> None:
        super().__init__()
        self._path = path
        self._thread = thread
        self.reading = reading
        self._check = FileCheck(path)
        self._writer = Writer(thread, self._check)
        self._scrubber = Scrubber(thread)
        self._log_watch = LogWatch(path, thread)

    @classmethod
    async def open(cls, path: Path | str) -> SqliteStore:
        """Open or create the database and bring it up to date. Raises :class:`Unusable`."""
        path = Path(path)
        try:
            make_folder(path.parent)
            await asyncio.to_thread(_prepare, path)
            thread = WriteThread(await asyncio.to_thread(_connect, path))
            try:
                reading = await aiosqlite.Connection(lambda: _connect_to_read(path), iter_chunk_size=64)
            except BaseException:
                await thread.close()
                raise
        except (sqlite3.Error, OSError) as error:
            raise Unusable(f"the database {path} can't be opened: {error}") from error
        store = cls(path, thread, SqliteReader(reading))
        store._scrubber.start()
        return store

    async def close(self) -> None:
        # An unclosed connection would keep the process from exiting.
        try:
            await self.write_postponed()
            await self._scrubber.close()
            await self._log_watch.close()
            await self._writer.close()
        finally:
            try:
                await self.reading.close()
            finally:
                await self._thread.close()

    async def ping(self) -> None:
        await super().ping()
        if self._check.changed() is not None:
            raise ReadOnly("a file of the database is not there any more: put it back, or start again")

    async def write(self, job: Job[T]) -> T:
        self._log_watch.wake()
        return await self._writer.run(lambda connection: run_job(connection, job))

    async def create(self, row: GameRow, interaction_id: int | None) -> GameRow:
        async def job(connection: Connection) -> GameRow:
            try:
                return await write_game(connection, row, interaction_id)
            except sqlite3.IntegrityError as error:
                if "parent_id" in str(error):
                    raise RematchTaken from error
                if "channel_id" in str(error):
                    raise ChannelTaken from error
                raise

        return await self.write(job)

    async def commit(self, change: Change) -> None:
        """Write a change. Nearly all have moves and concern neither seats nor results; those that wait at the
        same time are written together. Others are written one by one.
        """
        if is_plain(change):
            self._log_watch.wake()
            await self._writer.run(ChangeJob(change))
        else:
            await self.write(lambda connection: write_change(connection, change))

    async def erase(self, user_id: int) -> None:
        await super().erase(user_id)
        await self._scrubber.scrub()

    async def purge(self, guild_id: int) -> None:
        await super().purge(guild_id)
        await self._scrubber.scrub()

    async def tidy(self, now: float) -> None:
        await super().tidy(now)
        await self._scrubber.scrub()
        await asyncio.to_thread(delete_old_copies, self._path, now)


def _prepare(path: Path) -> None:
    new = False
    with suppress(FileExistsError):
        # SQLite would create it readable by all users; its other files get the same permissions.
        make_file(path)
        new = True
    make_private(path)
    with closing(sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(SECURE_DELETE)
        migrate(connection)
        # Fail now if the file can't be written, not at the first click.
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("PRAGMA user_version = 0")
        connection.execute("ROLLBACK")
        rebuild_if_needed(connection, time.time())
        if new:
            note_compacted(connection)


def _connect(path: Path) -> sqlite3.Connection:
    # One thread uses the connection, but another one creates it.
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    connection.row_factory = sqlite3.Row
    # FULL: an acknowledged click survives a power cut, not only a crash of the process.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    connection.execute(SECURE_DELETE)
    # Without a limit, the log keeps the size that it has ever reached.
    connection.execute(f"PRAGMA journal_size_limit = {LOG_BYTES}")
    # Keep the undo information of statements in memory instead of a temporary file.
    connection.execute("PRAGMA temp_store = MEMORY")
    return connection


def _connect_to_read(path: Path) -> sqlite3.Connection:
    connection = _connect(path)
    # All writing must go through the writer, one transaction after the other.
    connection.execute("PRAGMA query_only = ON")
    return connection
