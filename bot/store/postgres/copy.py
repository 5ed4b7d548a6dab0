"""Copies a SQLite database into PostgreSQL: row by row, with a check, and repeatable if interrupted."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import asyncpg

from bot.store.base import Unusable
from bot.store.postgres.database import CONNECTION_ERRORS, place
from bot.store.postgres.store import opened, prepare
from bot.store.sql.rebuild import MODELS
from bot.store.sqlite.migrate import migrate
from bot.store.sqlite.rebuild import rebuild_if_needed
from bot.store.sqlite.scrub import COMPACTED

TABLES: dict[str, tuple[str, ...]] = {
    "games": ("id",),
    "seats": ("game_id", "seat"),
    "words": ("game_id", "seat"),
    "former_seats": ("game_id", "number"),
    "moves": ("game_id", "number"),
    "interactions": ("id",),
    "results": ("game_id", "seat"),
    "shares": ("game_id", "channel_id"),
    "members": ("guild_id", "user_id"),
    "totals": ("guild_id", "game", "board", "period", "since", "user_id"),
    "records": ("guild_id", "game", "kind", "user_id"),
    "settings": ("guild_id", "name"),
    "departures": ("guild_id",),
    "daily_days": ("day",),
    "daily_plays": ("user_id", "day"),
    "daily_servers": ("guild_id", "day", "user_id"),
    "daily_listed": ("user_id",),
    "calls": ("user_id",),
    "puzzles": ("game_id",),
    "puzzles_seen": ("user_id", "puzzle"),
    "seasons": ("guild_id",),
    "season_lines": ("guild_id", "game", "month", "number"),
    "meta": ("key",),
}
"""The tables to copy and their key columns, in an order in which rows refer only to earlier tables."""

CHUNK = 2000
"""How many rows to copy or compare at a time."""

ORIGIN = "copied_from"
"""The key of the note in the new database that says from which one it is being filled."""

DONE = "done:"
"""The prefix of that note once everything is copied."""

NOT_COPIED = frozenset({ORIGIN, COMPACTED, MODELS})
"""Keys of notes that each database has of its own."""

Progress = Callable[[str, int], object]
"""Called with a table and how many more of its rows are copied."""


class Different(Exception):
    """The new database contains rows that the old one lacks; the text says which, and what to do."""


@contextmanager
def source(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the old database and migrate it; nothing else may use it. Raises :class:`Unusable`."""
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            migrate(connection)
            rebuild_if_needed(connection, time.time())
            # All reads see one state, even if another program writes.
            connection.execute("BEGIN")
            yield connection
    except (sqlite3.Error, OSError) as error:
        raise Unusable(f"the database {path} can't be read: {error}") from error


def rows_of(connection: sqlite3.Connection) -> int:
    """Return how many rows there are to copy."""
    return sum(_count(connection, table) for table in TABLES)


async def copy(connection: sqlite3.Connection, url: str, progress: Progress) -> dict[str, int]:
    """Copy all missing rows, compare all rows, and return how many each table has.

    Each chunk is committed on its own, so that an interrupted copy can be started again and continues. Raises
    :class:`Different` for a database with other data in it, which is not changed then, and
    :class:`Unusable` for one that can't be used.
    """
    async with opened(url) as target:
        try:
            await prepare(target)
            if await _claim(connection, target):
                for table, key in TABLES.items():
                    await _copy(connection, target, table, key, progress)
            counts = {table: await _compare(connection, target, table, key) for table, key in TABLES.items()}
            await _finish(connection, target)
            return counts
        except (asyncpg.PostgresError, *CONNECTION_ERRORS) as error:
            raise Unusable(f"the database {place(url)} can't be written: {error}") from error


