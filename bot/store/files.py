"""Creates files and folders that only their owner can read, because they hold personal data."""

from __future__ import annotations

import logging
import os
import stat
from contextlib import suppress
from pathlib import Path

FOLDER_MODE, FILE_MODE = 0o700, 0o600

_log = logging.getLogger(__name__)


def make_folder(folder: Path) -> None:
    """Create a folder that only its owner can read; an existing one keeps its permissions.

    Raises :class:`OSError`.
    """
    folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)


def make_file(path: Path) -> None:
    """Create an empty file that only its owner can read; follow the path if it is a link.

    Raises :class:`FileExistsError` if there is a file already, or another :class:`OSError`.
    """
    os.close(os.open(os.path.realpath(path), os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE_MODE))


def tighten(path: Path, mode: int = FILE_MODE) -> None:
    """Take permissions beyond ``mode`` from a file or folder, if it belongs to this user; else do nothing."""
    with suppress(OSError):
        status = path.lstat()
        if os.name != "posix" or status.st_uid != os.geteuid() or stat.S_ISLNK(status.st_mode):
            return
        if stat.S_IMODE(status.st_mode) & ~mode:
            path.chmod(stat.S_IMODE(status.st_mode) & mode)
            _log.info("Other users of this machine can't use %s any more", path)


def is_open_to_others(path: Path) -> bool:
    """Return whether other users of this machine may read the file and enter all folders above it."""
    if os.name != "posix":
        return False
    path = Path(os.path.realpath(path))
    mode = path.stat().st_mode
    return any(
        mode & read and all(_lets_through(folder, enter) for folder in path.parents)
        for read, enter in ((stat.S_IRGRP, stat.S_IXGRP), (stat.S_IROTH, stat.S_IXOTH))
    )


def is_writable_for_others(folder: Path) -> bool:
    """Return whether other users of this machine may replace files in the folder."""
    return os.name == "posix" and bool(folder.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def _lets_through(folder: Path, enter: int) -> bool:
    return bool(folder.stat().st_mode & enter)
