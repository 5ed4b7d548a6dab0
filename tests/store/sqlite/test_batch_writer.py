"""Several steps in one statement have the same effect as one by one, and a failing one fails alone."""

from __future__ import annotations

import asyncio
import contextlib
import re
import sqlite3
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.i18n.say import Line, Say
from bot.store.base import FINISHED, LIVE, Change, Conflict, Damaged, Duplicate, GameRow
from bot.store.encoding import UPDATE_COLUMNS
from bot.store.sql.named_queries import shared_queries
from bot.store.sqlite.batch_writer import is_plain
from bot.store.sqlite.many_rows import execute_rows
from bot.store.sqlite.store import SqliteStore
from tests.support.databases import store_on
from tests.support.examples import examples
from tests.support.rows import a_game, a_move, a_result
from tests.support.values import not_none

TABLES = ("games", "seats", "moves", "interactions", "results", "totals")


def contents(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return {
            table: sorted(connection.execute(f"SELECT * FROM {table}").fetchall(), key=repr)
            for table in TABLES
        }


def test_a_step_writes_the_columns_that_the_query_writes() -> None:
    text = shared_queries()["update_game"].partition("WHERE")[0]
    assert re.findall(r"(\w+) = :\w+", text) == list(UPDATE_COLUMNS)


def a_step(rng: Random, row: GameRow, interaction_id: int) -> Change:
    """A step of any kind: most make a move, some change the seats, end the game, or change a setting."""
    kind = rng.choice(["move"] * 6 + ["by itself", "seats", "setting", "end"])
    now = replace(
        row,
        version=row.version + (kind != "setting"),
        rated=row.rated ^ (kind == "setting"),
        touched=row.touched + (kind == "setting"),
        status=FINISHED if kind == "end" else LIVE,
        state=rng.choice([None, Damaged("{}"), Damaged('{"n":"\u00e9\U0001f3b2"}')]),
        lines=(Line(0, (Say(f"{rng.random()}"),)),),
        acted=tuple(rng.random() for _ in row.seats),
        missed=tuple(rng.randrange(3) for _ in row.seats),
        votes=tuple(rng.sample(range(2), rng.randrange(3))),
        deadline=rng.choice([None, rng.random()]),
        ai_to_move=rng.random() < 0.5,
        reminded=rng.random() < 0.5,
        draws=row.draws + rng.randrange(3),
        updated_at=rng.random(),
    )
    number = now.version * 10
    return Change(
        now,
        row.version,
        None if kind == "by itself" else interaction_id,
        seats_changed=kind == "seats",
        move=None if kind == "setting" else a_move(number, rng.randrange(2), at=rng.random()),
        earlier=() if kind == "setting" else [a_move(number - 1 - one) for one in range(rng.randrange(3))],
        results=[a_result(0, 1), a_result(1, 2, place=2)] if kind == "end" else (),
    )


@settings(max_examples=examples(6))
@given(seed=st.integers(0, 1 << 32), games=st.sampled_from([1, 2, 5, 21, 70, 350]))
def test_together_or_one_by_one_comes_to_the_same(
    tmp_path_factory: pytest.TempPathFactory, seed: int, games: int
) -> None:
    paths = [tmp_path_factory.mktemp("store") / "games.db" for _ in range(2)]

    async def played(path: Path, together: bool) -> None:
        rng = Random(seed)
        store = await SqliteStore.open(path)
        rows = [await store.create(a_game(channel), channel) for channel in range(1, games + 1)]
        for _ in range(3):
            steps = [
                a_step(rng, row, rng.randrange(1 << 20, 1 << 62)) for row in rows if row.status != FINISHED
            ]
            if together:
                await asyncio.gather(*map(store.commit, steps))
            else:
                for step in steps:
                    await store.commit(step)
            rows = [step.row for step in steps]
        for row in rows:
            shown = replace(row, message_id=rng.randrange(9), shown_version=row.version - rng.randrange(3))
            await store.mark_shown(shown, urgent=not together)
        await store.close()

    for path, together in zip(paths, (False, True), strict=True):
        asyncio.run(played(path, together))
    one_by_one, at_once = map(contents, paths)
    assert one_by_one == at_once
    assert one_by_one["moves"]


@pytest_asyncio.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    async with store_on(tmp_path / "games.db") as store:
        yield store


async def started(store: SqliteStore, games: int) -> list[GameRow]:
    rows = [await store.create(a_game(channel), channel) for channel in range(1, games + 1)]
    return [replace(row, version=1, status=LIVE) for row in rows]


def moves_of(rows: Sequence[GameRow]) -> list[Change]:
    return [Change(row, 0, 1000 + row.id, move=a_move(1)) for row in rows]


async def test_steps_that_wait_at_the_same_time_are_written_at_once(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    executed: list[tuple[str, int]] = []

    def execute(connection: sqlite3.Connection, statement: str, rows: Sequence[Any]) -> int:
        executed.append((statement.partition("games")[0].partition(" (")[0], len(rows)))
        return execute_rows(connection, statement, rows)

    monkeypatch.setattr("bot.store.sqlite.batch_writer.execute_rows", execute)
    rows = await started(store, 90)
    told: list[str] = []
    await store._thread.call(lambda connection: connection.set_trace_callback(told.append))
    await asyncio.gather(*map(store.commit, moves_of(rows)))
    assert executed == [("INSERT INTO interactions", 90), ("UPDATE ", 90), ("INSERT INTO moves", 90)]
    assert [text for text in told if text.startswith(("BEGIN", "SAVEPOINT", "COMMIT"))] == [
        "BEGIN IMMEDIATE",
        "COMMIT",
    ]
    assert [await store.game(row.id) for row in rows] == rows


async def test_what_many_channels_show_is_noted_at_once(store: SqliteStore) -> None:
    rows = [replace(row, version=0) for row in await started(store, 90)]
    for row in rows:
        await store.mark_shown(replace(row, message_id=row.id), urgent=False)
    told: list[str] = []
    await store._thread.call(lambda connection: connection.set_trace_callback(told.append))
    await store.write_postponed()
    assert sum(text.startswith("UPDATE games SET message_id") for text in told) == 3
    assert [not_none(await store.game(row.id)).message_id for row in rows] == [row.id for row in rows]


async def test_of_many_steps_those_that_fail_fail_alone(store: SqliteStore) -> None:
    rows = await started(store, 70)
    changes = moves_of(rows)
    changes[3] = changes[3]._replace(expected=5)  # the game is elsewhere
    changes[40] = changes[40]._replace(interaction_id=changes[39].interaction_id)
    changes[69] = changes[69]._replace(interaction_id=7)  # known since the game was made
    outcomes = await asyncio.gather(*map(store.commit, changes), return_exceptions=True)
    kinds = {3: Conflict, 40: Duplicate, 69: Duplicate}
    assert [type(one) for one in outcomes] == [kinds.get(place, type(None)) for place in range(70)]
    for place, row in enumerate(rows):
        read = not_none(await store.game(row.id))
        assert read.version == (0 if place in kinds else 1)
        assert len(await store.moves(row.id)) == (0 if place in kinds else 1)


@pytest.mark.parametrize(
    ("change", "error"), [({"expected": 4}, Conflict), ({"interaction_id": 1}, Duplicate)]
)
async def test_a_single_step_that_fails_says_why(
    store: SqliteStore, change: dict[str, Any], error: type[Exception]
) -> None:
    (row,) = await started(store, 1)
    (step,) = moves_of([row])
    with pytest.raises(error):
        await store.commit(step._replace(**change))
    await store.commit(step)
    assert await store.game(row.id) == row


def test_only_what_a_step_usually_writes_goes_together() -> None:
    row = replace(a_game(), id=1, version=1)
    assert is_plain(Change(row, 0, 5, move=a_move(1)))
    assert is_plain(Change(row, 0, None, move=a_move(1)))
    assert not is_plain(Change(row, 0, 5))
    assert not is_plain(Change(row, 0, 5, move=a_move(1), seats_changed=True))
    assert not is_plain(Change(row, 0, 5, move=a_move(1), results=[a_result(0, 1)]))


async def test_a_full_disk_is_called_so(store: SqliteStore) -> None:
    """SQLite then rolls the whole transaction back by itself, even while steps are tried one by one."""
    rows = [replace(row, lines=(Line(0, (Say("x" * 200_000),)),)) for row in await started(store, 5)]

    async def limit(pages: int) -> None:
        def limited(connection: sqlite3.Connection) -> None:
            (used,) = connection.execute("PRAGMA page_count").fetchone()
            connection.execute(f"PRAGMA max_page_count = {used + pages}")

        await store._thread.call(limited)

    await limit(4)
    for some in (rows[:1], rows):
        outcomes = await asyncio.gather(*map(store.commit, moves_of(some)), return_exceptions=True)
        assert [str(one) for one in outcomes] == ["database or disk is full"] * len(some)
    await limit(1 << 20)
    await asyncio.gather(*map(store.commit, moves_of(rows)))
    assert [await store.game(row.id) for row in rows] == rows
