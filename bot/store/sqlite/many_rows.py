"""Runs a query for many rows in few statements, if it inserts or updates one row at a time.

While the event loop is busy, a thread that returns from a statement waits for the interpreter lock, and then
the event loop waits for that thread. This takes several times as long as the statement.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import Final, NamedTuple

from bot.store.sql.connection import Value, Values

_SIZES: Final = (128, 96, 64, 48, 32, 24, 16, 12, 8, 6, 4, 3, 2, 1)
"""How many rows a statement can take: only a few sizes, so that all statements stay prepared."""

_ROW: Final = re.compile(r"(?<=VALUES )\(\s*((?::\w+,\s*)*:\w+)\s*\)")
_UPDATE: Final = re.compile(
    r"(UPDATE (?:(?!\b(?:FROM|SELECT)\b).)*)(\bWHERE\b(?:(?!\bSELECT\b).)*)", re.DOTALL
)
_NAME: Final = re.compile(r":(\w+)")


class RowQuery(NamedTuple):
    """A query whose parameters are all in one row of a VALUES clause; ``names`` are those, in order."""

    before: str
    names: tuple[str, ...]
    after: str

    def text(self, rows: int) -> str:
        """Return the query for so many rows, with parameters by their place."""
        row = f"({', '.join('?' * len(self.names))})"
        return f"{self.before}{', '.join([row] * rows)}{self.after}"


@cache
def row_query(text: str) -> RowQuery | None:
    """Return a named query as one that takes many rows, or None if it can't be one.

    >>> row_query("INSERT INTO moves (id, seat) VALUES (:id, :seat)").text(2)
    'INSERT INTO moves (id, seat) VALUES (?, ?), (?, ?)'
    >>> row_query("UPDATE moves SET seat = :seat WHERE id = :id").text(2)
    'UPDATE moves SET seat = column1 FROM (VALUES (?, ?), (?, ?)) WHERE id = column2'
    """
    match = _UPDATE.fullmatch(text)
    if match is not None:
        names = tuple(dict.fromkeys(_NAME.findall(text)))
        before, after = [
            _NAME.sub(lambda name: f"column{names.index(name[1]) + 1}", part) for part in match.groups()
        ]
        return RowQuery(f"{before}FROM (VALUES ", names, f") {after}")
    match = _ROW.search(text)
    if match is None:
        return None
    before, after = text[: match.start()], text[match.end() :]
    return None if ":" in before + after else RowQuery(before, tuple(_NAME.findall(match[1])), after)


def execute_rows(connection: sqlite3.Connection, text: str, rows: Sequence[Sequence[Value]]) -> int:
    """Run a query of that form with all ``rows``. Return how many rows of the database it changed."""
    start = changed = 0
    for size in _SIZES:
        while len(rows) - start >= size:
            values = tuple(chain.from_iterable(rows[start : start + size]))
            changed += connection.execute(_with_rows(text, size), values).rowcount
            start += size
    return changed


def execute_many(connection: sqlite3.Connection, text: str, rows: Sequence[Values]) -> None:
    """Run a named query for each of ``rows``; no two of them may update the same row of the database."""
    query = row_query(text)
    if query is None:
        connection.executemany(text, rows)
    else:
        execute_rows(connection, text, [[row[name] for name in query.names] for row in rows])


@cache
def _with_rows(text: str, rows: int) -> str:
    query = row_query(text)
    assert query is not None, text
    return query.text(rows)
