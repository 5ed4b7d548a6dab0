"""Files and folders that are made for their owner alone: who plays what is nobody else's business."""

from __future__ import annotations

import os
import stat
from pathlib import Path

FOLDER_MODE, FILE_MODE = 0o700, 0o600


def make_folder(folder: Path) -> None:
    """Make a folder for its owner alone; one that is there keeps its permissions. Raises :class:`OSError`."""
    folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)


def make_file(path: Path) -> None:
    """Make an empty file for its owner alone.

    Raises :class:`FileExistsError` if there is one, and :class:`OSError`.
    """
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE_MODE))


def is_open_to_all(path: Path) -> bool:
    """Whether every user of this machine may read the file, as far as its own permissions say."""
    return os.name == "posix" and bool(path.stat().st_mode & stat.S_IROTH)