async def _claim(connection: sqlite3.Connection, target: asyncpg.Connection) -> bool:
    """Note where the data comes from. Only an empty database, or one with that note, may be filled.

    Return False if everything was copied before: what people have deleted since must not come back.
    """
    origin = _origin(connection)
    async with target.transaction():
        await target.execute("LOCK TABLE meta IN EXCLUSIVE MODE")
        noted = await target.fetchval("SELECT value FROM meta WHERE key = $1", ORIGIN)
        if noted is None:
            for table in TABLES:
                if await target.fetchval(f"SELECT EXISTS (SELECT 1 FROM {table}{_own(table)})"):
                    raise Different(
                        f"the table {table} of the new database already has rows that were not copied "
                        "there: name an empty database"
                    )
            await target.execute("INSERT INTO meta (key, value) VALUES ($1, $2)", ORIGIN, origin)
        elif noted.removeprefix(DONE) != origin:
            raise Different("the new database was filled from another one: name an empty database")
    return noted is None or not noted.startswith(DONE)


def _origin(connection: sqlite3.Connection) -> str:
    """Return what identifies a database, even after more games: the id and the seed of its first game."""
    row = connection.execute("SELECT id, hex(seed) FROM games ORDER BY id LIMIT 1").fetchone()
    return f"{row[0]}:{row[1]}" if row else "no games"


async def _copy(
    connection: sqlite3.Connection,
    target: asyncpg.Connection,
    table: str,
    key: tuple[str, ...],
    progress: Progress,
) -> None:
    columns = _columns(connection, table)
    places = ", ".join(f"${number}" for number in range(1, len(columns) + 1))
    # Existing rows were copied before; the comparison checks them.
    insert = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places})"
    insert += f" ON CONFLICT ({', '.join(key)}) DO NOTHING"
    for rows in _chunks(connection, table, columns, key):
        async with target.transaction():
            await target.executemany(insert, rows)
        progress(table, len(rows))


async def _compare(
    connection: sqlite3.Connection, target: asyncpg.Connection, table: str, key: tuple[str, ...]
) -> int:
    """Compare all rows and their number. Raises :class:`Different`."""
    columns = _columns(connection, table)
    query = f"SELECT {', '.join(columns)} FROM {table}{_own(table)} ORDER BY {', '.join(key)}"
    compared = 0
    async with target.transaction():
        cursor = await target.cursor(query)
        for rows in _chunks(connection, table, columns, key):
            copied = [tuple(row) for row in await cursor.fetch(len(rows))]
            if copied != rows:
                wrong = next(
                    (row for row, other in zip(copied, rows, strict=False) if row != other), rows[-1]
                )
                names = ", ".join(f"{name} {wrong[columns.index(name)]}" for name in key)
                raise Different(
                    f"the table {table} differs at {names}: one of the databases was used since the copy "
                    "began; name an empty database to start over"
                )
            compared += len(rows)
        if await cursor.fetch(1):
            raise Different(f"the table {table} of the new database has rows that the old one lacks")
    return compared


async def _finish(connection: sqlite3.Connection, target: asyncpg.Connection) -> None:
    """Continue ids after the last one ever used, even if its game was deleted; note that all is copied."""
    given = connection.execute(
        "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'games'"
    ).fetchone()[0]
    async with target.transaction():
        sequence = await target.fetchval("SELECT pg_get_serial_sequence('games', 'id')")
        await target.execute("SELECT setval($1::text::regclass, $2, $3)", sequence, max(given, 1), given > 0)
        await target.execute("UPDATE meta SET value = $2 WHERE key = $1", ORIGIN, DONE + _origin(connection))
    await target.execute("ANALYZE")


def _chunks(
    connection: sqlite3.Connection, table: str, columns: Sequence[str], key: Sequence[str]
) -> Iterator[list[tuple[Any, ...]]]:
    query = f"SELECT {', '.join(columns)} FROM {table}{_own(table)} ORDER BY {', '.join(key)}"
    cursor = connection.execute(query)
    while rows := cursor.fetchmany(CHUNK):
        yield rows


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]


def _own(table: str) -> str:
    """Return the condition that leaves out :data:`NOT_COPIED`."""
    if table != "meta":
        return ""
    return " WHERE key NOT IN (" + ", ".join(f"'{key}'" for key in sorted(NOT_COPIED)) + ")"


def _count(connection: sqlite3.Connection, table: str) -> int:
    return int(connection.execute(f"SELECT count(*) FROM {table}{_own(table)}").fetchone()[0])
