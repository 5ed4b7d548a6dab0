"""A SQLite database is copied into PostgreSQL completely and once, even if interrupted."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.__main__ import main
from bot.standings.values import Leaderboard, Period, Sort
from bot.store.base import FINISHED
from bot.store.postgres.address import open_postgres
from bot.store.sql.rebuild import MODELS
from bot.store.sqlite.store import SqliteStore
from tests.support.databases import in_own_loop, made, needs_postgres, opened, rebuilt, tables
from tests.support.histories import ALPS, NOW
from tests.support.rows import a_game

pytestmark = [needs_postgres, pytest.mark.parametrize("kind", ["sqlite"], indirect=True)]


@pytest.fixture
def url() -> Iterator[str]:
    with made() as url:
        yield url


@pytest.fixture
def old(path: Path) -> Path:
    """The histories, with something in every table."""

    async def more() -> None:
        store = await SqliteStore.open(path)
        over = await store.create(a_game(5, status=FINISHED), 7)
        await store.create(a_game(6, parent_id=over.id, status="live", state="{}", rated=False, begins=1), 8)
        await store.depart(99, NOW)
        await store.set_meta("note", "\u2603")
        await store.note_share(over.id, 5)
        last = await store.create(a_game(7), 9)
        await store.close()
        with opened(path) as connection:
            connection.execute("INSERT INTO words VALUES (?, 0, 5, 'plum')", (over.id,))
            connection.execute(
                "INSERT INTO former_seats VALUES"
                " (?, 0, 1, 5, 'Somebody', 3, 1, 5, 4, NULL, NULL, NULL, NULL, NULL, NULL)",
                (over.id,),
            )
            connection.execute("INSERT INTO daily_days VALUES (20000, x'00ff', 1, 15)")
            connection.execute("INSERT INTO daily_plays VALUES (5, 20000, 't s', 2, 1.5, 2.5, 1, 0.25)")
            connection.execute("INSERT INTO daily_servers VALUES (8, 20000, 5)")
            connection.execute("INSERT INTO daily_listed VALUES (5, 'Somebody')")
            connection.execute(
                "INSERT INTO calls VALUES (5, 'message', 'half', 22, 7, 'Europe/Zurich', 'de')"
            )
            connection.execute("INSERT INTO puzzles VALUES (?, 8, 3)", (over.id,))
            connection.execute("INSERT INTO puzzles_seen VALUES (5, 'g.1')")
            connection.execute("INSERT INTO seasons VALUES (8, 646, 646, NULL, 646)")
            connection.execute("INSERT INTO season_lines VALUES (8, 'tutto', 646, 1, 1, 5, 4, 7)")
            # The last id that was given belongs to no game any more.
            connection.execute("DELETE FROM seats WHERE game_id = ?", (last.id,))
            connection.execute("DELETE FROM games WHERE id = ?", (last.id,))

    in_own_loop(more)
    return path


def migrated(old: Path, url: str) -> int:
    return main(["migrate-data", f"sqlite:///{old}", url])


def rows(connection: Any, table: str, columns: str) -> list[Any]:
    query = f"SELECT {columns} FROM {table}" + (
        " WHERE key NOT IN ('copied_from', 'compacted', 'rating_models')" if table == "meta" else ""
    )
    return sorted(map(tuple, connection.execute(query)), key=repr)


def same(old: Path, url: str) -> bool:
    with opened(old) as sqlite, opened(url) as postgres:
        for table in tables(sqlite):
            columns = ", ".join(row[1] for row in sqlite.execute(f"PRAGMA table_info({table})"))
            found = rows(sqlite, table, columns)
            assert found, table
            if found != rows(postgres, table, columns):
                return False
    return True


async def test_all_of_it_is_there_and_goes_on(
    old: Path, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await asyncio.to_thread(migrated, old, url) == 0
    assert "the same in both" in capsys.readouterr().out
    assert same(old, url)
    assert rebuilt(url, NOW).changed == 0
    before = await SqliteStore.open(old)
    after: Any = await open_postgres(url)
    try:
        for sort in Sort:
            board = Leaderboard(ALPS.guild_id, "tutto", sort, Period.ALL)
            assert await before.standings(board, 0, 1000) == await after.standings(board, 0, 1000) != ()
        assert await before.active_game(6) == await after.active_game(6)
        new = [await store.create(a_game(8), 100) for store in (before, after)]
        assert new[0] == new[1]  # the same id: one that was never given
    finally:
        await before.close()
        await after.close()


def test_once_more_changes_nothing(old: Path, url: str) -> None:
    assert migrated(old, url) == 0
    assert migrated(old, url) == 0
    assert same(old, url)


def test_what_was_deleted_since_does_not_come_back(
    old: Path, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert migrated(old, url) == 0
    with opened(url) as connection:
        connection.execute("DELETE FROM members")
        assert migrated(old, url) == 2
        assert connection.execute("SELECT count(*) FROM members").fetchone() == (0,)
    assert "was used since" in capsys.readouterr().err


@pytest.mark.parametrize("after", [0, 3, 20])
def test_interrupted_and_taken_up_again(
    old: Path, url: str, after: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from bot.store.postgres import copy

    monkeypatch.setattr(copy, "CHUNK", 500)
    chunks, calls = copy._chunks, 0

    def cut(*given: Any) -> Iterator[Any]:
        nonlocal calls
        for some in chunks(*given):
            calls += 1
            if calls > after:
                raise KeyboardInterrupt
            yield some

    monkeypatch.setattr(copy, "_chunks", cut)
    assert migrated(old, url) == 1
    assert "to continue from here" in capsys.readouterr().err
    assert not same(old, url)
    monkeypatch.setattr(copy, "_chunks", chunks)
    assert migrated(old, url) == 0
    assert same(old, url)


@pytest.mark.parametrize("change", ["UPDATE moves SET at = at + 1 WHERE number = 3", "DELETE FROM records"])
def test_a_difference_in_any_row_is_found(
    old: Path, url: str, change: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert migrated(old, url) == 0
    with opened(url) as connection:
        connection.execute(change)
    assert migrated(old, url) == 2
    assert "differs at" in capsys.readouterr().err


def test_other_data_is_not_written_over(
    old: Path, url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def use() -> None:
        store = await open_postgres(url)
        await store.create(a_game(), 1)
        await store.close()

    in_own_loop(use)
    assert migrated(old, url) == 2
    assert "name an empty database" in capsys.readouterr().err
    with opened(url) as connection:
        assert connection.execute("SELECT count(*) FROM games").fetchone() == (1,)
        assert connection.execute("SELECT key FROM meta").fetchall() == [(MODELS,)]


def test_filled_from_another_one(
    old: Path, url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert migrated(old, url) == 0
    other = tmp_path / "other.db"

    async def use() -> None:
        await (await SqliteStore.open(other)).close()

    in_own_loop(use)
    assert migrated(other, url) == 2
    assert "filled from another" in capsys.readouterr().err


def test_no_password_need_stand_on_the_command_line(
    old: Path, url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    """Other users of the machine can see it there."""
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{old}")
    assert main(["migrate-data", f"sqlite:///{old}"]) == 2
    assert "Set DATABASE_URL" in capsys.readouterr().err
    monkeypatch.setenv("DATABASE_URL", url)
    assert main(["migrate-data", f"sqlite:///{old}"]) == 0
    assert same(old, url)


@pytest.mark.parametrize("arguments", [["games.db", "x"], ["sqlite:///a.db", "sqlite:///b.db"]])
def test_wrong_addresses(arguments: list[str], kind: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["migrate-data", *arguments])
    assert ended.value.code == 2


def test_a_source_that_is_not_there_or_none(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    assert migrated(tmp_path / "none.db", url) == 2
    (tmp_path / "bad.db").write_bytes(b"this is no database" * 100)
    assert migrated(tmp_path / "bad.db", url) == 2
    assert "bad.db" in capsys.readouterr().err
