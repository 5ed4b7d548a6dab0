"""Deleted data is removed from the database's files while the bot runs."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from bot.store.sqlite import scrub
from bot.store.sqlite.store import SqliteStore
from tests.store.standings.test_standings import end
from tests.support.databases import traces
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
