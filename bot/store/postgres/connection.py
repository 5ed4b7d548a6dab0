"""Named queries on a connection of asyncpg."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import asyncpg

from bot.store.postgres.dialect import postgres_queries
from bot.store.sql.connection import Value, Values


class PostgresConnection:
    """Implements :class:`~bot.store.sql.connection.Connection` on a connection of asyncpg."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection
        self._queries = postgres_queries()

    async def all(self, query: str, /, **values: Value) -> Sequence[asyncpg.Record]:
        prepared = self._queries[query]
        rows: Sequence[asyncpg.Record] = await self._connection.fetch(
            prepared.text, *prepared.ordered(values)
        )
        return rows

    async def one(self, query: str, /, **values: Value) -> asyncpg.Record | None:
        prepared = self._queries[query]
        return await self._connection.fetchrow(prepared.text, *prepared.ordered(values))

    async def value(self, query: str, /, **values: Value) -> Any:
        prepared = self._queries[query]
        return await self._connection.fetchval(prepared.text, *prepared.ordered(values))

    async def execute(self, query: str, /, **values: Value) -> int:
        prepared = self._queries[query]
        status = await self._connection.execute(prepared.text, *prepared.ordered(values))
        return int(status.rpartition(" ")[2])

    async def execute_many(self, query: str, rows: Sequence[Values], /) -> None:
        prepared = self._queries[query]
        if rows:
            await self._connection.executemany(prepared.text, [prepared.ordered(row) for row in rows])

    async def lock_standings(self) -> None:
        await self.value("lock_standings")
