"""Numbered migrations; each is committed together with its number."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from bot.store.backup import copy_before_migration, unfit_file
from bot.store.base import Unusable
from bot.store.schema import FOLDER, migrations

COPIED = "copied_for_upgrade"
"""The key of the note that an upgrade is half done, and that the copy from before it was made.

Each start after an interruption would make another copy, of a state that is of use to no version, and only
the latest few are kept."""

_log = logging.getLogger(__name__)


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

    Copies an old database first. Raises :class:`Unusable` for a database of a newer version of the bot or of
    one that was never released, or if there is no room for the copy; the database is not changed then.
    """
    steps = migrations(folder)
    version = _version(connection)
    if (obstacle := unfit_file(connection, folder)) is not None:
        raise Unusable(f"the database {obstacle.reason}: {obstacle.remedy}")
    copied = version > 0 and _value(connection, "SELECT count(*) FROM meta WHERE key = ?", COPIED)
    if 0 < version < len(steps) and not copied:
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
            if number == len(steps):
                connection.execute("DELETE FROM meta WHERE key = ?", (COPIED,))
            elif version > 0:
                connection.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, '')", (COPIED,))
            connection.execute(f"PRAGMA user_version = {number}")
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
    return len(steps)


def _version(connection: sqlite3.Connection) -> int:
    return _value(connection, "PRAGMA user_version")


def _value(connection: sqlite3.Connection, query: str, *values: str) -> int:
    return int(connection.execute(query, values).fetchone()[0])
