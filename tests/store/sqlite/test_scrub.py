"""Deleted data is removed from the database's files while the bot runs."""

from __future__ import annotations

import asyncio
import logging
import random
import sqlite3
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest

from bot.games.seats import Seat
from bot.store.base import ABORTED, FINISHED
from bot.store.sql.servers import CLOSED_SECONDS
from bot.store.sqlite import scrub
from bot.store.sqlite.scrub import Scrubber
from bot.store.sqlite.store import SqliteStore
from bot.store.sqlite.write_thread import WriteThread
from tests.store.standings.test_standings import end
from tests.support.databases import store_on, traces
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


async def test_what_is_deleted_is_overwritten_before_the_file_is_rewritten(
    store: SqliteStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large file waits for up to a day until it is rewritten."""
    monkeypatch.setattr(scrub, "SMALL_BYTES", 0)
    await store.erase(USER)
    assert traces(path, USER, NAME) == []


async def test_a_purged_server_is_in_no_file_any_more(store: SqliteStore, path: Path) -> None:
    await store.purge(GUILD)
    assert traces(path, USER, NAME) == []


async def test_people_of_a_game_closed_long_ago_are_in_no_file(store: SqliteStore, path: Path) -> None:
    sat = USER + 1, "Nightingale of the Closed Tables"
    closed = a_game(9, status=ABORTED, seats=(Seat("human", sat[1], sat[0]),), host_id=sat[0], updated_at=0.0)
    await store.create(closed, None)
    assert traces(path, *sat)
    await store.tidy(10 * CLOSED_SECONDS)
    assert traces(path, *sat) == []


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
            # As an early version did with a SQLite that does not overwrite deleted rows.
            connection.execute("DELETE FROM members WHERE user_id % 2 = 0")
            connection.execute("DELETE FROM meta")
        connection.execute("COMMIT")


async def test_nothing_is_left_where_rows_were_moved(path: Path) -> None:
    """SQLite leaves copies of moved rows in the unused part of pages, also with ``secure_delete``."""
    await long_used(path)
    async with store_on(path) as store:
        for user in PEOPLE[:25]:
            await store.erase(user)
            assert traces(path, user, nickname(user)) == []
        # The others are still there.
        assert traces(path, PEOPLE[-1], nickname(PEOPLE[-1])) == ["games.db"]


async def test_what_an_early_version_has_deleted_goes_after_the_start(path: Path) -> None:
    """Its SQLite may have left deleted rows in free pages."""
    await long_used(path, secure=False)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA secure_delete = OFF")
        connection.execute("UPDATE seats SET name = '', user_id = NULL WHERE user_id % 2 = 0")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    gone = [user for user in PEOPLE if user % 2 == 0]
    assert any(traces(path, user, nickname(user)) for user in gone[5:])
    async with store_on(path) as store:
        await until(lambda: not any(traces(path, user, nickname(user)) for user in gone[5:]), 10.0)
        assert await store.meta(scrub.COMPACTED) == "1"


async def test_a_large_database_is_rewritten_when_nobody_plays(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clicks would wait for it."""
    await long_used(path)
    monkeypatch.setattr(scrub, "SMALL_BYTES", 1)
    monkeypatch.setattr(scrub, "WAIT_SECONDS", 0.01)
    monkeypatch.setattr(scrub, "QUIET_SECONDS", 0.3)
    async with store_on(path) as store:
        await store.erase(PEOPLE[0])
        for number in range(8):
            await store.set_meta("a move", str(number))
            await asyncio.sleep(0.05)
            assert await store.meta(scrub.COMPACTED) is None
        await until(lambda: not traces(path, PEOPLE[0], nickname(PEOPLE[0])), 10.0)


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
    async with store_on(path) as store:
        await until(lambda: not any(traces(path, user, nickname(user)) for user in PEOPLE[:25]), 10.0)


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


class Thread:
    """Stands in for the writing thread, which was last used ``idle`` seconds ago, in turn."""

    def __init__(self, connection: sqlite3.Connection, *idle: float) -> None:
        self.connection, self.idle = connection, list(idle)

    async def call(self, function: Any) -> Any:
        return function(self.connection)

    @property
    def idle_seconds(self) -> float:
        return self.idle.pop(0)


@pytest.fixture
def waited(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds of each pause; no pause takes any time."""
    seconds: list[float] = []
    original = asyncio.sleep

    async def sleep(delay: float) -> None:
        seconds.append(delay)
        assert len(seconds) < 100, "it never comes to an end"
        await original(0)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    return seconds


@pytest.fixture
def beside(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A database with something in its log and in its tables."""
    with closing(sqlite3.connect(tmp_path / "beside.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)")
        connection.execute("PRAGMA busy_timeout = 1234")
        yield connection


async def test_pauses_grow_while_readers_keep_the_log(
    beside: sqlite3.Connection, waited: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([False] * 13 + [True, True])
    monkeypatch.setattr(scrub, "truncate", lambda connection: next(answers))
    await Scrubber(cast(WriteThread, Thread(beside)))._work()
    # The last one, after the file was rewritten, is none.
    assert waited == [min(0.05 * 2**number, 60.0) for number in range(13)] + [0]
    assert scrub._bytes_to_rewrite(beside) == 0
    # It is not rewritten again until something is deleted.
    waited.clear()
    monkeypatch.setattr(scrub, "truncate", lambda connection: True)
    await Scrubber(cast(WriteThread, Thread(beside)))._work()
    assert waited == []


async def test_a_large_file_waits_for_quiet_and_for_room(
    beside: sqlite3.Connection,
    waited: list[float],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    results = iter([False, True])
    monkeypatch.setattr(scrub, "_rewrite", lambda connection: next(results))
    monkeypatch.setattr(scrub, "SMALL_BYTES", scrub._bytes_to_rewrite(beside) - 1)
    await Scrubber(cast(WriteThread, Thread(beside, 100.0, 300.0, 300.0)))._work()
    assert waited == [300.0, 200.0, scrub.RETRY_SECONDS, 300.0, 0]
    assert caplog.text.count("was rewritten") == 1
    waited.clear()
    caplog.clear()
    results = iter([True])
    monkeypatch.setattr(scrub, "SMALL_BYTES", scrub._bytes_to_rewrite(beside))
    await Scrubber(cast(WriteThread, Thread(beside)))._work()
    assert (waited, caplog.text) == ([0], "")


def test_the_log_is_truncated_without_waiting_for_readers(beside: sqlite3.Connection, tmp_path: Path) -> None:
    log = tmp_path / "beside.db-wal"
    assert log.stat().st_size > 0
    with closing(sqlite3.connect(tmp_path / "beside.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM meta").fetchone()
        beside.execute("INSERT INTO meta VALUES ('a', 'b')")
        start = time.monotonic()
        assert scrub.truncate(beside) is False
        assert time.monotonic() - start < 1.0
        assert beside.execute("PRAGMA busy_timeout").fetchone() == (1234,)
        reader.execute("ROLLBACK")
    assert scrub.truncate(beside) is True
    assert log.stat().st_size == 0
    assert beside.execute("PRAGMA busy_timeout").fetchone() == (1234,)


def test_a_file_is_rewritten_on_the_disk(beside: sqlite3.Connection) -> None:
    statements: list[str] = []
    beside.set_trace_callback(statements.append)
    assert scrub._rewrite(beside) is True
    beside.set_trace_callback(None)
    assert [one for one in statements if one.startswith(("PRAGMA", "VACUUM"))] == [
        "PRAGMA temp_store = FILE",
        "VACUUM",
        "PRAGMA temp_store = MEMORY",
    ]
    assert scrub._bytes_to_rewrite(beside) == 0


async def test_an_erasure_does_not_wait_for_a_pause(
    beside: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(scrub, "FIRST_PAUSE_SECONDS", 3600.0)
    monkeypatch.setattr(scrub, "truncate", lambda connection: False)
    monkeypatch.setattr(scrub, "WAIT_SECONDS", 0.01)
    scrubber = Scrubber(cast(WriteThread, Thread(beside)))
    await scrubber.close()
    await scrubber.scrub()
    assert "still hold deleted data" in caplog.text
    caplog.clear()
    monkeypatch.setattr(scrub, "truncate", lambda connection: True)
    monkeypatch.setattr(scrub, "WAIT_SECONDS", 5.0)
    await scrubber.scrub()
    assert scrub._bytes_to_rewrite(beside) == 0
    assert caplog.text == ""
    # The one that paused has gone.
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == {asyncio.current_task()}
    monkeypatch.setattr(scrub, "truncate", lambda connection: False)
    monkeypatch.setattr(scrub, "WAIT_SECONDS", 0.01)
    await scrubber.scrub()
    await scrubber.close()
    assert asyncio.all_tasks() == {asyncio.current_task()}
