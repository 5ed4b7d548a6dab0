"""A note that a command leaves for the running bot."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bot.store.operator_note import KEY, NoteFile, NoteInStore, note_path


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


async def test_a_note_stands_beside_the_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = tmp_path / "games.db"
    database.touch()
    link = tmp_path / "link.db"
    link.symlink_to(database)
    owners: list[tuple[str, int, int]] = []
    monkeypatch.setattr(os, "chown", lambda path, *owner: owners.append((path.name[-5:], *owner)))
    note = NoteFile(link)
    assert await note.read() == ""
    for text in ("back at 20:15", "zurück um 21"):
        await note.write(text)
        assert await note.read() == text
    path = note_path(database)
    assert path == tmp_path / "games.db.note"
    assert path.read_text(encoding="utf-8") == "zurück um 21"
    assert path.stat().st_mode & 0o777 == 0o600
    found = database.stat()
    assert owners == [(".part", found.st_uid, found.st_gid)] * 2
    assert names(tmp_path) == {"games.db", "link.db", "games.db.note"}


async def test_a_note_that_can_not_be_written_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = NoteFile(tmp_path / "games.db")
    await note.write("old")

    def fail(*paths: Any) -> None:
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", fail)
        with pytest.raises(OSError, match="disk full"):
            await note.write("new")
    assert await note.read() == "old"
    assert names(tmp_path) == {"games.db.note"}


async def test_on_a_shared_database_the_note_is_a_row() -> None:
    notes: dict[str, str] = {}

    async def meta(key: str) -> str | None:
        return notes.get(key)

    async def set_meta(key: str, text: str) -> None:
        notes[key] = text

    store: Any = SimpleNamespace(meta=meta, set_meta=set_meta)
    note = NoteInStore(store)
    assert await note.read() == ""
    await note.write("back at 20:15")
    assert await note.read() == notes[KEY] == "back at 20:15"
