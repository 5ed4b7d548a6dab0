"""What is specific to the store on PostgreSQL: several writers, migrations, a server that goes away."""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import re
import signal
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

import bot
from bot.__main__ import main
from bot.sessions import commands
from bot.sessions.request import Refused, Stale
from bot.store import cache
from bot.store.base import (
    FINISHED,
    LIVE,
    LOBBY,
    Change,
    Conflict,
    Damaged,
    Duplicate,
    GameRow,
    Outdated,
    ReadOnly,
    Unreachable,
    Unusable,
)
from bot.store.people import StillSeated
from bot.store.postgres import database, silence
from bot.store.postgres.address import MISSING, open_postgres
from bot.store.schema import migrations
from tests.sessions.test_session import ANNA, BEN, Place
from tests.store.standings.test_rebuild import contents, rated
from tests.support.databases import SERVER, made, needs_postgres, opened, rebuilt, store_on, tables
from tests.support.rows import a_game, a_move, a_result
from tests.support.values import not_none
from tools.postgres_server import Server, server

pytestmark = needs_postgres

MIGRATIONS = Path(bot.__file__).parent / "store" / "postgres" / "migrations"
NOW = 1_700_000_000.0


@pytest.fixture
def url() -> Iterator[str]:
    with made() as url:
        yield url


@pytest.fixture
async def stores(url: str) -> AsyncIterator[tuple[Any, Any]]:
    """Two stores on one database, as two processes have them."""
    both = await open_postgres(url), await open_postgres(url)
    yield both
    for store in both:
        await store.close()


def after(row: GameRow, **changes: Any) -> GameRow:
    return replace(row, version=row.version + 1, **changes)


# Several writers.


async def test_of_two_votes_at_once_none_is_lost(stores: tuple[Any, Any]) -> None:
    """A vote keeps the version; of two votes made from the same game only one is accepted."""
    one, two = stores
    for number in range(10):
        row = await one.create(a_game(100 + number, status=LIVE), None)
        results = await asyncio.gather(
            one.commit(Change(replace(row, votes=(1,), touched=1), 0, 1000 + number)),
            two.commit(Change(replace(row, votes=(2,), touched=1), 0, 2000 + number)),
            return_exceptions=True,
        )
        assert sorted(isinstance(result, Conflict) for result in results) == [False, True]
        read = await two.game(row.id)
        assert (read.version, read.touched, len(read.votes)) == (0, 1, 1)
        # Whoever still has the game from before the vote can't write over it.
        with pytest.raises(Conflict):
            await one.commit(Change(after(row), 0, None))
        await one.commit(Change(after(read), 0, None))


async def test_games_of_the_same_people_end_at_once_in_two_processes(
    stores: tuple[Any, Any], url: str
) -> None:
    """Ratings, sums and records are those of one game after the other, in the order of their numbers."""
    rng = random.Random(5)
    ends = []
    for number in range(60):
        store = stores[number % 2]
        people = rng.sample(range(1, 7), rng.randrange(2, 5))
        row = await store.create(a_game(1000 + number, *people, status=LIVE), None)
        results = [
            a_result(
                seat,
                user,
                place=seat + 1,
                score=rng.randrange(5000),
                best_turn=rng.randrange(2000),
                feat=number,
                feats={"tuttos": number},
            )
            for seat, user in enumerate(people)
        ]
        over = after(row, status=FINISHED, updated_at=NOW + rng.randrange(100))
        ends.append(store.commit(Change(over, 0, 50_000 + number, results=results)))
        ends.append(stores[1 - number % 2].note_member(10, people[0], f"Name {number}"))
    await asyncio.gather(*ends)
    await stores[0].write_postponed()
    await stores[1].write_postponed()
    before = contents(url, passing=False)
    assert len(rated(url)) == 6
    with opened(url) as connection:
        finished = connection.execute("SELECT finish FROM games ORDER BY finish").fetchall()
    assert finished == [(number,) for number in range(1, 61)]
    assert rebuilt(url, NOW).changed == 0
    assert contents(url, passing=False) == before


