"""Deleted data is removed from the database's files while the bot runs."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from bot.store.base import FINISHED
from bot.store.sqlite import scrub
from bot.store.sqlite.store import SqliteStore
from tests.store.standings.test_standings import end
from tests.support.databases import traces
from tests.support.rows import a_game
from tests.support.waiting import until

GUILD, USER, NAME = 7001, 0x1234_5678_9ABC_DEF0, "Quillfeather the Unforgettable"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    """A database in which somebody with a name of their own has played."""
    store = await SqliteStore.open(path)
    for _ in range(3):
        await end(store, USER, 5002, guild_id=GUILD)
        await store.note_member(GUILD, USER, NAME)
    yield store
    await store.close()


async def test_an_erased_person_is_in_no_file_any_more(store: SqliteStore, path: Path) -> None:
    assert path.with_name("games.db-wal").name in traces(path, USER, NAME)
    await store.erase(USER)
    assert traces(path, USER, NAME) == []
    assert await store.game(1) is not None


async def test_a_purged_server_is_in_no_file_any_more(store: SqliteStore, path: Path) -> None:
    await store.purge(GUILD)
    assert traces(path, USER, NAME) == []


async def test_moves_go_on_while_a_reader_keeps_the_log(
    store: SqliteStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scrub, "WAIT_SECONDS", 0.01)
    monkeypatch.setattr(scrub, "FIRST_PAUSE_SECONDS", 0.001)
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM games").fetchone()
        await store.erase(USER)
        assert traces(path, USER, NAME)
        await store.set_meta("a move", "goes on")
        reader.execute("ROLLBACK")
    await until(lambda: not traces(path, USER, NAME), 10.0)
    assert await store.meta("a move") == "goes on"


async def test_a_store_that_is_closed_meanwhile_stops_trying(
    path: Path, store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scrub, "WAIT_SECONDS", 0.01)
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM games").fetchone()
        await store.erase(USER)
        await store.close()
    assert [task for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []


PEOPLE = [0x0A1B_2C3D_4E5F_6071 + number * 7_654_321_987 for number in range(300)]
"""Ids as Discord gives them, which SQLite writes in eight bytes."""


def nickname(user_id: int) -> str:
    return f"Nick{user_id % 99_991}name" * (1 + user_id % 3)


async def long_used(path: Path, *, secure: bool = True) -> None:
    """A database in which many people have played for long, so that rows were moved from page to page."""
    store = await SqliteStore.open(path)
    row = await store.create(a_game(1, *PEOPLE[:2], status=FINISHED), None)
    await store.close()
    dice = random.Random(1)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA secure_delete = {'ON' if secure else 'OFF'}")
        connection.execute("BEGIN")
        names = [about[1] for about in connection.execute("PRAGMA table_info (games)")]
        columns = ", ".join(name for name in names if name != "id")
        for number in range(2000):
            connection.execute(
                f"INSERT INTO games (id, {columns}) SELECT ?, {columns} FROM games WHERE id = ?",
                (1000 + number, row.id),
            )
            for seat, user in enumerate(dice.sample(PEOPLE, dice.randint(2, 6))):
                own = (user, nickname(user))
                connection.execute(
                    "INSERT INTO seats (game_id, seat, kind, user_id, name, policy)"
                    " VALUES (?, ?, 'human', ?, ?, '')",
                    (1000 + number, seat, *own),
                )
                connection.execute(
                    "INSERT INTO members (guild_id, user_id, name) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                    (dice.randint(1, 30), *own),
                )
        if not secure:
            # As an early version did on a SQLite that overwrites nothing.
            connection.execute("DELETE FROM members WHERE user_id % 2 = 0")
            connection.execute("DELETE FROM meta")
        connection.execute("COMMIT")


async def test_nothing_is_left_where_rows_were_moved(path: Path) -> None:
    """SQLite leaves copies of moved rows in the unused part of pages, also with ``secure_delete``."""
    await long_used(path)
    store = await SqliteStore.open(path)
    try:
        for user in PEOPLE[:25]:
            await store.erase(user)
            assert traces(path, user, nickname(user)) == []
        # The others are still there.
        assert traces(path, PEOPLE[-1], nickname(PEOPLE[-1])) == ["games.db"]
    finally:
        await store.close()


async def test_what_an_early_version_has_deleted_goes_after_the_start(path: Path) -> None:
    """Its SQLite may have left deleted rows in free pages."""
    await long_used(path, secure=False)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA secure_delete = OFF")
        connection.execute("UPDATE seats SET name = '', user_id = NULL WHERE user_id % 2 = 0")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    gone = [user for user in PEOPLE if user % 2 == 0]
    assert any(traces(path, user, nickname(user)) for user in gone[5:])
    store = await SqliteStore.open(path)
    try:
        await until(lambda: not any(traces(path, user, nickname(user)) for user in gone[5:]), 10.0)
        assert await store.meta(scrub.COMPACTED) == "1"
    finally:
        await store.close()


async def test_a_large_database_is_rewritten_when_nobody_plays(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clicks would wait for it."""
    await long_used(path)
    monkeypatch.setattr(scrub, "SMALL_BYTES", 1)
    monkeypatch.setattr(scrub, "WAIT_SECONDS", 0.01)
    monkeypatch.setattr(scrub, "QUIET_SECONDS", 0.3)
    store = await SqliteStore.open(path)
    try:
        await store.erase(PEOPLE[0])
        for number in range(8):
            await store.set_meta("a move", str(number))
            await asyncio.sleep(0.05)
            assert await store.meta(scrub.COMPACTED) is None
        await until(lambda: not traces(path, PEOPLE[0], nickname(PEOPLE[0])), 10.0)
    finally:
        await store.close()


async def test_what_is_left_when_the_bot_stops_goes_after_the_next_start(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await long_used(path)
    monkeypatch.setattr(scrub, "SMALL_BYTES", 1)
    monkeypatch.setattr(scrub, "WAIT_SECONDS", 0.01)
    store = await SqliteStore.open(path)
    for user in PEOPLE[:25]:
        await store.erase(user)
    await store.close()
    assert any(traces(path, user, nickname(user)) for user in PEOPLE[:25])
    monkeypatch.undo()
    store = await SqliteStore.open(path)
    try:
        await until(lambda: not any(traces(path, user, nickname(user)) for user in PEOPLE[:25]), 10.0)
    finally:
        await store.close()


async def test_a_disk_without_room_is_tried_again_later(
    path: Path, store: SqliteStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Not at once: the attempt takes long with a large database, and clicks wait for it."""
    tries, rewrite = [], scrub._rewrite

    def full(connection: sqlite3.Connection) -> bool:
        tries.append(connection)
        if len(tries) < 3:
            raise sqlite3.OperationalError("database or disk is full")
        return rewrite(connection)

    monkeypatch.setattr(scrub, "_rewrite", full)
    monkeypatch.setattr(scrub, "WAIT_SECONDS", 0.05)
    await store.erase(USER)
    assert (len(tries), await store.meta(scrub.COMPACTED)) == (1, None)
    assert "could not be removed" in caplog.text
    monkeypatch.setattr(scrub, "RETRY_SECONDS", 0.01)
    await store.erase(USER)
    await until(lambda: len(tries) == 3, 10.0)
    await until(lambda: not traces(path, USER, NAME), 10.0)
    await store.set_meta("a move", "goes on")
    assert await store.meta(scrub.COMPACTED) == "1"
