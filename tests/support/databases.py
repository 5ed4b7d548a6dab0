"""Databases for tests, of both kinds: the same test runs on a file of SQLite and on a server of PostgreSQL.

The PostgreSQL ones run where ``TEST_POSTGRES`` names a server, as ``make test-postgres`` does.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import re
import shutil
import sqlite3
import threading
import uuid
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar
from urllib.parse import urlsplit, urlunsplit

import pytest

from bot.store.postgres.address import open_postgres
from bot.store.sqlite.rebuild import rebuild
from bot.store.sqlite.store import SqliteStore
from bot.store.standings import Rebuilt
from tools.postgres_server import VARIABLE

SERVER = os.environ.get(VARIABLE, "")

Database = Path | str
"""A database: the path of a file, or an address of PostgreSQL."""

needs_postgres = pytest.mark.skipif(not SERVER, reason=f"{VARIABLE} names no server; see make test-postgres")

KINDS = ["sqlite", pytest.param("postgres", marks=needs_postgres)]
"""The parameters of a fixture or a test that runs on both databases."""


@contextmanager
def database_of(kind: str, folder: Path, template: Database | None = None) -> Iterator[Database]:
    """Yield a new database, or a copy of ``template``, and delete it afterwards."""
    if kind == "sqlite":
        path = migrated(folder)
        if template is not None:
            shutil.copy(template, path)
        yield path
        return
    with made(template) as url:
        yield url


def migrated(folder: Path) -> Path:
    """Write a file of SQLite as the bot's first start leaves it, which takes longer than most tests."""
    path = folder / "games.db"
    path.write_bytes(_migrated())
    return path


@cache
def _migrated() -> bytes:
    async def start(path: Path) -> None:
        await (await SqliteStore.open(path)).close()

    with TemporaryDirectory() as folder:
        path = Path(folder) / "games.db"
        in_own_loop(lambda: start(path))
        return path.read_bytes()


@contextmanager
def made(template: Database | None = None, options: str = "") -> Iterator[str]:
    """Create a new database on the server."""
    assert SERVER
    name = f"test_{uuid.uuid4().hex}"
    source = name_of(str(template)) if template else "template0"
    with opened(SERVER) as server:
        server.execute(f"CREATE DATABASE {name} TEMPLATE {source} {options}")
        try:
            yield _named(name)
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _named(name: str) -> str:
    parts = urlsplit(SERVER)
    return urlunsplit(parts._replace(path=f"/{name}"))


def name_of(url: str) -> str:
    """Return the name of the database in an address."""
    return url.partition("?")[0].rpartition("/")[2]


def url_of(database: Database) -> str:
    """Return the setting DATABASE_URL for a database."""
    return f"sqlite:///{database}" if isinstance(database, Path) else database


async def open_store(database: Database) -> Any:
    """Open the store on a database."""
    return await (SqliteStore.open(database) if isinstance(database, Path) else open_postgres(database))


@asynccontextmanager
async def store_on(database: Database) -> AsyncIterator[Any]:
    """Open the store on a database, and close it in the end."""
    store = await open_store(database)
    try:
        yield store
    finally:
        await store.close()


def opened(database: Database) -> AbstractContextManager[Any]:
    """Open a second connection beside the bot's, with the part of :mod:`sqlite3` that tests use."""
    if isinstance(database, Path):
        return closing(sqlite3.connect(database, isolation_level=None))
    return closing(Connection(database))


def open_files(path: Path) -> set[str]:
    """Return the open files of a database in this process: number and name."""
    found = set()
    for link in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            if (name := str(link.readlink())).startswith(str(path)):
                found.add(f"{link.name} {name.rpartition('/')[2]}")
    return found


def traces(path: Path, user_id: int, name: str) -> list[str]:
    """Return which files of a SQLite database contain a person's name, or their id in any form."""
    # SQLite writes an integer in the fewest of these numbers of bytes; fewer than six say little.
    size = next(size for size in (6, 8) if user_id < 1 << 8 * size - 1)
    number = user_id.to_bytes(size, "big")
    forms = (name.encode(), str(user_id).encode(), number, number[::-1], f"{user_id:x}".encode())
    files = [path.with_name(path.name + end) for end in ("", "-wal", "-shm", "-journal")]
    return [one.name for one in files if one.exists() and any(form in one.read_bytes() for form in forms)]


def rebuilt(database: Database, now: float, progress: Callable[[int], object] | None = None) -> Rebuilt:
    """Rebuild everything that follows from the results."""
    if isinstance(database, Path):
        with opened(database) as connection:
            found = rebuild(connection, now, progress)
            assert not connection.in_transaction
            return found
    from bot.store.postgres.store import rebuild_postgres

    return in_own_loop(lambda: rebuild_postgres(database, now, progress))


def tables(connection: Any) -> list[str]:
    """Return the names of all tables."""
    if isinstance(connection, Connection):
        query = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    else:
        query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    return sorted(row[0] for row in connection.execute(query))


T = TypeVar("T")


def in_own_loop(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run ``work`` in a thread with an event loop of its own, for callers that may have one already."""
    result: list[T | BaseException] = []

    def run() -> None:
        try:
            result.append(asyncio.run(work()))
        except BaseException as error:
            result.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(60)
    assert result, "the work in a loop of its own is not done after a minute"
    (found,) = result
    if isinstance(found, BaseException):
        raise found
    return found


class Result:
    """The result of a statement."""

    def __init__(self, rows: list[tuple[Any, ...]], rowcount: int) -> None:
        self._rows = rows
        self.rowcount = rowcount

    def fetchall(self) -> list[tuple[Any, ...]]:
        return self._rows

    def fetchone(self) -> tuple[Any, ...] | None:
        return self._rows[0] if self._rows else None

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self._rows)


class Connection:
    """A connection to PostgreSQL that waits, with ``?`` for values, each statement committed by itself."""

    def __init__(self, url: str) -> None:
        import asyncpg

        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._connection: Any = self._wait(asyncpg.connect(url))

    def execute(self, sql: str, values: tuple[Any, ...] = ()) -> Result:
        numbers = itertools.count(1)
        sql = re.sub(r"\?", lambda _: f"${next(numbers)}", sql)
        statement = self._wait(self._connection.prepare(sql))
        rows = [tuple(row) for row in self._wait(statement.fetch(*values))]
        status = statement.get_statusmsg().rpartition(" ")[2]
        return Result(rows, int(status) if status.isdigit() else -1)

    def close(self) -> None:
        self._wait(self._connection.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def _wait(self, work: Any) -> Any:
        async def done() -> Any:
            return await work

        return asyncio.run_coroutine_threadsafe(done(), self._loop).result(60)