async def test_a_name_that_another_process_has_put_off_does_not_come_back(stores: tuple[Any, Any]) -> None:
    one, two = stores
    row = await one.create(a_game(1, status=LIVE), None)
    results = [a_result(seat, seat + 1, place=seat + 1) for seat in (0, 1)]
    await one.commit(Change(after(row, status=FINISHED), 0, results=results))
    for user in (1, 2):
        await two.note_member(10, user, f"New {user}")
    await one.erase(1)
    await two.write_postponed()
    assert await one.member(10, 1) is None
    assert not_none(await one.member(10, 2)).name == "New 2"


async def test_a_new_game_and_a_click_are_taken_once_by_two_processes(stores: tuple[Any, Any]) -> None:
    one, two = stores
    for number in range(10):
        made = await asyncio.gather(
            *(store.create(a_game(100 + number), 1 + number) for store in stores), return_exceptions=True
        )
        (row,) = [result for result in made if isinstance(result, GameRow)]
        results = await asyncio.gather(
            *(store.commit(Change(after(row), 0, 100 + number, move=a_move(1))) for store in stores),
            return_exceptions=True,
        )
        (refused,) = [result for result in results if result is not None]
        assert isinstance(refused, Conflict | Duplicate)
        assert await one.moves(row.id) == await two.moves(row.id) == (a_move(1),)


async def test_a_move_that_is_refused_writes_nothing(stores: tuple[Any, Any], url: str) -> None:
    one, two = stores
    row = await one.create(a_game(status=LIVE), 1)
    await one.commit(Change(after(row), 0, 2, move=a_move(1)))
    with pytest.raises(Duplicate):
        await two.commit(Change(after(row), 0, 2, move=a_move(1)))
    with pytest.raises(Conflict):
        await two.commit(Change(after(row), 0, 3, move=a_move(1)))
    moved = await two.game(row.id)
    # The game is as expected, but the interaction was noted before, or the move is.
    with pytest.raises(Duplicate):
        await two.commit(Change(after(moved), 1, 2, move=a_move(2)))
    with pytest.raises(Exception, match="moves_pkey"):
        await two.commit(Change(after(moved), 1, 3, move=a_move(1)))
    assert await two.game(row.id) == moved
    with opened(url) as connection:
        assert connection.execute("SELECT id FROM interactions ORDER BY id").fetchall() == [(1,), (2,)]
        assert connection.execute("SELECT number FROM moves").fetchall() == [(1,)]


async def test_what_is_shown_is_noted_for_all_games_at_once(stores: tuple[Any, Any]) -> None:
    one, two = stores
    rows = [await one.create(a_game(100 + number), None) for number in range(5)]
    for version in (0, 1):
        for row in rows:
            shown = replace(row, message_id=7, posted_at=5.0, shown_version=version, shown_turn=version)
            await one.mark_shown(shown, urgent=False)
    await one.mark_shown(replace(rows[0], message_id=8, shown_version=2), urgent=True)
    await one.write_postponed()
    # Told late by another process, which has shown less.
    await two.mark_shown(replace(rows[0], message_id=9, shown_version=1), urgent=False)
    await two.write_postponed()
    found = [await two.game(row.id) for row in rows]
    assert [(row.message_id, row.shown_version) for row in found] == [(8, 2), *[(7, 1)] * 4]


# Games at hand.


async def a_move_of(place: Place) -> str:
    """The first thing that can be done at a table, marking dice not counted."""
    return next(token for token in await place.tokens() if not token.startswith("v"))


class Two:
    """Two processes at one table: the same channel, each with sessions of its own."""

    def __init__(self, stores: tuple[Any, Any]) -> None:
        self.places = [Place(store) for store in stores]
        for number, place in enumerate(self.places):
            # An interaction comes once, to whichever process.
            place._interactions = itertools.count(1 + 1000 * number)
        self.one, self.two = self.places


