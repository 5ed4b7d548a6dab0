"""Removes what was deleted from SQLite's files for good: from the write-ahead log, and from unused space.

``secure_delete`` overwrites deleted rows, but copies remain in two places. The log beside the file holds
pages as they were, until it is truncated. And when SQLite moves rows from one page to another, it leaves what
stood in the part of the old page that is now unused; only VACUUM, which writes the whole file anew, removes
that.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress

from bot.store.sqlite.write_thread import WriteThread

WAIT_SECONDS = 1.0
"""How long an erasure waits for the files to be clean. After that, cleaning goes on in the background."""

FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.05, 60.0
"""The pause after the first failed try, doubled after each further one, and the longest pause."""

SMALL_BYTES = 32 * 2**20
"""Up to this size a database is rewritten at once, which takes about a second on a slow disk."""

QUIET_SECONDS = 300.0
"""A larger one is rewritten once nothing was written for so long, because clicks wait for the rewrite."""

MAX_WAIT_SECONDS = 86_400.0
"""How long to wait for such a quiet time at most."""

RETRY_SECONDS = 3600.0
"""When to try again if a database could not be rewritten, for example because the disk has no room."""

COMPACTED = "compacted"
"""The key of the note that nothing was deleted since the file was last rewritten.

Databases of earlier versions lack it, and may hold data that was deleted without ``secure_delete``.
"""

_log = logging.getLogger(__name__)


class Scrubber:
    """Cleans the files of one database. It waits for readers, such as a backup, and never disturbs them."""

    def __init__(self, thread: WriteThread) -> None:
        """``thread`` has the writing connection; all work runs there between transactions."""
        self._thread = thread
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Clean in the background what an earlier run of the bot, or an earlier version, has left."""
        self._task = asyncio.create_task(self._work(), name="scrub the database")

    async def scrub(self) -> None:
        """Clean the files, or continue in the background if that takes longer than a moment."""
        if self._task is not None:
            # End a pause, which may be long.
            self._task.cancel()
        self.start()
        assert self._task is not None
        _, waiting = await asyncio.wait({self._task}, timeout=WAIT_SECONDS)
        if waiting:
            _log.info("The database's files still hold deleted data; this is removed in the background")

    async def close(self) -> None:
        """Stop. The next start of the bot continues."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _work(self) -> None:
        await self._until_done(truncate)
        size = await self._thread.call(_bytes_to_rewrite)
        if size == 0:
            return
        done = False
        while not done:
            done = await self._rewritten(large=size > SMALL_BYTES)
            await asyncio.sleep(0 if done else RETRY_SECONDS)
        await self._until_done(truncate)

    async def _rewritten(self, *, large: bool) -> bool:
        if large:
            await self._until_quiet()
        start = time.monotonic()
        done = await self._try(_rewrite)
        if large and done:
            _log.info("The database was rewritten without deleted data in %.1f s", time.monotonic() - start)
        return done

    async def _until_done(self, function: Callable[[sqlite3.Connection], bool]) -> None:
        pause = FIRST_PAUSE_SECONDS
        while not await self._try(function):
            await asyncio.sleep(pause)
            pause = min(2 * pause, MAX_PAUSE_SECONDS)

    async def _try(self, function: Callable[[sqlite3.Connection], bool]) -> bool:
        try:
            return await self._thread.call(function)
        except sqlite3.Error as error:
            # For example a full disk. The rows are deleted anyway.
            _log.warning("Deleted data could not be removed from the database's files yet: %s", error)
            return False

    async def _until_quiet(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(MAX_WAIT_SECONDS):
                await self._quiet()

    async def _quiet(self) -> None:
        rest = QUIET_SECONDS
        while rest > 0:
            await asyncio.sleep(rest)
            rest = QUIET_SECONDS - self._thread.idle_seconds


def truncate(connection: sqlite3.Connection) -> bool:
    """Try to truncate the log, and return whether it is empty. Never wait, as that would delay moves."""
    (patience,) = connection.execute("PRAGMA busy_timeout").fetchone()
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        connection.execute(f"PRAGMA busy_timeout = {patience}")
    return not busy


def note_compacted(connection: sqlite3.Connection) -> None:
    """Store that nothing that was deleted is left in the file."""
    connection.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, '1')", (COMPACTED,))


def _bytes_to_rewrite(connection: sqlite3.Connection) -> int:
    """Return the size of the file, or 0 if nothing that was deleted can be left in it."""
    if connection.execute("SELECT 1 FROM meta WHERE key = ?", (COMPACTED,)).fetchone() is not None:
        return 0
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (size,) = connection.execute("PRAGMA page_size").fetchone()
    return int(pages) * int(size)


def _rewrite(connection: sqlite3.Connection) -> bool:
    # A large database must not be copied into memory.
    connection.execute("PRAGMA temp_store = FILE")
    try:
        connection.execute("VACUUM")
    finally:
        connection.execute("PRAGMA temp_store = MEMORY")
    # No deletion can come between: all of them run in this thread.
    note_compacted(connection)
    return True
