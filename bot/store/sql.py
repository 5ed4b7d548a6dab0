"""The SQL of all queries: one set for both databases, with variants for PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import aiosql
from aiosql.adapters.asyncpg import AsyncPGAdapter
from aiosql.types import SQLOperationType

from bot.store import leaderboard_queries
from bot.store.inline import Inline

SHARED = Path(__file__).parent / "queries"
VARIANTS = Path(__file__).parent / "postgres" / "queries"
"""Queries that stand for the shared ones of the same name where the connection is one to PostgreSQL."""

Query = Callable[..., Any]


class PostgresAdapter(AsyncPGAdapter):
    """aiosql's own with the two things that jobs rely on: rows changed are counted, rows read come at once.

    Connections, and whatever else has asyncpg's ``fetch``, ``fetchrow``, ``fetchval``, ``execute`` and
    ``executemany``, will do.
    """

    def _in_order(self, query_name: str, parameters: Any) -> list[Any]:
        return [parameters[name] for name in self.var_sorted[query_name]]

    async def select(
        self, conn: Any, query_name: str, sql: str, parameters: Any, record_class: Any = None
    ) -> Any:
        for row in await conn.fetch(sql, *self._in_order(query_name, parameters)):
            yield row

    async def select_one(
        self, conn: Any, query_name: str, sql: str, parameters: Any, record_class: Any = None
    ) -> Any:
        return await conn.fetchrow(sql, *self._in_order(query_name, parameters))

    async def select_value(self, conn: Any, query_name: str, sql: str, parameters: Any) -> Any:
        return await conn.fetchval(sql, *self._in_order(query_name, parameters))

    async def insert_returning(self, conn: Any, query_name: str, sql: str, parameters: Any) -> Any:
        return await conn.fetchval(sql, *self._in_order(query_name, parameters))

    async def insert_update_delete(self, conn: Any, query_name: str, sql: str, parameters: Any) -> int:
        status = await conn.execute(sql, *self._in_order(query_name, parameters))
        return int(status.rpartition(" ")[2])

    async def insert_update_delete_many(self, conn: Any, query_name: str, sql: str, parameters: Any) -> None:
        rows = [self._in_order(query_name, row) for row in parameters]
        if rows:
            await conn.executemany(sql, rows)


def shared_queries(driver: Any) -> Any:
    """All queries but the variants, for one of aiosql's drivers or an adapter of one's own."""
    files = [path.read_text(encoding="utf-8") for path in sorted(SHARED.glob("*.sql"))]
    return aiosql.from_str("\n".join((*files, leaderboard_queries.texts())), driver)


class Queries:
    """One coroutine function a query, named as in its file; the connection decides on the dialect."""

    def __init__(self) -> None:
        self._sqlite = shared_queries("aiosqlite")

    def text(self, name: str) -> str:
        """The SQL of a query as SQLite takes it."""
        sql: str = getattr(self._sqlite, name).sql
        return sql

    def __getattr__(self, name: str) -> Query:
        if name in self._sqlite.available_queries:
            sqlite = getattr(self._sqlite, name)
            inline = _inline(sqlite)

            def query(connection: Any, *rows: Any, **values: Any) -> Any:
                if type(connection) is Inline:
                    return inline(connection, *rows, **values)
                run = postgres_query(name) if is_postgres(connection) else sqlite
                return run(connection, *rows, **values)

        else:
            # Some are asked of PostgreSQL alone.
            query = postgres_query(name)

        setattr(self, name, query)
        return query


def _inline(query: Any) -> Query:
    """The query for a connection that never waits: many a statement takes less time than aiosql's layers."""
    sql = query.sql

    async def changed(connection: Inline, **values: Any) -> int:
        return connection.raw.execute(sql, values).rowcount

    async def changed_many(connection: Inline, rows: Any) -> None:
        connection.raw.executemany(sql, rows)

    async def one(connection: Inline, **values: Any) -> Any:
        return connection.raw.execute(sql, values).fetchone()

    async def many(connection: Inline, **values: Any) -> Any:
        return connection.raw.execute(sql, values).fetchall()

    lean: dict[SQLOperationType, Query] = {
        SQLOperationType.INSERT_UPDATE_DELETE: changed,
        SQLOperationType.INSERT_UPDATE_DELETE_MANY: changed_many,
        SQLOperationType.SELECT_ONE: one,
        SQLOperationType.SELECT: many,
    }
    found: Query = lean.get(query.operation, query)
    return found


@cache
def _postgres() -> tuple[Any, Any]:
    adapter: Any = PostgresAdapter
    return aiosql.from_path(VARIANTS, adapter), shared_queries(adapter)


def postgres_query(name: str) -> Query:
    """The query of that name as PostgreSQL takes it."""
    variants, shared = _postgres()
    query: Query = getattr(variants if name in variants.available_queries else shared, name)
    return query


def is_postgres(connection: Any) -> bool:
    """Whether a connection, or what stands for one, leads to PostgreSQL."""
    return hasattr(connection, "fetchval")


queries = Queries()


async def alone(connection: Any) -> None:
    """Keep all others from changing what is remembered until the present transaction is over.

    Ratings, sums and records of one person may be changed by several games that end at once, and games are
    numbered as they end. SQLite writes one transaction after the other anyway. It has to be the first thing a
    transaction does, so that no two wait for each other.
    """
    if is_postgres(connection):
        await queries.lock_memory(connection)


async def all_rows(rows: Any) -> list[Any]:
    """aiosql hands out many rows either as a list to await or as rows to iterate over."""
    if hasattr(rows, "__aiter__"):
        return [row async for row in rows]
    return list(await rows)
