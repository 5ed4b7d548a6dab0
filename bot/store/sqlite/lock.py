"""The lock on a SQLite database: only the process that holds it may use, restore or rebuild it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
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
        raise OSError("it is not a file")
    lock = lock_of(database)
    try:
        lock.acquire()
    except Timeout as error:
        # The library raises this too if no file can be created, as in /proc.
        if not Path(lock.lock_file).exists():
            raise OSError("no file can be made there") from error
        raise
    # A process that was killed may have left it.
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


@contextmanager
def holding(database: Path) -> Iterator[None]:
    """Hold the lock in a ``with`` block. Raises what :func:`take` raises."""
    lock = take(database)
    try:
        yield
    finally:
        lock.release()