async def test_a_click_reads_nothing_and_one_that_another_process_foiled_is_done_again(
    stores: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from bot.store.postgres.store import PostgresStore

    reads = 0
    fresh = PostgresStore.fresh

    async def counted(store: Any, game_id: int) -> GameRow | None:
        nonlocal reads
        reads += 1
        return await fresh(store, game_id)

    monkeypatch.setattr(PostgresStore, "fresh", counted)
    both = Two(stores)
    row = await both.one.begin(ANNA, BEN)
    reads = 0
    for _ in range(4):
        who, token = await both.one.mover(), await a_move_of(both.one)
        assert who is not None
        row = await both.one.press(who, token)
    assert reads == 0
    assert both.one.store.cached(row.id) == row
    # Reminded by another process: the version stays, so the click is still one on the present table.
    turn = not_none(await both.one.mover())
    reminded = replace(await stores[1].game(row.id), reminded=True)
    await stores[1].commit(Change(replace(reminded, touched=row.touched + 1), row.version))
    reads = 0
    token = await a_move_of(both.one)
    moved = await both.one.press(turn, token)
    assert (moved.version, moved.touched, reads > 0) == (row.version + 1, row.touched + 1, True)
    assert (await stores[1].game(row.id)).version == moved.version


async def test_clicks_that_come_to_either_process_play_one_game(stores: tuple[Any, Any]) -> None:
    """Each process finds the game as the other has left it, and refuses a second click on the same table."""
    both = Two(stores)
    rng = random.Random(3)
    row = await both.one.begin(ANNA, BEN, target=1000)
    for _ in range(400):
        who = await both.one.mover()
        if who is None:
            break
        place, other = rng.sample(both.places, 2)
        place.time = other.time = place.time + 10
        version, token = (await place.row()).version, await a_move_of(place)
        row = await place.press(who, token, version=version)
        other.time += 10
        with pytest.raises((Stale, Refused)):
            await other.press(who, token, version=version)
        assert await other.store.game(row.id) in (row, await stores[0].game(row.id))
    assert row.status == FINISHED
    log = await stores[0].moves(row.id)
    assert [move.number for move in log] == list(range(log[0].number, row.version + 1))


async def test_what_another_process_has_done_is_seen_after_a_moment(
    stores: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    both = Two(stores)
    row = await both.one.begin(ANNA, BEN)
    who, token = await both.two.mover(), await a_move_of(both.two)
    assert who is not None
    moved = await both.two.press(who, token)
    assert both.one.store.cached(row.id) == row
    monkeypatch.setattr(cache, "MAX_GAME_AGE_SECONDS", 0.0)
    assert await both.one.store.game(row.id) == moved
    # What depends on no version is done to the game as it is, not as it was when it was last at hand.
    await both.two.session.carry_out(commands.leave, both.two.click(ANNA))
    monkeypatch.setattr(cache, "MAX_GAME_AGE_SECONDS", 60.0)
    with pytest.raises(Refused):
        await both.one.session.carry_out(commands.leave, both.one.click(ANNA), row.id)


async def test_a_person_erased_while_sitting_down_elsewhere_is_whole_or_gone(stores: tuple[Any, Any]) -> None:
    one, two = stores
    for number in range(20):
        row = await one.create(a_game(100 + number, 1, 2), None)
        results = await asyncio.gather(
            one.erase(7),
            two.commit(
                Change(
                    after(row, seats=(*row.seats, replace(row.seats[0], user_id=7))), 0, seats_changed=True
                )
            ),
            return_exceptions=True,
        )
        assert results[1] is None
        assert results[0] is None or isinstance(results[0], StillSeated)
        read = await one.game(row.id)
        assert read.seats[2].user_id == 7
        await one.commit(Change(after(read, status="ended"), 1))
        await one.erase(7)
        assert [seat.user_id for seat in (await two.game(row.id)).seats] == [1, 2, None]


# A server that goes away.


@pytest.fixture
def own_server() -> Iterator[Server]:
    with server({"fsync": "on"}) as one:
        yield one


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT])
async def test_a_restart_of_the_server_loses_and_doubles_nothing(
    own_server: Server, how: signal.Signals
) -> None:
    """Clicks go on all the time: confirmed ones are stored once, and no other is half done."""
    store: Any = await open_postgres(own_server.url)
    done: dict[int, int] = {}
    stop = asyncio.Event()

    async def play(channel: int) -> None:
        row = await store.create(a_game(channel, status=LIVE), None)
        done[row.id] = 0
        while not stop.is_set():
            new = after(row, state=Damaged(f'{{"n":{row.version}}}'))
            try:
                await store.commit(
                    Change(new, row.version, row.id * 1_000_000 + row.version, move=a_move(new.version))
                )
            except Exception:
                read = await store_again(row.id)
                assert read.version in (row.version, row.version + 1)
                row = read
                continue
            row = new
            done[row.id] = row.version

    async def store_again(game_id: int) -> GameRow:
        while True:
            try:
                row: GameRow | None = await store.game(game_id)
            except Exception:
                await asyncio.sleep(0.05)
            else:
                assert row is not None
                return row

    async def all_have_moved() -> None:
        before = dict(done)
        async with asyncio.timeout(60):
            while len(done) < 8 or any(done[one] < before.get(one, 0) + 4 for one in done):  # noqa: ASYNC110
                await asyncio.sleep(0.02)

    playing = [asyncio.create_task(play(channel)) for channel in range(1, 9)]
    try:
        for _ in range(3):
            await all_have_moved()
            await asyncio.to_thread(own_server.stop, how)
            await asyncio.sleep(0.1)
            await asyncio.to_thread(own_server.start)
        await all_have_moved()
    finally:
        stop.set()
        await asyncio.gather(*playing)
    assert len(done) == 8
    for game_id, version in done.items():
        row = await store_again(game_id)
        moves = await store.moves(game_id)
        assert row.version >= version >= 16
        assert [move.number for move in moves] == list(range(1, row.version + 1))
    await store.close()


