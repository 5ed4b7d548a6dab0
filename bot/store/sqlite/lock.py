"""The lock on a SQLite database: only who holds it plays on it, restores it or works out its sums anew.

Nobody else can be kept from moving or deleting the file; that is noticed."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from bot.store.files import FILE_MODE, make_folder


def lock_of(database: Path) -> FileLock:
    """The lock, not yet taken; taking it raises :class:`Timeout` while somebody else has it.

    The same file under another name is the same database.
    """
    # Of links in a circle the path itself would raise; SQLite says more about them.
    return FileLock(f"{os.path.realpath(database)}.lock", mode=FILE_MODE, blocking=False)


def take(database: Path) -> FileLock:
    """The lock, taken. Raises :class:`Timeout` while somebody else has it, and :class:`OSError` where no
    database can be."""
    if database.exists() and not database.is_file():
        raise OSError("it is no file")
    lock = lock_of(database)
    try:
        lock.acquire()
    except Timeout as error:
        # So the library says it as well where no file can be made, as in /proc.
        if not Path(lock.lock_file).exists():
            raise OSError("no file can be made there") from error
        raise
    return lock


def claim(database: Path) -> FileLock:
    """Take the lock of a database that may not exist yet; its folder is created. Raises like :func:`take`."""
    make_folder(database.parent)
    return take(database)


class FileCheck:
    """Raises, when called, unless the database's file is still the one that was there at first.

    SQLite goes on writing into a file that was moved away or deleted, and all of that would be lost.
    """

    def __init__(self, database: Path) -> None:
        self._path = os.path.abspath(database)
        self._file = self._found()

    def __call__(self) -> None:
        if self._found() != self._file:
            raise sqlite3.OperationalError(
                f"{self._path} is not the database any more that the bot has opened: put that one back, or "
                "start the bot again"
            )

    def _found(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self._path)
        except OSError:
            return None
        return found.st_dev, found.st_ino


@contextmanager
def holding(database: Path) -> Iterator[None]:
    """Have the lock meanwhile. Raises what :func:`take` raises."""
    lock = take(database)
    try:
        yield
    finally:
        lock.release()


__all__ = ["FileCheck", "Timeout", "claim", "holding", "lock_of", "take"]
