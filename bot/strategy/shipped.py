"""Files of numbers that are shipped with the bot, each checked against its SHA-256."""

from __future__ import annotations

import hashlib
from pathlib import Path

from bot.games.core import GameError


class TableProblem(GameError):
    """A table file is missing or damaged. The facts are ``file`` and the ``command`` that computes it."""

    def __str__(self) -> str:
        what = "is missing" if self.code == "problem-table-missing" else "is damaged"
        return f"the file {self.facts['file']} {what}; compute it with: {self.facts['command']}"


def checked(path: Path, sha256: object, command: str) -> bytes:
    """Return the bytes of a file if they have the given hash, or else raise :class:`TableProblem`."""
    facts = {"file": path.name, "command": command}
    try:
        data = path.read_bytes()
    except OSError as error:
        raise TableProblem("problem-table-missing", **facts) from error
    if hashlib.sha256(data).hexdigest() != sha256:
        raise TableProblem("problem-table-damaged", **facts)
    return data
