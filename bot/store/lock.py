"""The lock on a SQLite database: only who holds it plays on it, restores it or works out its sums anew."""

from __future__ import annotations

from pathlib import Path

from filelock import FileLock, Timeout


def lock_of(database: Path) -> FileLock:
    """The lock, not yet taken; taking it raises :class:`Timeout` while somebody else has it.

    The same file under another name is the same database.
    """
    return FileLock(f"{database.resolve()}.lock", blocking=False)


__all__ = ["Timeout", "lock_of"]
