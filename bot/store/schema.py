"""The schemas of both databases: their migrations in order, and whether this version can use a database."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "sqlite" / "migrations"
"""The migrations of SQLite."""
POSTGRES_FOLDER = Path(__file__).parent / "postgres" / "migrations"

_CREATE = re.compile(r"^CREATE TABLE (\w+) \(\n(.*?)^\)", re.MULTILINE | re.DOTALL)
_COLUMN = re.compile(r"^    ([a-z_]+) ", re.MULTILINE)
_CHANGE = re.compile(
    r"^(?:ALTER TABLE (\w+) (ADD|DROP) COLUMN (\w+)|DROP TABLE (\w+)|CREATE TABLE (\w+))", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Unfit:
    """Why this version can't use a database, and what to do about it."""

    reason: str
    remedy: str


def migrations(folder: Path = FOLDER) -> list[tuple[int, Path]]:
    """Return the migrations in order, as ``(number, file)``; numbers run from 1 without a gap."""
    numbered = sorted((int(path.name.split("_")[0]), path) for path in folder.glob("*.sql"))
    assert [number for number, _ in numbered] == list(range(1, len(numbered) + 1)), "a migration is missing"
    return numbered


def columns(scripts: Iterable[str]) -> dict[str, set[str]]:
    """Return the columns by table that a database has after these migrations.

    >>> columns(["CREATE TABLE a (\\n    b TEXT\\n);\\nCREATE TABLE c (\\n    d TEXT\\n);", "DROP TABLE a;"])
    {'c': {'d'}}
    """
    tables: dict[str, set[str]] = {}
    for script in scripts:
        created = dict(_CREATE.findall(script))
        for table, how, column, dropped, new in _CHANGE.findall(script):
            if new:
                tables[new] = set(_COLUMN.findall(created.get(new, "")))
            elif dropped:
                del tables[dropped]
            elif how == "ADD":
                tables[table].add(column)
            else:
                tables[table].discard(column)
    return tables


def unfit(schema: int, tables: Mapping[str, Collection[str]], folder: Path = FOLDER) -> Unfit | None:
    """Return why this version can't use a database with these columns by table, or None if it can.

    ``schema`` is the number of its last migration. A newer version may have migrated it. Or its tables are
    not those of its schema: before the first release, migrations were changed after databases had been made.
    """
    steps = migrations(folder)
    if schema > len(steps):
        return Unfit(
            f"has schema {schema}, this version of the bot knows up to {len(steps)}",
            "start the newer version of the bot, or restore a backup made before the upgrade",
        )
    for table, expected in columns(path.read_text(encoding="utf-8") for _, path in steps[:schema]).items():
        if lacking := sorted(expected - set(tables.get(table, ()))):
            what = f"there is no table {table}"
            if table in tables:
                what = f"its table {table} has no {', '.join(lacking)}"
            return Unfit(
                f"says that it has schema {schema}, but {what}: an early version that was never released has "
                "made it, and no version can bring it up to date",
                "keep it under another name, and the next start makes a new one; or restore a backup of a "
                "released version",
            )
    return None
