"""Whole jobs in the database's thread: one hop between threads for a job, not one for every statement.

A hop costs more than a typical statement does. A job is written as a coroutine over an aiosqlite connection;
here it is given a connection whose awaits never wait, so it runs from start to end in one go.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable
from typing import Any, TypeVar

import aiosqlite

T = TypeVar("T")
Job = Callable[[Any], Awaitable[T]]
"""A coroutine function over a connection. It may await that connection and nothing else, and changes nothing
but the database: if its transaction has to be repeated, it is run again."""


class Cursor:
    """A cursor with aiosqlite's methods on one of :mod:`sqlite3`."""

    def __init__(self, cursor: sqlite3.Cursor) -> None:
        self._cursor = cursor

    @property
    def lastrowid(self) -> int | None:
        return self._cursor.lastrowid

    @property
    def rowcount(self) -> int:
        return self._cursor.rowcount

    @property
    def description(self) -> Any:
        return self._cursor.description

    async def fetchone(self) -> Any:
        return self._cursor.fetchone()

    async def fetchall(self) -> list[Any]:
        return self._cursor.fetchall()

    async def close(self) -> None:
        self._cursor.close()

    # ``await connection.execute(…)`` and ``async with connection.execute(…)`` are both usual.

    def __await__(self) -> Generator[Any, Any, Cursor]:
        return self._ready().__await__()

    async def _ready(self) -> Cursor:
        return self

    async def __aenter__(self) -> Cursor:
        return self

    async def __aexit__(self, *exception: object) -> None:
        self._cursor.close()


class Inline:
    """A connection with aiosqlite's methods, for use in the thread that owns the real one."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.raw = connection

    def execute(self, sql: str, parameters: Any = ()) -> Cursor:
        return Cursor(self.raw.execute(sql, parameters))

    def executemany(self, sql: str, parameters: Iterable[Any]) -> Cursor:
        return Cursor(self.raw.executemany(sql, parameters))


def drive(connection: sqlite3.Connection, job: Job[T]) -> T:
    """Run ``job`` to its end, here and now. Raises what it raises."""
    running: Any = job(Inline(connection))
    assert isinstance(running, Coroutine)
    try:
        running.send(None)
    except StopIteration as stop:
        result: T = stop.value
        return result
    running.close()
    raise RuntimeError("a job has waited for something else than the database")


async def in_thread(connection: aiosqlite.Connection, function: Callable[[sqlite3.Connection], T]) -> T:
    """Run ``function`` with the real connection in its thread.

    aiosqlite keeps its way of doing so to itself; a test fails should that change.
    """
    execute: Any = connection._execute
    result: T = await execute(_with_connection, connection, function)
    return result


def submit(
    connection: aiosqlite.Connection,
    function: Callable[[sqlite3.Connection], T],
    done: Callable[[T | BaseException], None],
) -> None:
    """Like :func:`in_thread`, but ``done`` is called in the event loop with what comes of it.

    Raises if the connection is closed.
    """
    loop = asyncio.get_running_loop()
    raw = connection._conn

    def work() -> None:
        try:
            result: T | BaseException = function(raw)
        except BaseException as error:
            result = error
        loop.call_soon_threadsafe(done, result)

    connection._tx.put_nowait((None, work))


def _with_connection(connection: aiosqlite.Connection, function: Callable[[sqlite3.Connection], T]) -> T:
    return function(connection._conn)
