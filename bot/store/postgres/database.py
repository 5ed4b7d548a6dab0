"""The way to the server: a pool of connections, transactions tried again, and a server that comes back."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar
from urllib.parse import urlsplit

import asyncpg

from bot.store.base import StoreError
from bot.store.postgres.connection import PostgresConnection
from bot.store.sql import Job, Value
from bot.store.sqlite import writer

T = TypeVar("T")

MAX_CONNECTIONS = 10
"""For each process; the server has to allow the sum (``max_connections``)."""

COMMAND_SECONDS = 30.0
"""A statement that takes longer is given up."""

PATIENCE_SECONDS = 3.0
"""So long a click waits for a server that has gone away; a restart is over by then."""

CONNECTION_ERRORS = (
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.CannotConnectNowError,
    asyncpg.IdleInTransactionSessionTimeoutError,
    OSError,
)
"""The connection is gone, or none can be had now: what was not committed is undone."""

SESSION = {
    "application_name": "dicebot",
    # An acknowledged click survives a power cut, whatever the server's default is.
    "synchronous_commit": "on",
    # A process that is frozen in the middle of a transaction is not to hold up the others for ever.
    "idle_in_transaction_session_timeout": "30000",
}

_log = logging.getLogger(__name__)


def place(url: str) -> str:
    """An address of PostgreSQL without user and password, to be shown.

    >>> place("postgresql://bot:secret@db.example:5432/games?sslmode=require")
    'db.example:5432/games'
    """
    parts = urlsplit(url)
    return parts.netloc.rpartition("@")[2] + parts.path


async def connect(url: str) -> asyncpg.Connection:
    """One connection apart from the pool, without a limit to how long a statement may take."""
    return await asyncpg.connect(url, server_settings=SESSION)


class Database:
    """Implements :class:`~bot.store.sql.Reader`, and runs jobs that write.

    What :meth:`run` has returned is on disk. Jobs run at the same time, each in a transaction of its own
    (READ COMMITTED: a statement sees what was committed before it began, so a lock taken first is enough).
    """

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool
        self._lazy: list[Job[Any]] = []
        self._flushing: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._busy: set[asyncio.Future[None]] = set()
        self._closing = False

    @classmethod
    async def open(cls, url: str) -> Database:
        """Raises what asyncpg raises if the server can't be reached or refuses."""

        async def nothing(connection: object) -> None:
            """Jobs leave no settings behind that would have to be reset, which is a round trip each time."""

        pool = asyncpg.create_pool(
            url,
            # asyncpg would tell of each try to keep some open while the server is away.
            min_size=0,
            max_size=MAX_CONNECTIONS,
            command_timeout=COMMAND_SECONDS,
            statement_cache_size=256,
            server_settings=SESSION,
            reset=nothing,
        )
        return cls(await pool)

    async def close(self) -> None:
        """Finish what is under way, then close all connections."""
        if self._closing:
            return
        self._closing = True
        while self._busy:
            await asyncio.wait(self._busy)
        with suppress(Exception):
            await self._flush()
        try:
            await asyncio.wait_for(self._pool.close(), PATIENCE_SECONDS)
        except (TimeoutError, *CONNECTION_ERRORS):
            self._pool.terminate()

    # Reading.

    async def all(self, query: str, /, **values: Value) -> Sequence[asyncpg.Record]:
        return await self._read(lambda connection: connection.all(query, **values))

    async def one(self, query: str, /, **values: Value) -> asyncpg.Record | None:
        return await self._read(lambda connection: connection.one(query, **values))

    async def value(self, query: str, /, **values: Value) -> Any:
        return await self._read(lambda connection: connection.value(query, **values))

    async def _read(self, query: Callable[[PostgresConnection], Awaitable[T]]) -> T:
        async def attempt() -> T:
            async with self._pool.acquire() as connection:
                return await query(PostgresConnection(connection))

        return await self._patiently(attempt)

    # Writing.

    async def run(self, job: Job[T], settled: Callable[[], Awaitable[T | None]] | None = None) -> T:
        """Run ``job`` in a transaction; return its result once that is durable.

        A job is tried again if the server goes away, or picks it to end a deadlock. If the connection breaks
        during a commit nobody says whether it was done. If it was, the job, done again, is refused
        (:class:`~bot.store.base.StoreError`) because of what it has written; ``settled`` then looks whether
        that is its own work, and returns the result, or None.
        """
        flushing = self._flush()

        async def attempt(unclear: asyncio.Event) -> T:
            async with self._pool.acquire() as connection:
                transaction = connection.transaction()
                await transaction.start()
                try:
                    value = await job(PostgresConnection(connection))
                except BaseException:
                    with suppress(asyncpg.InterfaceError, *CONNECTION_ERRORS):
                        await transaction.rollback()
                    raise
                try:
                    await transaction.commit()
                except (asyncpg.InterfaceError, *CONNECTION_ERRORS):
                    unclear.set()
                    raise
                return value

        result = await self._settled(attempt, settled)
        await flushing
        return result

    async def run_statement(
        self, statement: Job[T], settled: Callable[[], Awaitable[T | None]] | None = None
    ) -> T:
        """Run a job whose writing is done by a single statement, the first that it makes.

        The server makes a transaction of that by itself, which saves the ways to it and back for the others.
        All else is as in :meth:`run`, but that nothing that was put off is written beside it.
        """

        async def attempt(unclear: asyncio.Event) -> T:
            async with self._pool.acquire() as connection:
                try:
                    return await statement(PostgresConnection(connection))
                except (asyncpg.InterfaceError, *CONNECTION_ERRORS):
                    unclear.set()
                    raise

        return await self._settled(attempt, settled)

    async def _settled(
        self,
        attempt: Callable[[asyncio.Event], Awaitable[T]],
        settled: Callable[[], Awaitable[T | None]] | None,
    ) -> T:
        """Attempt until it is clear what has become of it; the event says that of one attempt it is not."""
        if self._closing:
            raise RuntimeError("the database is closed")
        busy: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._busy.add(busy)
        unclear = asyncio.Event()
        try:
            return await self._patiently(lambda: attempt(unclear))
        except StoreError:
            found = await settled() if unclear.is_set() and settled is not None else None
            if found is None:
                raise
            return found
        finally:
            self._busy.discard(busy)
            busy.set_result(None)

    @property
    def lazy_seconds(self) -> float:
        """How long a write that nobody waits for may be put off."""
        return writer.LAZY_SECONDS

    def later(self, job: Job[Any]) -> None:
        """Run ``job`` beside the next transaction of :meth:`run`, or after a moment."""
        if self._closing:
            return
        self._lazy.append(job)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self.lazy_seconds, self._flush)

    def _flush(self) -> asyncio.Future[None]:
        """Write what was put off, one thing after the other on a connection beside that of the caller."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._lazy:
            self._flushing = asyncio.create_task(
                self._write_lazy(self._lazy, self._flushing), name="database-lazy"
            )
            self._lazy = []
        if self._flushing is not None and not self._flushing.done():
            # A caller that is cancelled meanwhile does not stop the write.
            return asyncio.shield(self._flushing)
        nothing: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        nothing.set_result(None)
        return nothing

    async def _write_lazy(self, jobs: list[Job[Any]], before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await before
        for job in jobs:
            try:
                await self._patiently(lambda job=job: self._write_one(job))  # type: ignore[misc]
            except Exception as error:
                _log.warning("A postponed write has failed: %s", error)

    async def _write_one(self, job: Job[Any]) -> None:
        async with self._pool.acquire() as connection, connection.transaction():
            # It may be lost in a power cut, so there is no need to wait for the disk.
            await connection.execute("SET LOCAL synchronous_commit = off")
            await job(PostgresConnection(connection))

    async def _patiently(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Try again, but not for long, while the server is away or transactions lock each other out."""
        clock = asyncio.get_running_loop().time
        until = clock() + PATIENCE_SECONDS
        pause = 0.02
        while True:
            try:
                return await attempt()
            except (asyncpg.SerializationError, asyncpg.DeadlockDetectedError, *CONNECTION_ERRORS):
                if clock() > until:
                    raise
            except asyncpg.InterfaceError as error:
                if self._closing or "closed" not in str(error) or clock() > until:
                    raise
            await asyncio.sleep(pause * random.uniform(0.5, 1.5))
            pause = min(2 * pause, 0.5)
