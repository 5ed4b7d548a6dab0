"""Numbered migrations of PostgreSQL; each is committed together with its number."""

from __future__ import annotations

from pathlib import Path

import asyncpg

from bot.store.base import Unusable
from bot.store.schema import POSTGRES_FOLDER, Unfit, migrations, unfit

LOCK = "SELECT pg_advisory_xact_lock(4242002)"
"""Takes a lock, so that only one of several starting processes migrates and the others wait."""


async def migrate(connection: asyncpg.Connection, folder: Path = POSTGRES_FOLDER) -> int:
    """Migrate the database to the newest version and return that.

    Raises :class:`~bot.store.base.Unusable` for a database of a newer version of the bot, of one that was
    never released, and for one with a ``games`` table of another program; none is changed then.
    """
    steps = migrations(folder)
    before, obstacle = await examine(connection, folder)
    if obstacle is not None:
        raise Unusable(f"the database {obstacle.reason}: {obstacle.remedy}")
    for number, path in steps[before:]:
        async with connection.transaction():
            await connection.execute(LOCK)
            present = await version(connection)
            if present >= number:  # another process was first
                continue
            await connection.execute("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)")
            await connection.execute(path.read_text(encoding="utf-8"))
            if present == 0:
                await connection.execute("INSERT INTO schema_version (version) VALUES ($1)", number)
            else:
                await connection.execute("UPDATE schema_version SET version = $1", number)
    return len(steps)


async def version(connection: asyncpg.Connection) -> int:
    """Return the number of the last migration, or 0 for an empty database."""
    if await _exists(connection, "schema_version"):
        return int(await connection.fetchval("SELECT coalesce(max(version), 0) FROM schema_version"))
    if await _exists(connection, "games"):
        raise Unusable(
            "there is a table called games that is not the bot's: give the bot a database of its own"
        )
    return 0


async def examine(connection: asyncpg.Connection, folder: Path = POSTGRES_FOLDER) -> tuple[int, Unfit | None]:
    """Return the number of the last migration, and why this version can't use the database, if it can't."""
    # Another process may be migrating it: one snapshot sees all of a migration or nothing.
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        schema = await version(connection)
        tables: dict[str, set[str]] = {}
        for table, column in await connection.fetch(
            "SELECT table_name, column_name FROM information_schema.columns "
            "WHERE table_schema = current_schema()"
        ):
            tables.setdefault(table, set()).add(column)
    return schema, unfit(schema, tables, folder)


async def _exists(connection: asyncpg.Connection, table: str) -> bool:
    # Not to_regclass, which may answer from a catalogue cached before the wait for the lock.
    query = "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = $1"
    return bool(await connection.fetchval(query, table))
