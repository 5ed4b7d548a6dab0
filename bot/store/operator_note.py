"""A note that an operator's command leaves for the running bot.

Only one program may write to a SQLite database, so the note is a file beside it. On PostgreSQL it is a row,
which every process of the bot reads.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Protocol
from uuid import uuid4

from bot.store.base import Store
from bot.store.files import make_file

KEY = "operator_note"
"""The key under which PostgreSQL's table ``meta`` holds the note."""


class OperatorNote(Protocol):
    """The latest note."""

    async def read(self) -> str:
        """Return the note, or "" if there is none."""
        ...

    async def write(self, text: str) -> None:
        """Replace the note."""
        ...


class NoteFile:
    """A note beside a SQLite database."""

    def __init__(self, database: Path) -> None:
        self._path = note_path(database)

    async def read(self) -> str:
        try:
            return self._path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return ""

    async def write(self, text: str) -> None:
        write_note(self._path, text)


class NoteInStore:
    """A note in the database that all processes share."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def read(self) -> str:
        return await self._store.meta(KEY) or ""

    async def write(self, text: str) -> None:
        await self._store.set_meta(KEY, text)


def note_path(database: Path) -> Path:
    """Return where the note of a SQLite database is."""
    database = Path(os.path.realpath(database))
    return database.with_name(f"{database.name}.note")


def write_note(path: Path, text: str) -> None:
    """Replace a note that is a file; the bot sees the old one or the whole new one.

    Raises :class:`OSError`.
    """
    part = path.with_name(f"{path.name}.{uuid4().hex}.part")
    make_file(part)
    try:
        part.write_text(text, encoding="utf-8")
        with suppress(OSError, AttributeError):
            # Written by root, it must be readable for the bot's user.
            owner = path.with_suffix("").stat()
            os.chown(part, owner.st_uid, owner.st_gid)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
