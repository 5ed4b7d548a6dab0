"""The schema that people read is that of the migrations."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from tools import schema


def test_the_written_schema_is_the_present_one() -> None:
    assert schema.FILE.read_text(encoding="utf-8") == schema.schema(), "run python -m tools.schema"


def test_the_written_schema_makes_its_tables() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(schema.schema())
        made = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        found = {name for (name,) in made if not name.startswith("sqlite_")}
        assert found == set(schema.TABLES)
        for table, column in schema.COLUMNS:
            assert column in {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
