"""Who can read the files and folders that the bot makes, and those that it finds."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from bot.store import files
from bot.store.files import (
    FOLDER_MODE,
    is_open_to_others,
    is_writable_for_others,
    make_file,
    make_folder,
    tighten,
)
from bot.store.sqlite.access import foreign_obstacle

pytestmark = pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_is_made_is_for_its_owner(tmp_path: Path) -> None:
    folder = tmp_path / "one" / "two"
    make_folder(folder)
    assert mode(folder) == 0o700
    folder.chmod(0o750)
    make_folder(folder)
    assert mode(folder) == 0o750
    make_file(folder / "file")
    assert mode(folder / "file") == 0o600
    with pytest.raises(FileExistsError):
        make_file(folder / "file")


def test_permissions_of_others_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.touch()
    link.symlink_to(file)
    for before, after in ((0o644, 0o600), (0o600, 0o600), (0o400, 0o400), (0o777, 0o600)):
        file.chmod(before)
        tighten(file)
        assert mode(file) == after
    file.chmod(0o755)
    tighten(link)
    assert mode(file) == 0o755
    tighten(file, FOLDER_MODE)
    assert mode(file) == 0o700
    tighten(tmp_path / "missing")
    file.chmod(0o755)
    monkeypatch.setattr(os, "geteuid", lambda: file.stat().st_uid + 1)
    tighten(file)
    assert mode(file) == 0o755, "it is another user's"


def test_where_there_are_no_such_permissions_nothing_is_said_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o777)
    with monkeypatch.context() as patch:
        patch.setattr(os, "name", "nt")
        assert not is_open_to_others(tmp_path)
        assert not is_writable_for_others(tmp_path)
        tighten(tmp_path)
    assert mode(tmp_path) == 0o777


@pytest.mark.parametrize(
    ("permissions", "enter", "found"),
    [
        (0o600, {stat.S_IXGRP, stat.S_IXOTH}, False),
        (0o640, {stat.S_IXGRP}, True),
        (0o640, {stat.S_IXOTH}, False),
        (0o604, {stat.S_IXOTH}, True),
        (0o604, {stat.S_IXGRP}, False),
    ],
)
def test_a_file_is_open_to_those_who_may_enter_its_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, permissions: int, enter: set[int], found: bool
) -> None:
    file = tmp_path / "file"
    file.touch()
    file.chmod(permissions)
    # Folders above the test's own are closed on some machines.
    monkeypatch.setattr(files, "_lets_through", lambda folder, needed: needed in enter)
    assert is_open_to_others(file) is found


@pytest.mark.parametrize(
    ("permissions", "enter", "write"),
    [
        (0o700, (False, False), False),
        (0o710, (True, False), False),
        (0o701, (False, True), False),
        (0o720, (False, False), True),
        (0o702, (False, False), True),
    ],
)
def test_what_others_may_do_in_a_folder(
    tmp_path: Path, permissions: int, enter: tuple[bool, bool], write: bool
) -> None:
    tmp_path.chmod(permissions)
    assert tuple(files._lets_through(tmp_path, one) for one in (stat.S_IXGRP, stat.S_IXOTH)) == enter
    assert is_writable_for_others(tmp_path) is write


@pytest.mark.parametrize(
    ("closed", "obstacle"),
    [
        ("", None),
        ("data", "data can't be written"),
        ("data/games.db", "games.db can't be written"),
        ("data/games.db.lock", "games.db.lock can't be written"),
        ("data/games.db-wal", "games.db-wal can't be written"),
        ("data/games.db-shm", "games.db-shm can't be written"),
        ("data/other.db", None),
    ],
)
def test_what_is_another_users_is_an_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, closed: str, obstacle: str | None
) -> None:
    database = tmp_path / "data" / "games.db"
    database.parent.mkdir()
    database.touch()
    (tmp_path / closed).touch()

    def may(path: Path, needed: int) -> bool:
        assert needed == (os.W_OK | os.X_OK if path.is_dir() else os.W_OK)
        return path != tmp_path / closed

    monkeypatch.setattr(os, "access", may)
    assert foreign_obstacle(database) is None, "what is one's own can be changed"
    monkeypatch.setattr(os, "geteuid", lambda: database.stat().st_uid + 1)
    found = foreign_obstacle(database)
    if obstacle is None:
        assert found is None
    else:
        assert found is not None
        assert obstacle in found.reason
        assert "chown" in found.remedy


@pytest.mark.parametrize("closed", [False, True])
def test_a_folder_that_can_not_be_made_is_an_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, closed: bool
) -> None:
    user = tmp_path.stat().st_uid + 1
    monkeypatch.setattr(os, "access", lambda path, needed: not closed)
    monkeypatch.setattr(os, "geteuid", lambda: user)
    found = foreign_obstacle(tmp_path / "one" / "two" / "games.db")
    assert (found is not None) == closed
    if found is not None:
        assert "two can't be made" in found.reason
        assert "mkdir -p" in found.remedy
