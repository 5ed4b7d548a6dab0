"""Databases of all earlier versions of the bot work with the present one.

The rows are what those versions wrote (see make.py); the tables around them come from the first migrations.
Those of PostgreSQL had the same tables as those of SQLite at the time, and get the same rows.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import itertools
import re
import sqlite3
import time
from collections.abc import AsyncIterator, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import bot
from bot.i18n.catalogue import Catalogue
from bot.records.verification import verify_stream
from bot.registry import TEXT_ICONS
from bot.screens.model import Text
from bot.sessions.presentation import more_of, screen_of
from bot.sessions.session import Sessions
from bot.standings.values import Leaderboard, Period, Sort
from bot.store.backup import check
from bot.store.base import ABORTED, FINISHED, LIVE, LOBBY, GameRow, Store
from bot.store.schema import migrations
from bot.store.sqlite.migrate import statements
from tests.store.standings.test_standings import whole
from tests.store.upgrade.make import ANN, BEN, CLEO, DAN, GAMBLER_GUILD, TUTTO_GUILD, Table, at_once
from tests.support import standings_oracle as oracle
from tests.support.databases import (
    Database,
    in_own_loop,
    made,
    needs_postgres,
    open_store,
    opened,
    rebuilt,
    tables,
    traces,
)
from tests.support.records import stored_record
from tests.support.values import not_none

HERE = Path(__file__).parent
FOLDER = Path(bot.__file__).parent / "store" / "postgres" / "migrations"
"""The migrations of PostgreSQL; their module needs a library that not everybody has."""

NEWEST = len(migrations())
GAMBLER_SINCE = 3
"""The first schema in whose file people play Gambler as well."""

WEIGHED_SINCE = 12
"""The first schema in whose file games between the same people count less and less."""

SAME_TABLES = {
    1: 4,
    2: 5,
    3: 6,
    4: 7,
    5: 8,
    6: 9,
    7: 10,
    8: 11,
    9: 12,
    10: 13,
    11: 14,
    12: 15,
    13: 16,
    14: 17,
    15: 18,
}
"""For each schema of PostgreSQL but the newest the one of SQLite that had the same tables."""

UPGRADED = 1_800_000_000
"""When games go on after an upgrade, later than all that was played before."""

WRITTEN = sorted(int(path.stem.partition("-")[2]) for path in HERE.glob("schema-*.sql"))


def test_every_schema_has_been_written_down() -> None:
    """If this fails: run make.py in the last version before the newest migration."""
    assert set(WRITTEN) >= set(range(1, NEWEST))
    assert set(SAME_TABLES) >= set(range(1, len(migrations(FOLDER))))


@pytest.fixture(
    params=[
        *((number, None) for number in WRITTEN),
        *(pytest.param((number, own), marks=needs_postgres) for own, number in SAME_TABLES.items()),
    ],
    ids=lambda schemas: f"postgres-{schemas[1]}" if schemas[1] else f"{schemas[0]}",
)
def schemas(request: pytest.FixtureRequest) -> tuple[int, int | None]:
    """The schema of SQLite whose rows there are, and that of PostgreSQL, or None."""
    found: tuple[int, int | None] = request.param
    return found


@pytest.fixture
def schema(schemas: tuple[int, int | None]) -> int:
    return schemas[0]


@pytest.fixture
def path(schemas: tuple[int, int | None], tmp_path: Path) -> Iterator[Database]:
    """A database as the version with this schema has left it."""
    schema, own = schemas
    file = a_file(schema, tmp_path / "games.db")
    assert check(file).schema == schema
    if own is None:
        yield file
        return
    with made() as url:
        in_own_loop(lambda: fill(url, own, file))
        yield url


def a_file(schema: int, path: Path) -> Path:
    path.write_bytes(contents(schema))
    return path


@cache
def contents(schema: int) -> bytes:
    """Return a database file as the version with this schema has left it."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.deserialize(migrated(schema))
        connection.execute("DELETE FROM meta")
        connection.executescript((HERE / f"schema-{schema}.sql").read_text(encoding="utf-8"))
        return connection.serialize()


