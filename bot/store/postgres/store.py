"""The store on PostgreSQL, for one process or several."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar

import asyncpg

from bot.store import encoding
from bot.store.base import (
    Change,
    ChannelTaken,
    Conflict,
    Duplicate,
    GameRow,
    Outdated,
    Process,
    ReadOnly,
    RematchTaken,
    Unreachable,
    Unusable,
)
from bot.store.postgres.connection import PostgresConnection
from bot.store.postgres.database import CONNECTION_ERRORS, READ_ONLY_ERRORS, Database, connect, place
from bot.store.postgres.migrate import examine, migrate
from bot.store.schema import POSTGRES_FOLDER, Unfit, migrations
from bot.store.sql.connection import Connection, Job, Row
from bot.store.sql.games import SqlGames, write_change, write_game
from bot.store.sql.rebuild import is_needed, rebuild_standings
from bot.store.standings import Rebuilt

T = TypeVar("T")

UNIQUE_CONSTRAINTS = {"games_parent_id_key": RematchTaken, "games_one_a_channel": ChannelTaken}
"""The exceptions for new games that violate these constraints."""


NO_GAME = 0
"""What is stored with an interaction that was claimed, in place of the game that it has changed."""

DATABASE_ERRORS = (asyncpg.PostgresError, asyncpg.InterfaceError, ValueError, *CONNECTION_ERRORS)
"""Exceptions that opening a database may raise."""


class PostgresStore(SqlGames):
    """Implements :class:`~bot.store.base.Store`. Make one with :meth:`open`."""

    shared = True

    def __init__(self, database: Database) -> None:
        super().__init__()
        self.reading = self._database = database
        self._newest = len(migrations(POSTGRES_FOLDER))
        self.serve_shards(1, [0])

    @classmethod
    async def open(cls, url: str) -> PostgresStore:
        """Connect and bring the database up to date.

        Raises :class:`~bot.store.base.Unreachable` or another :class:`~bot.store.base.Unusable`.
        """
        try:
            async with opened(url) as connection:
                await prepare(connection)
            return cls(await Database.open(url))
        except DATABASE_ERRORS as error:
            raise _in_words(url, error) from error

    async def write(self, job: Job[T]) -> T:
        return await self._database.run(job)

    async def ping(self) -> None:
        await self._database.ping()

    async def close(self) -> None:
        await self.write_postponed()
        await self._database.close()

    # Several processes; see bot/services/leases.py.

    def serve_shards(self, shard_count: int, shards: Collection[int]) -> None:
        """Limit ``due``, ``waiting_for_ai`` and the like to games of these shards from now on."""
        self.shards = {"shard_count": shard_count, "shards": json.dumps(sorted(shards))}

    async def heartbeat(
        self, name: str, shard_count: int, shards: Sequence[int], seconds: float
    ) -> tuple[Process, ...]:
        """Record that a process is alive for the next ``seconds``. Return all living ones, the oldest first.

        Raises :class:`~bot.store.base.Outdated`.
        """

        async def job(connection: Connection) -> Sequence[Row]:
            schema = await connection.value("schema")
            if schema > self._newest:
                raise Outdated(
                    f"a newer version of the bot has brought the database to schema {schema}, this one knows "
                    f"up to {self._newest}: start the newer version"
                )
            await connection.execute("bury_dead")
            await connection.execute(
                "beat", id=name, shard_count=shard_count, shards=json.dumps(list(shards)), seconds=seconds
            )
            return await connection.all("alive")

        rows = await self.write(job)
        return tuple(
            Process(row["id"], row["shard_count"], frozenset(json.loads(row["shards"]))) for row in rows
        )

    async def leave(self, name: str) -> None:
        """Remove a process that ends."""

        await self.execute("leave", id=name)

    async def carried_out(self, interaction_id: int) -> bool:
        """Return whether an interaction has changed a game or was claimed, in this process or another."""
        return await self.reading.value("interaction_game", id=interaction_id) is not None

    async def claim(self, interaction_id: int) -> bool:
        """Claim an interaction for this process. Return False if that was done before."""
        return bool(await self.execute("insert_interaction", id=interaction_id, game_id=NO_GAME))

    # Writing.

    async def create(self, row: GameRow, interaction_id: int | None) -> GameRow:
        async def job(connection: Connection) -> GameRow:
            try:
                return await write_game(connection, row, interaction_id)
            except asyncpg.UniqueViolationError as error:
                if error.constraint_name in UNIQUE_CONSTRAINTS:
                    raise UNIQUE_CONSTRAINTS[error.constraint_name] from error
                raise

        async def settled() -> GameRow | None:
            stored = await self.active_game(row.channel_id)
            return stored if stored is not None and stored.secret == row.secret else None

        return await self._database.run(job, settled)

    async def commit(self, change: Change) -> None:
        """Write a change: in one statement if it has at most one move and changes neither seats nor results,
        like nearly all; any other in several, as SQLite does.
        """

        async def job(connection: Connection) -> bool:
            await write_change(connection, change)
            return True

        async def statement(connection: Connection) -> bool:
            await _write_change_at_once(connection, change)
            return True

        async def settled() -> bool | None:
            stored = await self.game(change.row.id)
            # Only this change leads to the same state, with the same draws, at the same time.
            return (
                stored is not None and encoding.update_columns(stored) == encoding.update_columns(change.row)
            ) or None

        if change.concerns_people or change.earlier:
            await self._database.run(job, settled)
        else:
            await self._database.run_statement(statement, settled)


async def _write_change_at_once(connection: Connection, change: Change) -> None:
    """Write a change that has at most one move and concerns neither seats nor results.

    :func:`~bot.store.sql.games.write_change` would do the same, but in several round trips to the server.
    """
    row = change.row
    move = dict.fromkeys(("number", "seat", "action", "chance", "at"))
    if change.move is not None:
        move = encoding.move_columns(row.game, change.move)
    try:
        changed = await connection.value(
            "write_change_at_once",
            **encoding.update_columns(row),
            **move,
            id=row.id,
            expected=change.expected,
            untouched=row.touched - (row.version == change.expected),
            touched=row.touched,
            interaction=change.interaction_id,
        )
    except asyncpg.UniqueViolationError as error:
        if error.constraint_name == "interactions_pkey":
            raise Duplicate from error
        raise
    if changed:
        return
    if change.interaction_id is not None and await connection.value(
        "interaction_game", id=change.interaction_id
    ):
        raise Duplicate
    raise Conflict


async def prepare(connection: asyncpg.Connection) -> None:
    """Bring the database up to date. Raises :class:`~bot.store.base.Unusable`."""
    character_set = await connection.fetchval("SHOW server_encoding")
    if character_set != "UTF8":
        raise Unusable(f"the database keeps texts as {character_set}: create it with ENCODING 'UTF8'")
    await migrate(connection)
    inside = PostgresConnection(connection)
    if await is_needed(inside):
        async with connection.transaction():
            await rebuild_standings(inside, time.time())


async def rebuild_postgres(url: str, now: float, progress: Callable[[int], object] | None = None) -> Rebuilt:
    """Recalculate ratings and totals from the results, in one transaction.

    Raises :class:`~bot.store.base.Unusable`.
    """
    async with opened(url) as connection:
        await migrate(connection)
        async with connection.transaction():
            return await rebuild_standings(PostgresConnection(connection), now, progress)


async def looked_at(url: str) -> tuple[int, int, Unfit | None]:
    """Return the database's schema, the newest known one, and why it can't be used; change nothing.

    Raises :class:`~bot.store.base.Unusable`.
    """
    async with opened(url) as connection:
        schema, obstacle = await examine(connection)
        return schema, len(migrations(POSTGRES_FOLDER)), obstacle


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[asyncpg.Connection]:
    """Open one connection. Raises :class:`~bot.store.base.Unreachable` or another ``Unusable``."""
    try:
        connection = await connect(url)
    except DATABASE_ERRORS as error:
        raise _in_words(url, error) from error
    try:
        yield connection
    finally:
        await connection.close()


def _in_words(url: str, error: Exception) -> Unusable:
    if isinstance(error, READ_ONLY_ERRORS):
        return ReadOnly(f"the database {place(url)} is read-only; name the primary server, not a standby")
    if isinstance(error, CONNECTION_ERRORS):
        return Unreachable(f"the database {place(url)} can't be reached: {error}")
    return Unusable(f"the database {place(url)} can't be opened: {error}")
