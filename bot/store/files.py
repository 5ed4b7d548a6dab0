"""Create files and folders that only their owner can read: who plays is nobody else's business."""

from __future__ import annotations

import os
import stat
from pathlib import Path

FOLDER_MODE, FILE_MODE = 0o700, 0o600


def make_folder(folder: Path) -> None:
    """Make a folder for its owner alone; one that is there keeps its permissions. Raises :class:`OSError`."""
    folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)


def make_file(path: Path) -> None:
    """Make an empty file for its owner alone, where a link leads if it is one.

    Raises :class:`FileExistsError` if there is one, and :class:`OSError`.
    """
    os.close(os.open(os.path.realpath(path), os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE_MODE))


def is_open_to_all(path: Path) -> bool:
    """Whether every user of this machine can read the file: it and all folders above it let them."""
    if os.name != "posix":
        return False
    path = Path(os.path.realpath(path))
    return bool(path.stat().st_mode & stat.S_IROTH) and all(map(_lets_through, path.parents))


def _lets_through(folder: Path) -> bool:
    return bool(folder.stat().st_mode & stat.S_IXOTH)
