"""Whether files of another user prevent writing a SQLite database, and what to do about it."""

from __future__ import annotations

import os
from pathlib import Path

from bot.store.schema import Unfit
from bot.store.sqlite.lock import lock_of


def foreign_obstacle(database: Path) -> Unfit | None:
    """Return which file or folder of another user prevents writing the database, or None.

    It is usually root's: a container engine made the folder of a mount, or root restored a backup.
    """
    if os.name != "posix":
        return None
    user, owner = f"user {os.geteuid()}", f"{os.geteuid()}:{os.getegid()}"
    folder = database.absolute().parent
    if not os.path.isdir(folder):
        above = next((parent for parent in folder.parents if os.path.isdir(parent)), folder)
        if not _is_closed(above):
            return None
        return Unfit(
            f"{folder} can't be made by {user}", f"as root: mkdir -p {folder} && chown {owner} {folder}"
        )
    if _is_closed(folder):
        return Unfit(
            f"{folder} can't be written by {user}",
            f"as root: chown -R {owner} {folder} (in a container: on the folder that is mounted there)",
        )
    lock = Path(lock_of(database).lock_file)
    for file in (database, lock, *(database.with_name(database.name + end) for end in ("-wal", "-shm"))):
        if _is_closed(file):
            return Unfit(f"{file} can't be written by {user}", f"as root: chown {owner} {file}")
    return None


def _is_closed(path: Path) -> bool:
    """Return whether a file or folder belongs to another user and this user may not write it."""
    try:
        if path.stat().st_uid == os.geteuid():
            return False
    except (OSError, RuntimeError):
        return False
    return not os.access(path, os.W_OK | os.X_OK if os.path.isdir(path) else os.W_OK)
