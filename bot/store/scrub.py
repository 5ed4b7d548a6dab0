"""Deleted data leaves SQLite's write-ahead log as well: it is written back and cut to nothing.

``secure_delete`` overwrites what is deleted in the database itself, but the log beside it still holds the
pages as they were until it is truncated.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3

import aiosqlite

from bot.store.inline import in_thread

TRIES, TRY_SECONDS = 10, 0.1
"""How often, and at what distance, the log is truncated while somebody waits for it."""

RETRY_SECONDS = 1.0
MOST_RETRY_SECONDS = 60.0
"""How long later tries wait: twice as long after each that failed, at most so long."""

_log = logging.getLogger(__name__)


class Scrubber:
    """Truncates the log of one database. Readers, a backup for one, are waited for and never disturbed."""

    def __init__(self, connection: aiosqlite.Connection) -> None:
        """``connection`` is the one that writes; transactions take turns with this in its thread."""
        self._connection = connection
        self._later: asyncio.Task[None] | None = None

    async def scrub(self) -> None:
        """Truncate the log now; where something reads from it for longer, as soon as that is over."""
        for _ in range(TRIES):
            if await self._truncated():
                return
            await asyncio.sleep(TRY_SECONDS)
        if self._later is None or self._later.done():
            _log.info("The write-ahead log still holds deleted data; it is emptied when no one reads from it")
            self._later = asyncio.create_task(self._keep_trying(), name="scrub the log")

    async def close(self) -> None:
        """Stop trying. The last connection to the database that is closed empties the log anyway."""
        if self._later is not None:
            self._later.cancel()
            await asyncio.gather(self._later, return_exceptions=True)

    async def _keep_trying(self) -> None:
        wait = RETRY_SECONDS
        while not await self._truncated():
            await asyncio.sleep(wait)
            wait = min(2 * wait, MOST_RETRY_SECONDS)

    async def _truncated(self) -> bool:
        try:
            return await in_thread(self._connection, _truncate)
        except sqlite3.Error as error:
            # A full disk, for one; what was deleted is deleted all the same.
            _log.warning("The write-ahead log could not be emptied: %s", error)
            return False


def _truncate(connection: sqlite3.Connection) -> bool:
    """Whether the log is empty now. It never waits: moves that come meanwhile would wait as well."""
    (patience,) = connection.execute("PRAGMA busy_timeout").fetchone()
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        connection.execute(f"PRAGMA busy_timeout = {patience}")
    return not busy