async def test_a_server_that_stays_away_fails_a_click_cleanly(
    own_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bot.store.postgres import database

    monkeypatch.setattr(database, "PATIENCE_SECONDS", 0.3)
    store: Any = await open_postgres(own_server.url)
    row = await store.create(a_game(status=LOBBY), 1)
    await store.mark_shown(replace(row, message_id=5, shown_version=0), urgent=True)
    own_server.stop()
    with pytest.raises(database.CONNECTION_ERRORS):
        await store.commit(Change(after(row), 0, 2))
    with pytest.raises(database.CONNECTION_ERRORS):
        await store.game(row.id)
    own_server.start()
    assert (await store.game(row.id)).version == 0
    await store.commit(Change(after(row), 0, 2))
    await store.close()


@contextmanager
def silenced(server: Server) -> Iterator[None]:
    """Freeze a server, which then takes connections and answers nothing."""
    found = [server.pid]
    for status in Path("/proc").glob("[0-9]*/status"):
        with suppress(OSError):
            if f"\nPPid:\t{server.pid}\n" in status.read_text():
                found.append(int(status.parent.name))
    for pid in found:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in found:
            os.kill(pid, signal.SIGCONT)


async def test_a_server_that_falls_silent_fails_clicks_soon(
    own_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More of them than there are connections. What the server still does when it is back counts once."""
    monkeypatch.setattr(silence, "SILENCE_SECONDS", 0.3)
    monkeypatch.setattr(database, "CONNECT_SECONDS", 0.3)
    monkeypatch.setattr(database, "SILENT_SECONDS", 0.1)
    monkeypatch.setattr(database, "PATIENCE_SECONDS", 0.3)
    async with store_on(own_server.url) as store:
        rows = [await store.create(a_game(channel, status=LOBBY), channel) for channel in range(1, 32)]
        changes = [Change(after(row), 0, 100 + row.channel_id) for row in rows]
        await asyncio.gather(*(store.game(row.id) for row in rows))
        with silenced(own_server):
            async with asyncio.timeout(20):
                first, *others = map(store.commit, changes)
                # The connections that are not in use are given up as well.
                failures: list[object] = [*await asyncio.gather(first, return_exceptions=True)]
                failures += await asyncio.gather(*others, return_exceptions=True)
        assert all(isinstance(one, database.CONNECTION_ERRORS) for one in failures), failures
        for change in changes:
            with suppress(Conflict, Duplicate):
                await store.commit(change)
            assert not_none(await store.game(change.row.id)).version == 1
            assert await store.carried_out(not_none(change.interaction_id))


async def test_a_long_statement_of_a_server_that_answers_goes_on(
    own_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(silence, "SILENCE_SECONDS", 0.1)
    async with store_on(own_server.url) as store:
        row = await store.create(a_game(status=LOBBY), 1)
        with opened(own_server.url) as other:
            other.execute("BEGIN")
            other.execute("UPDATE games SET touched = touched")
            waiting = asyncio.create_task(store.commit(Change(after(row), 0, 2)))
            await asyncio.sleep(1.0)
            assert not waiting.done()
            other.execute("COMMIT")
        await waiting
        assert not_none(await store.game(row.id)).version == 1


async def test_a_server_that_is_silent_is_passed_over(
    own_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a failover from a machine that has lost its power: it refuses nothing, and never answers."""
    monkeypatch.setattr(database, "CONNECT_SECONDS", 0.3)
    parts = urlsplit(own_server.url)
    socket = f"{parse_qs(parts.query)['host'][0]}/.s.PGSQL.5432"
    handlers: list[asyncio.Task[Any]] = []
    asked = 0

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        asked += 1
        handlers.append(not_none(asyncio.current_task()))
        await reader.read()
        writer.close()

    async def copied(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            writer.write(data)
        writer.close()

    async def answering(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        handlers.append(not_none(asyncio.current_task()))
        there, back = await asyncio.open_unix_connection(socket)
        await asyncio.gather(copied(reader, back), copied(there, writer))

    async with (
        await asyncio.start_server(silent, "127.0.0.1", 0) as one,
        await asyncio.start_server(answering, "127.0.0.1", 0) as other,
    ):
        hosts = ",".join(f"127.0.0.1:{each.sockets[0].getsockname()[1]}" for each in (one, other))
        async with (
            asyncio.timeout(10),
            store_on(f"postgresql://{parts.username}@{hosts}{parts.path}") as store,
        ):
            await store.set_meta("a", "1")
            before = asked
            assert await asyncio.gather(*(store.meta("a") for _ in range(5))) == ["1"] * 5
            # Further connections lead to the other server at once.
            assert asked == before > 0
        await asyncio.gather(*handlers)


@pytest.mark.parametrize("reached", [True, False])
async def test_a_connection_that_breaks_during_the_commit(
    stores: tuple[Any, Any], reached: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it was done is unknown; the store finds out, and does it once either way."""
    import asyncpg
    from asyncpg.transaction import Transaction

    from bot.store.postgres import store as module

    one, two = stores
    commit, write_change_at_once, breaks = Transaction.commit, module._write_change_at_once, 0
    gone = asyncpg.ConnectionDoesNotExistError("connection was closed in the middle of operation")

    async def broken(transaction: Any) -> None:
        nonlocal breaks
        if breaks:
            breaks -= 1
            await (commit(transaction) if reached else transaction.rollback())
            raise gone
        await commit(transaction)

    async def broken_statement(connection: Any, change: Change) -> None:
        """A move is written and committed by one statement."""
        nonlocal breaks
        if breaks:
            breaks -= 1
            if reached:
                await write_change_at_once(connection, change)
            raise gone
        await write_change_at_once(connection, change)

    monkeypatch.setattr(Transaction, "commit", broken)
    monkeypatch.setattr(module, "_write_change_at_once", broken_statement)
    breaks = 1
    row = await one.create(a_game(status=LIVE, secret=b"s" * 32), 1)
    for interaction in (2, None):
        breaks = 1
        new = after(row, state=Damaged("{}"))
        await one.commit(Change(new, row.version, interaction, move=a_move(new.version)))
        row = new
    breaks = 1
    results = [a_result(0, 1), a_result(1, 2, place=2)]
    await one.commit(Change(after(row, status=FINISHED, updated_at=NOW), row.version, 4, results=results))
    assert breaks == 0
    assert await two.game(row.id) == after(row, status=FINISHED, updated_at=NOW)
    assert len(await two.moves(row.id)) == 2
    assert (await two.stats(10, "tutto", 1)).games == 1
    breaks = 1
    # The step of another process is not taken for one's own.
    with pytest.raises(Conflict):
        await one.commit(Change(after(row, state=Damaged("[]")), row.version, None))


# Opening.


def test_the_tables_are_those_of_sqlite(url: str, tmp_path: Path) -> None:
    from bot.store.sqlite.migrate import migrate

    async def make() -> None:
        await (await open_postgres(url)).close()

    asyncio.run(make())
    with opened(tmp_path / "games.db") as sqlite, opened(url) as postgres:
        migrate(sqlite)
        assert tables(postgres) == sorted([*tables(sqlite), "processes", "schema_version"])
        for table in tables(sqlite):
            columns = {row[1] for row in sqlite.execute(f"PRAGMA table_info({table})")}
            query = "SELECT column_name FROM information_schema.columns WHERE table_name = ?"
            found = {row[0] for row in postgres.execute(query, (table,))}
            assert found - columns <= {"touched"}
            assert columns <= found


async def test_every_query_is_understood(url: str) -> None:
    """Including the rare ones, with every parameter of the shared query."""
    import asyncpg

    from bot.store.postgres.dialect import FOLDER, postgres_queries
    from bot.store.sql import game_queries
    from bot.store.sql.named_queries import parse, shared_queries

    await (await open_postgres(url)).close()
    connection = await asyncpg.connect(url)
    names = set(shared_queries())
    texts = [path.read_text(encoding="utf-8") for path in FOLDER.glob("*.sql")]
    own = set(parse("\n".join((*texts, game_queries.POSTGRES))))
    assert own & names == {"update_game"}
    assert own - names == {
        *("lock_standings", "write_change_at_once", "interaction_game"),
        *("beat", "alive", "bury_dead", "schema", "leave"),
    }
    for name in sorted(names | own):
        await connection.prepare(postgres_queries()[name].text)
    for name in own & names:
        found = re.findall(r":(\w+)", shared_queries()[name])
        assert set(postgres_queries()[name].names) >= set(found)
    await connection.close()


async def test_several_that_start_at_once_migrate_once(url: str) -> None:
    stores = await asyncio.gather(*(open_postgres(url) for _ in range(6)))
    await asyncio.gather(*(store.close() for store in stores))
    with opened(url) as connection:
        found = connection.execute("SELECT version FROM schema_version").fetchall()
    assert found == [(len(migrations(MIGRATIONS)),)]


async def test_another_one_that_migrates_meanwhile_is_no_other_program(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bot.store.postgres import migrate

    real, calls = migrate._exists, 0

    async def exists(connection: Any, table: str) -> bool:
        nonlocal calls
        calls += 1
        found = await real(connection, table)
        if calls == 1:
            await (await open_postgres(url)).close()
        return found

    monkeypatch.setattr(migrate, "_exists", exists)
    store = await open_postgres(url)
    assert await store.meta("nothing") is None
    await store.close()


def a_folder(folder: Path, *scripts: str) -> Path:
    folder.mkdir()
    for number, script in enumerate(scripts, 1):
        (folder / f"{number:04}_step.sql").write_text(script, encoding="utf-8")
    return folder


async def test_migrations_are_whole_and_a_newer_schema_is_refused(url: str, tmp_path: Path) -> None:
    import asyncpg

    from bot.store.postgres.migrate import migrate

    good = "CREATE TABLE one (a BIGINT);\nINSERT INTO one VALUES (1);"
    broken = "INSERT INTO one VALUES (2);\nCREATE TABLE half (a BIGINT);\nUPDATE nowhere SET a = 1;"
    connection = await asyncpg.connect(url)
    with pytest.raises(asyncpg.UndefinedTableError, match="nowhere"):
        await migrate(connection, a_folder(tmp_path / "a", good, broken))
    assert await connection.fetch("SELECT a FROM one") == [(1,)]
    assert await connection.fetchval("SELECT to_regclass('half')") is None
    assert await migrate(connection, a_folder(tmp_path / "b", good, "INSERT INTO one VALUES (3);")) == 2
    assert await connection.fetchval("SELECT sum(a) FROM one") == 4
    with pytest.raises(Unusable, match=r"schema 2.*up to 1"):
        await migrate(connection, a_folder(tmp_path / "c", good))
    await connection.close()


async def test_a_newer_database_is_refused(url: str) -> None:
    await (await open_postgres(url)).close()
    with opened(url) as connection:
        connection.execute("UPDATE schema_version SET version = 999")
    with pytest.raises(Unusable, match="schema 999"):
        await open_postgres(url)


async def test_somebody_elses_tables_are_left_alone(url: str) -> None:
    with opened(url) as connection:
        connection.execute("CREATE TABLE games (id BIGINT)")
        with pytest.raises(Unusable, match="not the bot's"):
            await open_postgres(url)
        assert tables(connection) == ["games"]


async def test_a_database_that_cannot_keep_all_letters_is_refused() -> None:
    options = "ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'"
    with made(options=options) as url, pytest.raises(Unusable, match=r"LATIN1.*UTF8"):
        await open_postgres(url)


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("postgresql://bot:secret@127.0.0.1:1/games", Unreachable),
        ("postgresql://bot:secret@/games?host=/nowhere", Unreachable),
        ("postgresql://bot:secret@localhost/games?sslmode=perhaps", Unusable),
        (f"{SERVER.replace('/postgres?', '/nowhere?')}", Unusable),
    ],
)
async def test_what_cannot_be_opened_is_told_without_the_password(
    address: str, kind: type[Exception]
) -> None:
    with pytest.raises(kind) as told:
        await open_postgres(address)
    assert "the database " in str(told.value)
    assert "secret" not in str(told.value)


def switch_writes(address: str, off: bool) -> None:
    """Let a server accept writes or not, as after a failover; this also concerns open connections."""
    with opened(address) as server:
        server.execute(f"ALTER SYSTEM SET default_transaction_read_only = {'on' if off else 'off'}")
        server.execute("SELECT pg_reload_conf()")


async def test_writing_goes_on_soon_after_a_server_was_read_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "PATIENCE_SECONDS", 0.3)
    with server() as own:
        async with store_on(own.url) as store:
            row = await store.create(a_game(1), 1)
            await store.ping()
            await asyncio.to_thread(switch_writes, own.url, True)
            with pytest.raises(database.READ_ONLY_ERRORS):
                await store.set_meta("a", "1")
            with pytest.raises(ReadOnly, match=r"^the database is read-only$"):
                await store.ping()
            with pytest.raises(ReadOnly, match="is read-only; name the primary"):
                await open_postgres(own.url)
            # The next click waits, and goes through when the server, or another one, accepts writes.
            monkeypatch.setattr(database, "PATIENCE_SECONDS", 10.0)
            waiting = asyncio.create_task(store.set_meta("a", "2"))
            await asyncio.sleep(0.1)
            assert not waiting.done()
            await asyncio.to_thread(switch_writes, own.url, False)
            await asyncio.wait_for(waiting, 5)
            await store.ping()
            assert await store.meta("a") == "2"
            assert await store.game(row.id) is not None


async def test_a_start_on_a_read_only_database_is_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with server({"default_transaction_read_only": "on"}) as own:
        monkeypatch.setenv("DATABASE_URL", own.url)
        monkeypatch.setenv("DISCORD_TOKEN", "secret")
        assert await asyncio.to_thread(main, ["rebuild-ratings"]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert "is read-only; name the primary server" in line


async def test_a_process_notices_a_newer_schema(url: str) -> None:
    async with store_on(url) as store:
        assert [one.name for one in await store.heartbeat("a", 1, [0], 10.0)] == ["a"]
        with opened(url) as connection:
            connection.execute("UPDATE schema_version SET version = version + 1")
        with pytest.raises(Outdated, match="start the newer version"):
            await store.heartbeat("a", 1, [0], 10.0)


async def test_a_missing_library_is_told_with_what_to_do(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    with pytest.raises(Unusable) as told:
        await open_postgres(url)
    assert str(told.value) == MISSING
    assert "make install" in MISSING


def test_a_missing_library_is_told_on_the_command_line(
    monkeypatch: pytest.MonkeyPatch, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", url)
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    assert main(["rebuild-ratings"]) == 2
    assert "make install" in capsys.readouterr().err


async def test_an_operator_has_people_deleted(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    async with store_on(url) as store:
        monkeypatch.setenv("DATABASE_URL", url)
        assert await asyncio.to_thread(main, ["erase", "7", "800000000000000001", "7"]) == 0
        assert await store.to_erase() == (7, 800000000000000001)
        await store.erase(7)
        assert await store.to_erase() == (800000000000000001,)


async def test_closing_leaves_nothing_behind(url: str) -> None:
    before = threading.active_count()
    store = await open_postgres(url)
    await store.set_meta("a", "1")
    await store.close()
    await store.close()
    assert threading.active_count() == before
    with opened(url) as connection:
        query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> ?"
        (own,) = connection.execute("SELECT pg_backend_pid()").fetchone()
        assert connection.execute(query, (own,)).fetchone() == (0,)
