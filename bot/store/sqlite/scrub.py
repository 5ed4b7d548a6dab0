"""Deleted data leaves SQLite's write-ahead log as well: it is written back and cut to nothing.

``secure_delete`` overwrites what is deleted in the database itself, but the log beside it still holds the
pages as they were until it is truncated.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3

from bot.store.sqlite.write_thread import WriteThread

WAIT_SECONDS = 1.0
"""How long an erasure waits for the log to be emptied; after that it goes on in the background."""

FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.05, 60.0
"""How long the next try waits after the first that failed, doubled after each, and at most so long."""

_log = logging.getLogger(__name__)


class Scrubber:
    """Truncates the log of one database. Readers, a backup for one, are waited for and never disturbed."""

    def __init__(self, thread: WriteThread) -> None:
        """``thread`` has the connection that writes; transactions take turns with this."""
        self._thread = thread
        self._task: asyncio.Task[None] | None = None

    async def scrub(self) -> None:
        """Truncate the log; where something reads from it for longer, as soon as that is over."""
        if self._task is not None:
            # It may be in a long pause.
            self._task.cancel()
        self._task = task = asyncio.create_task(self._work(), name="scrub the log")
        _, waiting = await asyncio.wait({task}, timeout=WAIT_SECONDS)
        if waiting:
            _log.info("The write-ahead log holds deleted data until no one reads from it any more")

    async def close(self) -> None:
        """Stop trying. The last connection to the database that is closed empties the log anyway."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _work(self) -> None:
        pause = FIRST_PAUSE_SECONDS
        while not await self._truncated():
            await asyncio.sleep(pause)
            pause = min(2 * pause, MAX_PAUSE_SECONDS)

    async def _truncated(self) -> bool:
        try:
            return await self._thread.call(_truncate)
        except (sqlite3.Error, ValueError) as error:
            # A full disk, or a store that was closed; what was deleted is deleted all the same.
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
