"""Keeps SQLite's write-ahead log small, and says so when another program keeps it large.

While something reads from the database, the log can only grow. SQLite uses the same file again afterwards,
but never makes it smaller unless it is told to.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from contextlib import suppress
from pathlib import Path
from time import monotonic

from bot.observability import metrics
from bot.store.sqlite.scrub import truncate
from bot.store.sqlite.write_thread import WriteThread

CHECK_SECONDS = 60.0
"""How long after a write to look at the log's size."""

LOG_BYTES = 8 * 2**20
"""A log larger than this is truncated as soon as nothing reads from it. In normal use it has half of that."""

WARN_BYTES = 64 * 2**20
WARN_SECONDS = 3600.0
"""The size from which to warn, and the least time between two warnings."""

_log = logging.getLogger(__name__)


class LogWatch:
    """Checks the size of one database's log a while after each write, and again as long as it is large."""

    def __init__(self, path: Path, thread: WriteThread) -> None:
        """``thread`` has the writing connection to the database at ``path``."""
        self._path = path.with_name(f"{path.name}-wal")
        self._thread = thread
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._warned = float("-inf")
        self._closed = False

    def wake(self) -> None:
        """Note that something is being written."""
        if self._timer is None and not self._closed:
            self._timer = asyncio.get_running_loop().call_later(CHECK_SECONDS, self._begin)

    async def close(self) -> None:
        """Stop looking."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _begin(self) -> None:
        self._timer = None
        self._task = asyncio.create_task(self._work(), name="database log")

    async def _work(self) -> None:
        try:
            await self._check()
        except sqlite3.Error as error:
            _log.warning("The write-ahead log could not be emptied: %s", error)
        if self._size() > LOG_BYTES:
            self.wake()

    async def _check(self) -> None:
        if self._size() > LOG_BYTES:
            await self._thread.call(truncate)
        size = self._size()
        metrics.database_log_bytes.set(size)
        if size > WARN_BYTES and monotonic() - self._warned >= WARN_SECONDS:
            self._warned = monotonic()
            _log.warning(
                "%s has %s MiB and grows, because another program has been reading from the database for "
                "long; end it",
                self._path,
                size // 2**20,
            )

    def _size(self) -> int:
        with suppress(OSError):
            return self._path.stat().st_size
        return 0
