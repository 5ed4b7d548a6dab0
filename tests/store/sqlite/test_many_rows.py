"""A query with a row of parameters runs for many rows in few statements, as if it had run for each."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Sequence

import pytest

from bot.store.sql.connection import Value
from bot.store.sqlite.many_rows import _SIZES, execute_many, execute_rows, row_query

INSERT = "INSERT INTO shown (id, version) VALUES (:id, :version)"
UPDATE = "UPDATE shown SET version = :version WHERE id = :id AND :version >= 0"


def run(
    start: Sequence[tuple[Value, ...]], text: str, rows: Sequence[dict[str, Value]]
) -> tuple[list[tuple[Value, ...]], list[str]]:
    """Return what is in the table after the query has run for all rows, and the statements that did it."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("CREATE TABLE shown (id PRIMARY KEY, version)")
        connection.executemany("INSERT INTO shown VALUES (?, ?)", start)
        told: list[str] = []
        connection.set_trace_callback(told.append)
        execute_many(connection, text, rows)
        connection.set_trace_callback(None)
        return connection.execute("SELECT * FROM shown ORDER BY id").fetchall(), told


@pytest.mark.parametrize("number", [0, 1, 2, 3, 5, 7, 30, 127, 128, 129, 1000, 1024])
def test_rows_are_shared_out_to_statements(number: int) -> None:
    rows: list[dict[str, Value]] = [{"version": place % 7, "id": place} for place in range(number)]
    stored = [(place, place % 7) for place in range(number)]
    assert _SIZES[-1] == 1
    for text, start in ((INSERT, []), (UPDATE, [(place, None) for place in range(number)])):
        found, told = run(start, text, rows)
        assert found == stored
        assert number // _SIZES[0] <= len(told) <= number // _SIZES[0] + 4


@pytest.mark.parametrize(
    "text",
    [
        "DELETE FROM shown WHERE id = :id",
        "UPDATE shown SET version = (SELECT max(id) FROM shown) WHERE id = :id",
        "UPDATE shown SET version = 1 WHERE id IN (SELECT :id)",
        "UPDATE shown SET version = 2 FROM (VALUES (3)) WHERE id = :id",
        "INSERT INTO shown (id, version) SELECT :id, :version",
        "INSERT INTO shown (id, version) VALUES (:id, coalesce(:version, 0))",
        "INSERT INTO shown (id, version) VALUES (:id, 1 + :version)",
        f"{INSERT} ON CONFLICT (id) DO UPDATE SET version = :version",
    ],
)
def test_queries_of_another_form_run_row_by_row(text: str) -> None:
    assert row_query(text) is None
    rows: list[dict[str, Value]] = [{"id": 1, "version": 5}, {"id": 2, "version": 6}]
    found, told = run([], text, rows)
    assert len(told) == 2
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE shown (id PRIMARY KEY, version)")
        for row in rows:
            connection.execute(text, row)
        assert connection.execute("SELECT * FROM shown ORDER BY id").fetchall() == found


def test_changed_rows_are_counted() -> None:
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE shown (id PRIMARY KEY, version)")
        unless_there = f"{INSERT} ON CONFLICT (id) DO NOTHING"
        assert execute_rows(connection, INSERT, [(place, 0) for place in range(5)]) == 5
        assert execute_rows(connection, unless_there, [(place, 0) for place in range(133)]) == 128
        assert execute_rows(connection, UPDATE, [(1, place) for place in range(130, 141)]) == 3
