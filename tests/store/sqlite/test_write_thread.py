"""The thread that writes, and jobs that run in it."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest

from bot.store.sqlite import write_thread
from bot.store.sqlite.connection import run_job
from bot.store.sqlite.write_thread import WriteThread


def a_thread() -> WriteThread:
    return WriteThread(sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False))


@pytest.fixture
async def thread() -> AsyncIterator[WriteThread]:
    thread = a_thread()
    yield thread
    await thread.close()


def writers() -> list[threading.Thread]:
    return [one for one in threading.enumerate() if one.name == "database-writer"]


async def test_results_and_errors_come_back(thread: WriteThread) -> None:
    assert await thread.call(lambda connection: connection.execute("SELECT 7").fetchone()) == (7,)
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        await thread.call(lambda connection: connection.execute("SELECT * FROM nobody"))
    # A result that happens to be an exception class is not raised.
    assert await thread.call(lambda connection: ValueError) is ValueError


async def test_it_does_not_keep_the_process_from_ending(thread: WriteThread) -> None:
    assert [one.daemon for one in writers()] == [True]


async def test_a_caller_that_gives_up_harms_nobody(thread: WriteThread) -> None:
    trouble: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: trouble.append(context))
    gate = threading.Event()
    task = asyncio.create_task(thread.call(lambda connection: gate.wait(5)))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    gate.set()
    assert await thread.call(lambda connection: 8) == 8
    assert trouble == []


async def test_what_was_asked_for_is_done_before_it_ends() -> None:
    thread = a_thread()
    done: list[Any] = []
    thread.submit(lambda connection: connection.execute("SELECT 1").fetchone(), done.append)
    await thread.close()
    assert done == [(1,)]
    for one in writers():
        one.join(5)
    assert writers() == []
    await thread.close()
    with pytest.raises(ValueError, match="no active connection"):
        thread.submit(lambda connection: None, done.append)


async def test_a_failing_close_ends_the_thread_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    thread = a_thread()
    await thread.call(lambda connection: connection.close())
    thread._connection = None  # type: ignore[assignment]
    with pytest.raises(TypeError):
        await thread.close()
    for one in writers():
        one.join(5)
    assert writers() == []


def test_it_outlives_a_loop_that_is_closed_meanwhile() -> None:
    thread, gate = a_thread(), threading.Event()

    async def leave() -> None:
        thread.submit(lambda connection: gate.wait(5), lambda result: None)

    asyncio.run(leave())
    gate.set()

    async def come_back() -> None:
        assert await thread.call(lambda connection: 8) == 8
        await thread.close()

    asyncio.run(come_back())


async def test_it_says_how_long_nobody_has_used_it(
    thread: WriteThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(write_thread, "monotonic", lambda: now)
    await thread.call(lambda connection: None)
    now = 1042.0
    assert thread.idle_seconds == 42.0


# ---------------------------------------------------------------------- jobs


@pytest.fixture
def connection() -> sqlite3.Connection:
    return sqlite3.connect(":memory:")


def test_a_job_runs_at_once_and_raises_what_it_raises(connection: sqlite3.Connection) -> None:
    async def job(_: Any) -> int:
        return 8

    async def failing(_: Any) -> None:
        raise KeyError("a")

    assert run_job(connection, job) == 8
    with pytest.raises(KeyError):
        run_job(connection, failing)


def test_a_job_may_wait_for_nothing_but_the_database(connection: sqlite3.Connection) -> None:
    closed = []

    async def job(_: Any) -> None:
        try:
            await asyncio.sleep(0)
        finally:
            closed.append(True)

    kept: list[Any] = []

    def made(given: Any) -> Any:
        kept.append(job(given))
        return kept[0]

    with pytest.raises(RuntimeError, match="waited for something else"):
        run_job(connection, made)
    assert closed == [True]
