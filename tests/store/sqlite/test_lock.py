"""The lock on a database, and what says that its file has been replaced."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from stat import S_IMODE

import pytest

from bot.store.base import ReadOnly
from bot.store.files import FILE_MODE, FOLDER_MODE
from bot.store.sqlite.file_check import FileCheck
from bot.store.sqlite.lock import (
    Timeout,
    claim,
    holding,
    is_locked,
    lock_of,
    note_process,
    process_file,
    take,
)
from bot.store.sqlite.store import SqliteStore


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "games.db"


def test_one_process_has_it(database: Path) -> None:
    assert not is_locked(database)
    assert not Path(lock_of(database).lock_file).exists(), "asking takes nothing"
    with holding(database):
        assert is_locked(database)
        with pytest.raises(Timeout):
            take(database)
    assert not is_locked(database)
    lock = claim(database)
    assert is_locked(database)
    lock.release()
    assert not is_locked(database)


def test_a_lock_that_can_not_be_asked_counts_as_held(database: Path) -> None:
    Path(lock_of(database).lock_file).mkdir()
    assert is_locked(database)


def test_links_to_one_file_share_it(database: Path, tmp_path: Path) -> None:
    database.touch()
    (tmp_path / "link.db").symlink_to(database)
    with holding(tmp_path / "link.db"):
        assert is_locked(database)
    assert process_file(tmp_path / "link.db") == process_file(database) == tmp_path / "games.db.pid"


def test_the_note_of_a_killed_process_goes(database: Path) -> None:
    process_file(database).write_text("4711")
    with holding(database):
        assert not process_file(database).exists()
        note_process(database)
        assert process_file(database).read_text() == str(os.getpid())
        assert S_IMODE(process_file(database).stat().st_mode) == FILE_MODE


def test_what_is_no_file_or_can_be_none_has_no_lock(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="it is not a file"):
        take(tmp_path)
    with pytest.raises(OSError, match="no file can be made there"):
        take(Path("/proc/games.db"))


def test_a_folder_is_made_for_a_database_to_come(tmp_path: Path) -> None:
    claim(tmp_path / "a" / "b" / "games.db").release()
    assert S_IMODE((tmp_path / "a" / "b").stat().st_mode) == FOLDER_MODE


@pytest.mark.parametrize("damage", ["replaced", "moved", "deleted"])
def test_a_file_that_is_not_the_same_any_more_is_noticed(database: Path, damage: str) -> None:
    database.touch()
    check, connection = FileCheck(database), sqlite3.connect(":memory:")
    check(connection)
    if damage == "deleted":
        database.unlink()
    else:
        database.rename(database.with_name("elsewhere.db"))
    if damage == "replaced":
        database.touch()
    with closing(connection), pytest.raises(sqlite3.OperationalError, match="no longer the database"):
        check(connection)


def test_a_file_may_grow(database: Path) -> None:
    database.touch()
    check = FileCheck(database)
    database.write_text("more")
    with closing(sqlite3.connect(":memory:")) as connection:
        check(connection)


@pytest.mark.parametrize("gone", [("-wal",), ("-wal", "-shm")])
async def test_what_is_in_a_deleted_log_is_not_lost(database: Path, gone: tuple[str, ...]) -> None:
    """SQLite would write on into the deleted file without a word, and a kill would lose all of it."""
    store = await SqliteStore.open(database)
    try:
        await store.set_meta("before", "1")
        for side in gone:
            database.with_name(database.name + side).unlink()
        with pytest.raises(sqlite3.OperationalError, match="no longer the log"):
            await store.set_meta("after", "1")
        with pytest.raises(ReadOnly):
            await store.ping()
        # What a kill at this moment leaves.
        copy = shutil.copy(database, database.with_name("copy.db"))
        with closing(sqlite3.connect(copy)) as left:
            assert left.execute("SELECT key FROM meta WHERE key IN ('before', 'after')").fetchall() == [
                ("before",)
            ]
    finally:
        await store.close()
    store = await SqliteStore.open(database)
    await store.set_meta("again", "1")
    assert await store.meta("before") == "1"
    await store.close()


async def test_a_log_may_be_made_later_and_truncated(database: Path) -> None:
    store = await SqliteStore.open(database)
    with closing(sqlite3.connect(database)) as connection:
        check = FileCheck(database)
        for _ in range(2):
            check(connection)
            await store.set_meta("key", "1")
            assert connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
        check(connection)
    await store.close()
