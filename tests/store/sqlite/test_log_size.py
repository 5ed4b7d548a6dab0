"""The write-ahead log stays small, and the connection that reads can't write."""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bot.observability import metrics
from bot.store.base import ABORTED, LIVE, Change
from bot.store.sqlite import log_size
from bot.store.sqlite import store as sqlite_store
from bot.store.sqlite.log_size import LogWatch
from bot.store.sqlite.store import SqliteStore
from tests.support.databases import store_on
from tests.support.rows import a_game, a_move
from tests.support.values import not_none
from tests.support.waiting import until

LIMIT = 64 * 2**10


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.db"


@pytest.fixture
def log(path: Path) -> Path:
    return path.with_name("games.db-wal")


@pytest.fixture
async def store(path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SqliteStore]:
    monkeypatch.setattr(log_size, "LOG_BYTES", LIMIT)
    monkeypatch.setattr(sqlite_store, "LOG_BYTES", LIMIT)
    store = await SqliteStore.open(path)
    yield store
    await store.close()


@contextmanager
def reader(path: Path) -> Iterator[None]:
    """Another program that reads for long."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM games").fetchone()
        yield


def size(log: Path) -> int:
    return log.stat().st_size


def make(log: Path, length: int) -> None:
    log.touch()
    os.truncate(log, length)


async def write(store: SqliteStore, times: int) -> None:
    for number in range(times):
        await store.set_meta(f"key {number % 50}", f"{number}{'x' * 3000}")


async def test_a_log_that_has_grown_becomes_small_with_the_next_moves(
    store: SqliteStore, path: Path, log: Path
) -> None:
    with reader(path):
        await write(store, 1100)
        assert size(log) > 10 * LIMIT
    # By itself, SQLite writes the log back with the next commit, and keeps the size of its file.
    await write(store, 3)
    assert size(log) <= LIMIT


@pytest.mark.parametrize("kind", ["a move", "an end", "anything else"])
async def test_the_log_is_looked_at_after_each_kind_of_write_until_the_end(
    store: SqliteStore, kind: str
) -> None:
    def timers() -> list[asyncio.TimerHandle]:
        return [timer for timer in (store._log_watch._timer,) if timer is not None]

    assert timers() == []
    row = await store.create(a_game(status=LIVE), None)
    timers()[0].cancel()
    store._log_watch._timer = None
    if kind == "a move":
        await store.commit(Change(replace(row, version=1), 0, move=a_move(1)))
    elif kind == "an end":
        await store.commit(Change(replace(row, version=1, status=ABORTED), 0, seats_changed=True))
    else:
        await store.set_meta("a move", "goes on")
    (timer,) = timers()
    await store.set_meta("a move", "goes on")
    assert timers() == [timer]
    await store.close()
    assert timer.cancelled()


async def test_a_log_that_has_grown_becomes_small_without_a_move(
    path: Path, log: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(log_size, "LOG_BYTES", LIMIT)
    monkeypatch.setattr(log_size, "WARN_BYTES", 2 * LIMIT)
    monkeypatch.setattr(log_size, "CHECK_SECONDS", 0.02)
    async with store_on(path) as store:
        with reader(path), caplog.at_level(logging.WARNING):
            await write(store, 200)
            grown = size(log)
            await until(lambda: metrics.database_log_bytes._value.get() == grown > 10 * LIMIT, 10.0)
            await until(lambda: "another program has been reading" in caplog.text, 10.0)
        await until(lambda: size(log) == 0, 10.0)
        await until(lambda: metrics.database_log_bytes._value.get() == 0, 10.0)
        assert caplog.text.count("another program") == 1
        await store.set_meta("a move", "goes on")
        assert await store.meta("a move") == "goes on"


async def test_after_the_end_nothing_looks_at_the_log(
    path: Path, log: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def call(function: object) -> None:
        await asyncio.Event().wait()

    thread: Any = SimpleNamespace(call=call)
    watch = LogWatch(path, thread)
    metrics.database_log_bytes.set(5)
    await watch._check()
    assert metrics.database_log_bytes._value.get() == 0, "there is no log yet"
    assert caplog.text == ""
    make(log, log_size.LOG_BYTES + 1)
    watch._begin()
    await asyncio.sleep(0)
    task = not_none(watch._task)
    assert not task.done()
    async with asyncio.timeout(5.0):
        await watch.close()
    assert task.cancelled(), "closing waits until it has ended"
    watch.wake()
    assert watch._timer is None


async def test_the_connection_that_reads_can_not_write(store: SqliteStore) -> None:
    for statement in ("DELETE FROM games", "CREATE TABLE other (a)", "INSERT INTO meta VALUES ('a', 'b')"):
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            await store.reading._connection.execute(statement)
