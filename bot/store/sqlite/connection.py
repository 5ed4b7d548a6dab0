"""Connections to SQLite that run named queries: one for reading, one for the writing thread."""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, TypeVar

import aiosqlite

from bot.store.sql.connection import Connection, Value, Values
from bot.store.sql.named_queries import shared_queries
from bot.store.sqlite.many_rows import execute_many

T = TypeVar("T")


class _Reading(ABC):
    """What both connections derive from all rows of a query."""

    def __init__(self) -> None:
        self._texts = shared_queries()

    @abstractmethod
    async def all(self, query: str, /, **values: Value) -> list[sqlite3.Row]:
        """Return all rows."""

    async def one(self, query: str, /, **values: Value) -> sqlite3.Row | None:
        rows = await self.all(query, **values)
        return rows[0] if rows else None

    async def value(self, query: str, /, **values: Value) -> Any:
        row = await self.one(query, **values)
        return None if row is None else row[0]


class SqliteReader(_Reading):
    """Implements the interface ``Reader`` on aiosqlite: each query is one hop to its thread."""

    def __init__(self, connection: aiosqlite.Connection) -> None:
        super().__init__()
        self._connection = connection

    async def all(self, query: str, /, **values: Value) -> list[sqlite3.Row]:
        return list(await self._connection.execute_fetchall(self._texts[query], values))

    async def close(self) -> None:
        await self._connection.close()


class SqliteConnection(_Reading):
    """Implements :class:`~bot.store.sql.connection.Connection` in the thread that owns the SQLite connection.

    Its coroutines never suspend, so :func:`run_job` can run a job without an event loop.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__()
        self._connection = connection

    async def all(self, query: str, /, **values: Value) -> list[sqlite3.Row]:
        return self._connection.execute(self._texts[query], values).fetchall()

    async def execute(self, query: str, /, **values: Value) -> int:
        return self._connection.execute(self._texts[query], values).rowcount

    async def execute_many(self, query: str, rows: Sequence[Values], /) -> None:
        execute_many(self._connection, self._texts[query], rows)

    async def lock_standings(self) -> None:
        pass


def run_job(connection: sqlite3.Connection, job: Callable[[Connection], Awaitable[T]]) -> T:
    """Run a job that both databases share on ``connection``, synchronously. Raises what the job raises.

    A job is a coroutine function because it awaits PostgreSQL; on SQLite it never suspends, and runs in the
    thread that owns the connection.
    """
    coroutine = job(SqliteConnection(connection))
    assert isinstance(coroutine, Coroutine)
    try:
        coroutine.send(None)
    except StopIteration as stop:
        result: T = stop.value
        return result
    coroutine.close()
    raise RuntimeError("a job has waited for something else than the database")
