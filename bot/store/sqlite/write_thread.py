"""The thread that owns SQLite's writing connection and runs functions of it, one after the other."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from time import monotonic
from typing import TypeVar

T = TypeVar("T")


class WriteThread:
    """Runs functions in its thread. A call takes one hop there and one back, whatever the function does."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """``connection`` must allow use from another thread; from now on only this thread may use it."""
        self._connection = connection
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._closed = False
        self._used_at = monotonic()
        self._thread = Thread(target=self._work, name="database-writer", daemon=True)
        self._thread.start()

    def submit(
        self, function: Callable[[sqlite3.Connection], T], done: Callable[[T | BaseException], None]
    ) -> None:
        """Run ``function`` in the thread, then call ``done`` in the event loop with its result or exception.

        Raises :class:`ValueError` if the thread was closed.
        """
        if self._closed:
            raise ValueError("no active connection")
        loop = asyncio.get_running_loop()
        self._used_at = monotonic()

        def call() -> None:
            try:
                result: T | BaseException = function(self._connection)
            except BaseException as error:
                result = error
            with suppress(RuntimeError):  # the loop was closed meanwhile
                loop.call_soon_threadsafe(done, result)

        self._calls.put(call)

    @property
    def idle_seconds(self) -> float:
        """How long ago the latest function was submitted."""
        return monotonic() - self._used_at

    async def call(self, function: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``function`` in the thread and return its result. Raises what it raises."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()

        def done(result: T | BaseException) -> None:
            if future.done():  # the caller was cancelled
                return
            if isinstance(result, BaseException):
                future.set_exception(result)
            else:
                future.set_result(result)

        self.submit(function, done)
        return await future

    async def close(self) -> None:
        """Run all submitted functions, close the connection and end the thread."""
        if self._closed:
            return
        closing = self.call(sqlite3.Connection.close)
        try:
            await closing
        finally:
            self._closed = True
            self._calls.put(None)

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            call()
