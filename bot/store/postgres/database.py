"""The connection to the server: a pool, retried transactions, and waiting for a server that restarts."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit
from weakref import WeakSet

import asyncpg

from bot.store.base import ReadOnly, StoreError
from bot.store.postgres.connection import PostgresConnection
from bot.store.postgres.silence import ServerConnection, SilenceWatch
from bot.store.sql.connection import Job, Value

T = TypeVar("T")

MAX_CONNECTIONS = 10
"""Connections of each process; the server must allow their sum (``max_connections``)."""

COMMAND_SECONDS = 30.0
"""Time limit of a statement, on a server that answers."""

CONNECT_SECONDS = 3.0
"""Time limit of a connection to one server."""

SILENT_SECONDS = 1.0
"""After no server has answered for :data:`CONNECT_SECONDS`: for how long nobody else waits for that."""

PATIENCE_SECONDS = 3.0
"""How long a click waits for a server that has gone away; a restart takes less."""

CONNECTION_ERRORS = (
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.CannotConnectNowError,
    asyncpg.IdleInTransactionSessionTimeoutError,
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.TargetServerAttributeNotMatched,
    OSError,
)
"""Errors of a lost or refused connection, or of a server that has become read-only.

The server rolls back what was not committed.
"""

READ_ONLY_ERRORS = (asyncpg.ReadOnlySQLTransactionError, asyncpg.TargetServerAttributeNotMatched)
"""Errors of a server that accepts no writes."""

READ_WRITE = "read-write"
"""Connects only to a server that accepts writes: the primary among those of an address, never a standby."""

SESSION = {
    "application_name": "dicebot",
    # An acknowledged click survives a power cut, whatever the server's default is.
    "synchronous_commit": "on",
    # A process that is frozen in the middle of a transaction must not block the others forever.
    "idle_in_transaction_session_timeout": "30000",
}
"""Settings of each connection."""


def place(url: str) -> str:
    """Return an address of PostgreSQL without user and password, for messages.

    >>> place("postgresql://bot:secret@db.example:5432/games?sslmode=require")
    'db.example:5432/games'
    >>> place("postgresql://bot@/games?host=/run/postgresql")
    'games at /run/postgresql'
    """
    parts = urlsplit(url)
    if "@" in parts.path + parts.query + parts.fragment:
        # A password with a "/", "?" or "#" that should have been encoded: which part is it?
        return "at DATABASE_URL"
    if host := parts.netloc.rpartition("@")[2]:
        return host + parts.path
    socket = parse_qs(parts.query).get("host", ["the default address"])
    return f"{parts.path.removeprefix('/')} at {socket[-1]}"


def servers(url: str) -> tuple[str, ...]:
    """Return an address for each of the servers that an address of PostgreSQL names.

    >>> servers("postgresql://bot@one:5432,two/games?sslmode=require")
    ('postgresql://bot@one:5432/games?sslmode=require', 'postgresql://bot@two/games?sslmode=require')
    """
    where = urlsplit(url).netloc
    user, at, hosts = where.rpartition("@")
    return tuple(url.replace(where, f"{user}{at}{host}", 1) for host in hosts.split(","))


async def connect(url: str, *, first: str = "", **options: Any) -> ServerConnection:
    """Open one connection to the first server that takes it, without a time limit for statements.

    ``first`` is the server to try before the others.

    asyncpg itself would give all servers together one time limit, which the first one that is silent uses up.
    """
    failure: Exception | None = None
    for server in sorted(servers(url), key=lambda server: server != first):
        try:
            connection: ServerConnection = await asyncpg.connect(
                server,
                timeout=CONNECT_SECONDS,
                server_settings=SESSION,
                target_session_attrs=READ_WRITE,
                **{**options, "connection_class": ServerConnection},
            )
            connection.server = server
            return connection
        except CONNECTION_ERRORS as error:
            failure = error
    assert failure is not None
    raise failure


class Connector:
    """Opens the connections of a pool, and knows them all."""

    def __init__(self) -> None:
        self._opened: WeakSet[ServerConnection] = WeakSet()
        self._latest = ""
        """The server that took the latest connection: one before it in the address may be silent."""
        self._silent_until = 0.0

    async def connect(self, url: str, **options: Any) -> ServerConnection:
        """Open a connection; fail at once if another one has just waited in vain."""
        clock = asyncio.get_running_loop().time
        begun = clock()
        if begun < self._silent_until:
            raise ConnectionError("the database server does not answer")
        try:
            connection = await connect(url, first=self._latest, **options)
        except CONNECTION_ERRORS:
            if clock() >= begun + CONNECT_SECONDS:
                self._silent_until = clock() + SILENT_SECONDS
            raise
        self._latest = connection.server
        self._opened.add(connection)
        return connection

    def give_up(self, server: str) -> None:
        """Break all connections to a server; what waits for them fails as after any other loss of them."""
        for connection in tuple(self._opened):
            if connection.server == server:
                connection.terminate()


class Database:
    """Implements :class:`~bot.store.sql.connection.Reader`, and runs jobs that write.

    When :meth:`run` returns, its job is on disk. Jobs run concurrently, each in its own transaction
    (READ COMMITTED: a statement sees what was committed before it began, so a lock taken first is enough).
    """

    def __init__(self, pool: asyncpg.Pool, connector: Connector) -> None:
        """``connector`` opens the connections of the ``pool``."""
        self._pool = pool
        self._connector = connector
        self._busy: set[asyncio.Future[None]] = set()
        self._closing = False

    @classmethod
    async def open(cls, url: str) -> Database:
        """Connect. Raises asyncpg's errors if the server can't be reached or refuses."""

        async def nothing(connection: object) -> None:
            """Do nothing: jobs change no settings, and resetting them would take a round trip each time."""

        connector = Connector()
        pool = asyncpg.create_pool(
            url,
            # While the server is away, asyncpg would log each attempt to keep connections open.
            min_size=0,
            max_size=MAX_CONNECTIONS,
            command_timeout=COMMAND_SECONDS,
            statement_cache_size=256,
            connection_class=ServerConnection,
            connect=connector.connect,
            reset=nothing,
        )
        return cls(await pool, connector)

    async def close(self) -> None:
        """Finish all jobs in progress, then close all connections."""
        if self._closing:
            return
        self._closing = True
        while self._busy:
            await asyncio.wait(self._busy)
        try:
            await asyncio.wait_for(self._pool.close(), PATIENCE_SECONDS)
        except (TimeoutError, *CONNECTION_ERRORS):
            self._pool.terminate()

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Any]:
        """Lend one of the connections; it breaks if its server falls silent meanwhile."""
        async with self._pool.acquire() as connection:
            watch = SilenceWatch(connection.server, self._connector.give_up)
            try:
                yield connection
            finally:
                watch.stop()

    # Reading.

    async def all(self, query: str, /, **values: Value) -> Sequence[asyncpg.Record]:
        return await self._read(lambda connection: connection.all(query, **values))

    async def one(self, query: str, /, **values: Value) -> asyncpg.Record | None:
        return await self._read(lambda connection: connection.one(query, **values))

    async def value(self, query: str, /, **values: Value) -> Any:
        return await self._read(lambda connection: connection.value(query, **values))

    async def _read(self, query: Callable[[PostgresConnection], Awaitable[T]]) -> T:
        async def attempt() -> T:
            async with self._connection() as connection:
                return await query(PostgresConnection(connection))

        return await self._patiently(attempt)

    async def ping(self) -> None:
        """Raise an error if the server doesn't answer; :class:`ReadOnly` if it accepts no writes."""
        try:
            async with self._connection() as connection:
                read_only = await connection.fetchval("SHOW transaction_read_only") == "on"
        except READ_ONLY_ERRORS:
            read_only = True
        if read_only:
            await self._pool.expire_connections()
            raise ReadOnly("the database is read-only")

    # Writing.

    async def run(self, job: Job[T], settled: Callable[[], Awaitable[T | None]] | None = None) -> T:
        """Run ``job`` in a transaction. Return its result once the transaction is on disk.

        A job runs again if the server goes away, or cancels it to end a deadlock. If the connection breaks
        during a commit, nobody knows whether it succeeded. If it did, the database refuses the repeated job
        (:class:`~bot.store.base.StoreError`) because the job has been written already. ``settled`` checks
        that: it returns the result, or None if the job was refused for another reason.
        """

        async def attempt(unclear: asyncio.Event) -> T:
            async with self._connection() as connection:
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

        return await self._until_known(attempt, settled)

    async def run_statement(
        self, statement: Job[T], settled: Callable[[], Awaitable[T | None]] | None = None
    ) -> T:
        """Run a job that writes with a single statement, its first one.

        The server runs such a statement in a transaction of its own, which saves the round trips of BEGIN and
        COMMIT. All else is as in :meth:`run`.
        """

        async def attempt(unclear: asyncio.Event) -> T:
            async with self._connection() as connection:
                try:
                    return await statement(PostgresConnection(connection))
                except (asyncpg.InterfaceError, *CONNECTION_ERRORS):
                    unclear.set()
                    raise

        return await self._until_known(attempt, settled)

    async def _until_known(
        self,
        attempt: Callable[[asyncio.Event], Awaitable[T]],
        settled: Callable[[], Awaitable[T | None]] | None,
    ) -> T:
        """Attempt until the outcome is known; the event is set after an attempt with an unknown outcome."""
        if self._closing:
            raise RuntimeError("the database is closed")
        busy: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._busy.add(busy)
        unclear = asyncio.Event()
        try:
            return await self._patiently(lambda: attempt(unclear))
        except StoreError:
            outcome = await settled() if unclear.is_set() and settled is not None else None
            if outcome is None:
                raise
            return outcome
        finally:
            self._busy.discard(busy)
            busy.set_result(None)

    async def _patiently(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Retry for a limited time while the server is away or transactions are in a deadlock."""
        clock = asyncio.get_running_loop().time
        until = clock() + PATIENCE_SECONDS
        pause = 0.02
        while True:
            try:
                return await attempt()
            except (asyncpg.SerializationError, asyncpg.DeadlockDetectedError, *CONNECTION_ERRORS) as error:
                if isinstance(error, asyncpg.ReadOnlySQLTransactionError):
                    # There may be another primary by now, to which only new connections lead.
                    await self._pool.expire_connections()
                if clock() > until:
                    raise
            except asyncpg.InterfaceError as error:
                if self._closing or "closed" not in str(error) or clock() > until:
                    raise
            await asyncio.sleep(pause * random.uniform(0.5, 1.5))
            pause = min(2 * pause, 0.5)
