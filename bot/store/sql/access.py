"""How the stores on SQLite and PostgreSQL read and write: the base of the code that they share."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from bot.store.sql.connection import Connection, Job, Reader, Value

T = TypeVar("T")

WriteAll = Callable[[Sequence[T], Connection], Awaitable[None]]
"""Writes several values of one kind."""

_log = logging.getLogger(__name__)


class SqlAccess(ABC):
    """Base of the code that both stores share; each store defines how it reads and writes."""

    reading: Reader
    lazy_seconds = 2.0
    """How long to postpone a write that no caller waits for, so that many of them share a transaction."""
    shards: Mapping[str, Value] = {"shard_count": 1, "shards": "[0]"}
    """The shards that this process is responsible for, as parameters of the queries of background jobs."""

    def __init__(self) -> None:
        self._postponed: dict[WriteAll[Any], dict[Hashable, Any]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._writing_soon: asyncio.Task[None] | None = None
        self._writing_postponed = asyncio.Lock()

    @abstractmethod
    async def write(self, job: Job[T]) -> T:
        """Run ``job`` in a transaction. Return its result once the transaction is on disk."""

    def write_later(self, write: WriteAll[T], key: Hashable, value: T) -> None:
        """Let ``write`` write a value a moment later, together with others, in one transaction.

        Of values with the same key only the latest is written. Losing it in a crash must do no harm.
        """
        self._postponed.setdefault(write, {})[key] = value
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self.lazy_seconds, self._write_soon)

    def withdraw(self, write: WriteAll[Any], key: Hashable) -> None:
        """Don't write a value that :meth:`write_later` has postponed."""
        self._postponed.get(write, {}).pop(key, None)

    def _write_soon(self) -> None:
        self._writing_soon = asyncio.create_task(self.write_postponed(), name="database-postponed")

    async def write_postponed(self) -> None:
        """Write all that was postponed, and wait until it is on disk. A failure is only logged."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        # Who closes the store waits for a write that is under way.
        async with self._writing_postponed:
            postponed, self._postponed = self._postponed, {}
            for write, values in postponed.items():
                try:
                    await self.write(partial(write, list(values.values())))
                except Exception as error:
                    _log.warning("A postponed write has failed: %s", error)

    async def execute(self, query: str, /, **values: Value) -> int:
        """Run one query in a transaction. Return how many rows it has changed, once that is on disk."""

        async def job(connection: Connection) -> int:
            return await connection.execute(query, **values)

        return await self.write(job)

    async def numbers(self, query: str, /, **values: Value) -> tuple[int, ...]:
        """Return the first column of all rows of a query, such as ids."""
        return tuple(row[0] for row in await self.reading.all(query, **values))


class SqlPart:
    """A part of a store that has tables of its own and uses the store to read and write."""

    def __init__(self, sql: SqlAccess) -> None:
        self._sql = sql
