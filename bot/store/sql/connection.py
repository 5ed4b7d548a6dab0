"""The interface of a connection to either database: it runs queries that have a name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

T = TypeVar("T")

Value = int | float | str | bytes | None
"""A parameter of a query. Lists of ids are passed as JSON text, which both databases can unpack."""

Values = Mapping[str, Value]
"""The parameters of a query by name."""


class Row(Protocol):
    """A row of a result: :class:`sqlite3.Row` or asyncpg's ``Record``."""

    def __getitem__(self, key: Any, /) -> Any: ...

    def __iter__(self) -> Iterator[Any]: ...

    def keys(self) -> Iterable[str]: ...


class Reader(Protocol):
    """Runs queries that change nothing. Queries are given by name, parameters by keyword."""

    async def all(self, query: str, /, **values: Value) -> Sequence[Row]:
        """Return all rows."""
        ...

    async def one(self, query: str, /, **values: Value) -> Row | None:
        """Return the first row, or None if there is none."""
        ...

    async def value(self, query: str, /, **values: Value) -> Any:
        """Return the first column of the first row, or None if there is no row."""
        ...


class Connection(Reader, Protocol):
    """A connection inside a transaction."""

    async def execute(self, query: str, /, **values: Value) -> int:
        """Return how many rows were changed."""
        ...

    async def execute_many(self, query: str, rows: Sequence[Values], /) -> None:
        """Run the query once for each of ``rows``, no two of which may update the same row."""
        ...

    async def lock_standings(self) -> None:
        """Keep other transactions from changing ratings, totals and records until this one is over.

        Games that end at the same time may change the same person's rating, and each takes the next number.
        Call this first in a transaction, so that two transactions can't wait for each other. On SQLite it
        does nothing, because transactions run one after the other.
        """
        ...


Job = Callable[[Connection], Awaitable[T]]
"""A coroutine function that runs in a transaction, on either database. It awaits only the connection and
changes only the database, because it runs again if the transaction has to be repeated."""
