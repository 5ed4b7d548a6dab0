"""Numbered migrations; each is committed together with its number."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from bot.store.backup import copy_before_migration
from bot.store.base import Unusable

FOLDER = Path(__file__).parent / "migrations"

_log = logging.getLogger(__name__)


def migrations(folder: Path = FOLDER) -> list[tuple[int, Path]]:
    """The migrations in order, as ``(number, file)``; numbers run from 1 without a gap."""
    found = sorted((int(path.name.split("_")[0]), path) for path in folder.glob("*.sql"))
    assert [number for number, _ in found] == list(range(1, len(found) + 1)), "a migration is missing"
    return found


def statements(script: str) -> Iterator[str]:
    """Split a script into statements, because ``executescript`` would commit after each of them."""
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
    assert not pending.strip() or pending.lstrip().startswith("--"), "a migration ends in mid-statement"


def migrate(connection: sqlite3.Connection, folder: Path = FOLDER) -> int:
    """Migrate the database to the newest version and return that. ``connection`` must be in autocommit mode.

    Copies an old database first. Raises :class:`Unusable` for a database of a newer version of the bot, or
    if there is no room for the copy; the database is not changed then.
    """
    steps = migrations(folder)
    version = _version(connection)
    if version > len(steps):
        raise Unusable(
            f"the database has schema {version}, this version of the bot knows up to {len(steps)}: "
            "start the newer version of the bot, or restore a backup made before the upgrade"
        )
    if 0 < version < len(steps):
        copy = copy_before_migration(connection, version)
        _log.info("The database goes from schema %s to %s; a copy is %s", version, len(steps), copy)
    for number, path in steps[version:]:
        connection.execute("BEGIN IMMEDIATE")
        try:
            if _version(connection) >= number:  # another process was first
                connection.execute("ROLLBACK")
                continue
            for statement in statements(path.read_text(encoding="utf-8")):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
    return len(steps)


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
