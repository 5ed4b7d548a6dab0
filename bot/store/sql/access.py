"""How the stores on SQLite and PostgreSQL read and write: the base of the code that they share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TypeVar

from bot.store.sql.connection import Connection, Job, Reader, Value

T = TypeVar("T")

LAZY_SECONDS = 2.0
"""How long to postpone a write that no caller waits for, so that it shares another commit."""


class SqlAccess(ABC):
    """Base of the code that both stores share; each store defines how it reads and writes."""

    reading: Reader
    shards: Mapping[str, Value] = {"shard_count": 1, "shards": "[0]"}
    """The shards that this process is responsible for, as parameters of the queries of background jobs."""

    @abstractmethod
    async def write(self, job: Job[T]) -> T:
        """Run ``job`` in a transaction. Return its result once the transaction is on disk."""

    @abstractmethod
    def write_later(self, job: Job[object]) -> None:
        """Run ``job`` in a transaction a moment later. Losing it in a crash must do no harm."""

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