@cache
def migrated(schema: int) -> bytes:
    """Return a database file with the tables of this schema."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        if schema > 1:
            connection.deserialize(migrated(schema - 1))
        number, file = migrations()[schema - 1]
        for statement in statements(file.read_text(encoding="utf-8")):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {number}")
        return connection.serialize()


async def fill(url: str, own: int, file: Path) -> None:
    """Make the tables of a schema of PostgreSQL, with the rows of a file of SQLite."""
    from bot.store.postgres import store as postgres

    async with postgres.opened(url) as connection:
        await connection.execute("CREATE TABLE schema_version (version BIGINT NOT NULL)")
        await connection.execute("INSERT INTO schema_version (version) VALUES ($1)", own)
        for _, script in migrations(FOLDER)[:own]:
            await connection.execute(script.read_text(encoding="utf-8"))
        await connection.execute("DELETE FROM meta")
        with opened(file) as source:
            # First what others refer to.
            for table in sorted(tables(source), key=lambda table: table != "games"):
                found = source.execute(f"SELECT * FROM {table}")
                await connection.copy_records_to_table(
                    table, records=found.fetchall(), columns=[one[0] for one in found.description]
                )
        await connection.execute(
            "SELECT setval(pg_get_serial_sequence('games', 'id'), (SELECT max(id) FROM games))"
        )


@pytest.fixture
def before(path: Database) -> dict[str, list[tuple[Any, ...]]]:
    """What was in it: games with their states, moves, and results."""
    return {query: rows(path, query) for query in KEPT}


KEPT = (
    "SELECT id, game, status, version, options, state, seed, draws, updated_at FROM games ORDER BY id",
    "SELECT game_id, number, seat, action, chance, at FROM moves ORDER BY game_id, number",
    "SELECT game_id, seat, user_id, place, score, turns, best_turn, feats FROM results ORDER BY 1, 2",
    "SELECT game_id, seat, kind, user_id, name, policy FROM seats ORDER BY game_id, seat",
    "SELECT guild_id, user_id, name FROM members ORDER BY guild_id, user_id",
    "SELECT id, game_id FROM interactions ORDER BY id",
)


def rows(path: Database, query: str) -> list[tuple[Any, ...]]:
    with opened(path) as connection:
        found: list[tuple[Any, ...]] = connection.execute(query).fetchall()
        return found


@pytest.fixture
async def store(path: Database, before: dict[str, list[tuple[Any, ...]]]) -> AsyncIterator[Store]:
    """The same database, opened by the present version."""
    assert all(before.values())
    store: Store = await open_store(path)
    yield store
    await store.close()


async def test_nothing_that_was_played_changes(
    store: Store, path: Database, before: dict[str, list[tuple[Any, ...]]], schema: int
) -> None:
    for query, kept in before.items():
        assert rows(path, query) == kept, query
    if isinstance(path, str):
        assert rows(path, "SELECT version FROM schema_version") == [(len(migrations(FOLDER)),)]
        return
    assert rows(path, "PRAGMA user_version") == [(NEWEST,)]
    copies = await asyncio.to_thread(lambda: list(path.parent.glob("games.db.*.schema-*")))
    kept_schemas = [int(copy.name.rpartition("-")[2]) for copy in copies]
    assert kept_schemas == ([schema] if schema < NEWEST else [])
    for copy in copies:
        assert check(copy).schema == schema
        for query, kept in before.items():
            assert rows(copy, query) == kept, query


async def test_ratings_and_sums_are_what_the_logs_say(store: Store, path: Database, schema: int) -> None:
    await assert_sums(store, path, schema, finished=9)


async def test_every_finished_game_has_a_record_that_can_be_checked(store: Store, path: Database) -> None:
    numbers = [number for (number,) in rows(path, "SELECT id FROM games WHERE status = 'over'")]
    assert len(numbers) >= 9
    for number in numbers:
        row = not_none(await store.game(number))
        text = not_none(await stored_record(store, row))
        assert len(list(verify_stream(io.BytesIO(text.encode()), lambda count: None))) == 1


@needs_postgres
@pytest.mark.parametrize("own", SAME_TABLES)
async def test_both_databases_come_to_the_same(own: int, tmp_path: Path) -> None:
    """Migrated on SQLite or on PostgreSQL, every row of every table is the same."""
    file = a_file(SAME_TABLES[own], tmp_path / "games.db")
    with made() as url:
        await fill(url, own, file)
        for place in (file, url):
            await (await open_store(place)).close()
        with opened(file) as one, opened(url) as other:
            assert set(tables(other)) - set(tables(one)) == {"processes", "schema_version"}
            for table in tables(one):
                columns = [row[1] for row in one.execute(f"PRAGMA table_info({table})")]
                query = f"SELECT {', '.join(columns)} FROM {table}"
                found, kept = other.execute(query).fetchall(), one.execute(query).fetchall()
                assert sorted(found, key=repr) == sorted(kept, key=repr), table
            assert one.execute("SELECT count(*) FROM totals WHERE mu > 0 AND feats <> '{}'").fetchone() > (3,)


async def test_games_go_on_to_their_end(store: Store, path: Database, schema: int) -> None:
    """Running games and the lobby; ratings and sums then count them like any other game."""
    now = itertools.count(UPGRADED)
    sessions = Sessions(store, lambda: float(next(now)), lambda: bytes(32), at_once)
    for game_id in await store.waiting_for_ai():
        row = not_none(await store.game(game_id))
        await sessions.at(row.channel_id).resume(game_id)
    statuses = {LIVE: 0, LOBBY: 0, FINISHED: 0, ABORTED: 0}
    for (number,) in rows(path, "SELECT id FROM games ORDER BY id"):
        row = not_none(await store.game(number))
        statuses[row.status] += 1
        if row.status not in (LIVE, LOBBY):
            continue
        table = table_of(sessions, row)
        if row.status == LOBBY:
            session = sessions.at(row.channel_id)
            table.row = await session.press_lobby(table.click(DAN), row.id, "l.start")
            table.row = await session.begin(row.id, 9_000)
        await table.play()
        assert table.row.status == FINISHED
        assert await store.results(row.id)
    gambler = int(schema >= GAMBLER_SINCE)
    assert statuses == {LIVE: 3 + gambler, LOBBY: 1, FINISHED: 9 + gambler, ABORTED: 1}
    await assert_sums(store, path, schema, finished=13)
    # And a new one can be opened where the last was.
    table = Table(sessions, TUTTO_GUILD, 8100)
    table.interactions = _interactions
    await table.begin("tutto", {"edition": "current", "target": 1000}, ANN, BEN)
    assert table.row.status == LIVE


async def test_games_are_shown_as_they_were_told_then(store: Store, path: Database) -> None:
    """Narration is stored with the games, and earlier versions had other pieces."""
    catalogue = Catalogue(TEXT_ICONS)
    for (number,) in rows(path, "SELECT id FROM games ORDER BY id"):
        row = not_none(await store.game(number))
        screens = [await screen_of(store, row), *([more_of(row, 0)] if row.status == LIVE else [])]
        for shown in screens:
            texts = [line for block in shown.blocks if isinstance(block, Text) for line in block.lines]
            said = [catalogue.text(language, line) for line in texts for language in catalogue.languages]
            assert said
            # A key without a text stands for itself.
            assert not [text for text in said if re.search(r"(?:tutto|gambler|story)-[a-z]+-?[a-z]*\b", text)]


async def test_nothing_is_wrong_that_a_rebuild_would_find(path: Database, before: object) -> None:
    await (await open_store(path)).close()
    report = rebuilt(path, time.time())
    assert report.changed == 0
    assert report.games >= 9


def table_of(sessions: Sessions, row: GameRow) -> Table:
    table = Table(sessions, row.guild_id, row.channel_id)
    table.interactions = _interactions
    table.row = row
    return table


_interactions = itertools.count(5_000_000)


async def assert_sums(store: Store, path: Database, schema: int, finished: int) -> None:
    """Leaderboards, statistics and ratings against an oracle that replays every log."""
    games = oracle.games(path, TUTTO_GUILD)
    assert len(games) == finished
    for game in games:
        results = await store.results(game.id)
        assert [(one.place, one.score, one.turns) for one in results] == [
            (seat.place, seat.score, seat.turns) for seat in game.seats
        ]
    everybody = oracle.people(games, weighed_from=0.0 if schema >= WEIGHED_SINCE else UPGRADED)
    assert everybody.keys() == {ANN, BEN, CLEO, DAN}
    for sort in Sort:
        found = await whole(store, Leaderboard(TUTTO_GUILD, "tutto", sort, Period.ALL, 0))
        assert found == oracle.board(everybody, Period.ALL, sort, time.time(), "UTC"), sort
    for user, person in everybody.items():
        stats = not_none(await store.stats(TUTTO_GUILD, "tutto", user))
        assert (stats.games, stats.wins) == (len(person.games), person.wins)
        assert stats.rating == person.shown
        assert [(one.user_id, one.games, one.ahead) for one in stats.opponents] == oracle.opponents(person)[
            :3
        ]
    gambler = "SELECT count(DISTINCT user_id) FROM results WHERE game = 'gambler'"
    ranked = await store.ranked(Leaderboard(GAMBLER_GUILD, "gambler", Sort.WINS, Period.ALL, 0))
    assert [(ranked,)] == rows(path, gambler)


async def test_a_person_erased_after_an_upgrade_leaves_no_trace(store: Store, path: Database) -> None:
    """Migrations copy tables, and what they drop must not stay behind in free pages."""
    if isinstance(path, str):
        pytest.skip("PostgreSQL keeps deleted rows until a vacuum")
    user, name = 700000000000005002, "Bén 'the *dice*'"
    assert traces(path, user, name)
    with opened(path) as connection:
        connection.execute("UPDATE games SET status = 'ended' WHERE status IN ('lobby', 'live')")
    await store.erase(user)
    assert traces(path, user, name) == []
