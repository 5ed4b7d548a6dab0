"""Creates files and folders that only their owner can read, because they hold personal data."""

from __future__ import annotations

import os
import stat
from pathlib import Path

FOLDER_MODE, FILE_MODE = 0o700, 0o600


def make_folder(folder: Path) -> None:
    """Create a folder that only its owner can read; an existing one keeps its permissions.

    Raises :class:`OSError`.
    """
    folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)


def make_file(path: Path) -> None:
    """Create an empty file that only its owner can read; follow the path if it is a link.

    Raises :class:`FileExistsError` if there is one, and :class:`OSError`.
    """
    os.close(os.open(os.path.realpath(path), os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE_MODE))


def is_open_to_all(path: Path) -> bool:
    """Return whether every user of this machine may read the file and enter all folders above it."""
    if os.name != "posix":
        return False
    path = Path(os.path.realpath(path))
    return bool(path.stat().st_mode & stat.S_IROTH) and all(map(_lets_through, path.parents))


def _lets_through(folder: Path) -> bool:
    return bool(folder.stat().st_mode & stat.S_IXOTH)
