"""Notices when another program moves, replaces or deletes a SQLite database that is in use.

No lock prevents other programs from doing so.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from pathlib import Path


class FileCheck:
    """When called, raises if the database's file or its log was replaced, moved or deleted.

    SQLite would continue writing into the old file, and all of that would be lost.
    """

    def __init__(self, database: Path) -> None:
        self._path = os.path.abspath(database)
        self._log_path = f"{self._path}-wal"
        self._file, self._log = _identity(self._path), _identity(self._log_path)

    def changed(self) -> str | None:
        """Return the path at which the file that the bot has opened no longer is, or None if all is well."""
        if _identity(self._path) != self._file:
            return self._path
        # SQLite makes the log with the first access, and keeps it for as long as the database is open.
        log = _identity(self._log_path)
        if self._log is None:
            self._log = log
        return self._log_path if log != self._log else None

    def __call__(self, connection: sqlite3.Connection) -> None:
        """Check before a transaction of ``connection``. If the log was moved, save its contents first."""
        changed = self.changed()
        if changed == self._path:
            raise sqlite3.OperationalError(
                f"{self._path} is no longer the database that the bot opened: put that one back, or "
                "start the bot again"
            )
        if changed is not None:
            # The file is still open, so that its contents can be moved into the database.
            with suppress(sqlite3.Error):
                connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            raise sqlite3.OperationalError(
                f"{self._log_path} is no longer the log that the bot opened: start the bot again"
            )


def _identity(path: str) -> tuple[int, int] | None:
    """Return device and number of a file, which identify it, or None if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
