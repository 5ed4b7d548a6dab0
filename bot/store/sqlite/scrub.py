"""Removes deleted data from SQLite's write-ahead log too, by writing the log back and truncating it.

``secure_delete`` overwrites what is deleted in the database itself, but the log beside it still holds the
pages as they were until it is truncated.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3

from bot.store.sqlite.write_thread import WriteThread

WAIT_SECONDS = 1.0
"""How long an erasure waits for the log to be emptied; after that this continues in the background."""

FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.05, 60.0
"""The pause after the first failed try, doubled after each further one, and the longest pause."""

_log = logging.getLogger(__name__)


class Scrubber:
    """Truncates the log of one database. It waits for readers, such as a backup, and never disturbs them."""

    def __init__(self, thread: WriteThread) -> None:
        """``thread`` has the writing connection; truncating runs there between transactions."""
        self._thread = thread
        self._task: asyncio.Task[None] | None = None

    async def scrub(self) -> None:
        """Truncate the log, or continue trying in the background while something reads from it."""
        if self._task is not None:
            # End a pause, which may be long.
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
            # For example a full disk or a closed store; the data is deleted from the database anyway.
            _log.warning("The write-ahead log could not be emptied: %s", error)
            return False


def _truncate(connection: sqlite3.Connection) -> bool:
    """Try to truncate the log, and return whether it is empty. Never wait, as that would delay moves."""
    (patience,) = connection.execute("PRAGMA busy_timeout").fetchone()
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        connection.execute(f"PRAGMA busy_timeout = {patience}")
    return not busy
