"""Whether this user may write a SQLite database, and what an operator should do if not."""

from __future__ import annotations

import os
from pathlib import Path

from bot.store.schema import Unfit
from bot.store.sqlite.lock import lock_of


def unwritable(database: Path) -> Unfit | None:
    """Return why this user can't write the database, the files beside it or their folder, or None.

    Mostly root has made them: a container engine made the folder of a mount, or somebody restored a backup.
    """
    folder = database.absolute().parent
    if not folder.is_dir():
        above = next((one for one in folder.parents if one.is_dir()), folder)
        if os.access(above, os.W_OK | os.X_OK):
            return None
        return Unfit(
            f"{folder} can't be made by {_user()}", f"as root: mkdir -p {folder} && chown {_ids()} {folder}"
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        return Unfit(
            f"{folder} can't be written by {_user()}",
            f"as root: chown -R {_ids()} {folder} (in a container: on the folder that is mounted there)",
        )
    lock = Path(lock_of(database).lock_file)
    for file in (database, lock, *(database.with_name(database.name + end) for end in ("-wal", "-shm"))):
        if file.exists() and not os.access(file, os.W_OK):
            return Unfit(f"{file} can't be written by {_user()}", f"as root: chown {_ids()} {file}")
    return None


def _user() -> str:
    return f"user {os.geteuid()}" if os.name == "posix" else "this user"


def _ids() -> str:
    return f"{os.geteuid()}:{os.getegid()}" if os.name == "posix" else "this user"
