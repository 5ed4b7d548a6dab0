"""The lock on a SQLite database: only the process that holds it may use, restore or rebuild it.

The lock can't prevent other programs from moving or deleting the file, but the bot notices that."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock
from filelock import Timeout as Timeout

from bot.store.files import FILE_MODE, make_file, make_folder


def lock_of(database: Path) -> FileLock:
    """Return the lock, not yet taken. Taking it raises :class:`Timeout` while another process has it.

    Links to the same file share one lock.
    """
    # Path.resolve() would raise for links in a circle; SQLite's error says more.
    return FileLock(f"{os.path.realpath(database)}.lock", mode=FILE_MODE, blocking=False)


def take(database: Path) -> FileLock:
    """Take the lock and return it.

    Raises :class:`Timeout` while another process has it, and :class:`OSError` if it can't create the file.
    """
    if database.exists() and not database.is_file():
        raise OSError("it is no file")
    lock = lock_of(database)
    try:
        lock.acquire()
    except Timeout as error:
        # The library raises this too if no file can be created, as in /proc.
        if not Path(lock.lock_file).exists():
            raise OSError("no file can be made there") from error
        raise
    # Of a process that was killed.
    process_file(database).unlink(missing_ok=True)
    return lock


def process_file(database: Path) -> Path:
    """Return the file in which a running bot notes the number of its process."""
    return Path(f"{os.path.realpath(database)}.pid")


def note_process(database: Path) -> None:
    """Note the number of this process, which holds the lock, for commands that send it a signal."""
    path = process_file(database)
    make_file(path)
    path.write_text(str(os.getpid()), encoding="ascii")


def is_locked(database: Path) -> bool:
    """Return whether another process holds the lock."""
    lock = lock_of(database)
    if not Path(lock.lock_file).exists():
        return False
    try:
        with lock:
            return False
    except (Timeout, OSError):
        return True


def claim(database: Path) -> FileLock:
    """Take the lock of a database that may not exist yet; its folder is created. Raises like :func:`take`."""
    make_folder(database.parent)
    return take(database)


class FileCheck:
    """When called, raises if the database's file or its log was replaced, moved or deleted.

    SQLite would continue writing into the old file, and all of that would be lost.
    """

    def __init__(self, database: Path) -> None:
        self._path = os.path.abspath(database)
        self._log_path = f"{self._path}-wal"
        self._file, self._log = _found(self._path), _found(self._log_path)

    def changed(self) -> str | None:
        """Return the path at which there is another file than the bot has opened, or none; else None."""
        if _found(self._path) != self._file:
            return self._path
        # SQLite makes the log with the first access, and keeps it for as long as the database is open.
        log = _found(self._log_path)
        if self._log is None:
            self._log = log
        return self._log_path if log != self._log else None

    def __call__(self, connection: sqlite3.Connection) -> None:
        """Check before a transaction of ``connection``; of a lost log, save what is in it."""
        changed = self.changed()
        if changed == self._path:
            raise sqlite3.OperationalError(
                f"{self._path} is not the database any more that the bot has opened: put that one back, or "
                "start the bot again"
            )
        if changed is not None:
            # The file is still open, so that its contents can be moved into the database.
            with suppress(sqlite3.Error):
                connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            raise sqlite3.OperationalError(
                f"{self._log_path} is not the log any more that the bot has opened: start the bot again"
            )


def _found(path: str) -> tuple[int, int] | None:
    """Return what tells a file from others, or None if there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


@contextmanager
def holding(database: Path) -> Iterator[None]:
    """Hold the lock in a ``with`` block. Raises what :func:`take` raises."""
    lock = take(database)
    try:
        yield
    finally:
        lock.release()
