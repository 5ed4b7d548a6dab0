"""The lock on a SQLite database: only who holds it plays on it, restores it or works out its sums anew."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout


def lock_of(database: Path) -> FileLock:
    """The lock, not yet taken; taking it raises :class:`Timeout` while somebody else has it.

    The same file under another name is the same database.
    """
    # Of links in a circle the path itself would raise; SQLite says more about them.
    return FileLock(f"{os.path.realpath(database)}.lock", blocking=False)


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


@contextmanager
def holding(database: Path) -> Iterator[None]:
    """Have the lock meanwhile. Raises what :func:`take` raises."""
    lock = take(database)
    try:
        yield
    finally:
        lock.release()


__all__ = ["Timeout", "holding", "lock_of", "take"]
