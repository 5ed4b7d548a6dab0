"""Migrations are frozen, and a database whose tables are not those of its schema is recognised."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import bot
from bot.store import schema
from bot.store.base import Unusable
from bot.store.schema import POSTGRES_FOLDER, columns, migrations, unfit
from bot.store.sqlite.migrate import migrate
from tests.support.databases import in_own_loop, made, needs_postgres
from tests.support.values import not_none

ROOT = Path(bot.__file__).parents[1]
FROZEN = Path(__file__).parent / "migrations.sha256"
EARLY = {
    "turn_seconds": "    turn_seconds INTEGER NOT NULL,\n",
    "hints": "    hints INTEGER NOT NULL DEFAULT 1,\n",
}
"""Columns that the first migration did not make in its earliest states."""


def test_a_migration_that_has_landed_never_changes() -> None:
    """Databases were made with them. After adding a migration: sha256sum bot/store/*/migrations/*.sql."""
    lines = FROZEN.read_text(encoding="utf-8").splitlines()
    frozen = {name: digest for digest, name in (line.split("  ") for line in lines)}
    paths = [path for folder in (schema.FOLDER, POSTGRES_FOLDER) for _, path in migrations(folder)]
    found = {
        path.relative_to(ROOT).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths
    }
    assert found == frozen


def test_a_database_of_a_newer_version_is_not_used() -> None:
    newer = not_none(unfit(len(migrations()) + 1, {}))
    assert newer.reason.startswith(f"has schema {len(migrations()) + 1}, ")


@pytest.mark.parametrize("schema", [0, 5, 500])
def test_a_database_of_another_program_is_not_used(schema: int, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "recipes.db", isolation_level=None)) as connection:
        connection.executescript(f"CREATE TABLE recipes (name TEXT); PRAGMA user_version = {schema}")
        with pytest.raises(Unusable, match="another program: set DATABASE_URL"):
            migrate(connection)
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("recipes",)]
        assert connection.execute("PRAGMA user_version").fetchone() == (schema,)


def first_migrations(folder: Path, number: int, lacking: str) -> Path:
    """Make a folder with so many migrations, without a piece of text in the first one."""
    folder.mkdir()
    for _, path in migrations()[:number]:
        (folder / path.name).write_text(
            path.read_text(encoding="utf-8").replace(lacking, ""), encoding="utf-8"
        )
    return folder


@pytest.mark.parametrize("column", EARLY)
@pytest.mark.parametrize("number", [1, 7])  # the eighth drops one of the columns
def test_a_version_that_was_never_released_has_made_it(number: int, column: str, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "games.db", isolation_level=None)) as connection:
        migrate(connection, first_migrations(tmp_path / "early", number, EARLY[column]))
        before = sorted(tmp_path.glob("games.db*"))
        with pytest.raises(
            Unusable, match=rf"schema {number}, but its table games has no .*{column}.*another name"
        ):
            migrate(connection)
        assert connection.execute("PRAGMA user_version").fetchone() == (number,)
        assert sorted(tmp_path.glob("games.db*")) == before, "no copy is made of what is not migrated"


def test_every_schema_has_the_columns_that_are_read_from_its_migrations(tmp_path: Path) -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for number, path in migrations():
            connection.executescript(path.read_text(encoding="utf-8"))
            rows = connection.execute(
                "SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_xinfo(m.name) AS c "
                "WHERE m.type = 'table' AND m.name <> 'sqlite_sequence'"
            ).fetchall()
            found: dict[str, set[str]] = {}
            for table, column in rows:
                found.setdefault(table, set()).add(column)
            assert columns(one.read_text(encoding="utf-8") for _, one in migrations()[:number]) == found
            assert unfit(number, found) is None


@needs_postgres
def test_a_postgresql_database_of_a_version_that_was_never_released() -> None:
    from bot.store.postgres.migrate import migrate as migrate_postgres
    from bot.store.postgres.migrate import version
    from bot.store.postgres.store import opened

    async def tried(url: str) -> None:
        async with opened(url) as connection:
            newest = await migrate_postgres(connection)
            assert await migrate_postgres(connection) == newest
            await connection.execute("DROP TABLE processes")
            with pytest.raises(Unusable, match=rf"schema {newest}, but there is no table processes"):
                await migrate_postgres(connection)
            assert await version(connection) == newest

    with made() as url:
        in_own_loop(lambda: tried(url))
