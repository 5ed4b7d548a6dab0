"""The contract of every store, and details of the one on SQLite.

The first part runs on both databases; what only PostgreSQL has to show is in postgres/test_store.py.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import random
import sqlite3
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.games.seats import ai, person
from bot.i18n.say import Line, Say
from bot.records.sealing import seal_of
from bot.store.base import (
    ABORTED,
    FINISHED,
    LIVE,
    LOBBY,
    NEVER,
    Change,
    ChannelTaken,
    Conflict,
    Damaged,
    Duplicate,
    FormerSeat,
    GameRow,
    ReadOnly,
    RematchTaken,
    Store,
    Unusable,
    Word,
)
from bot.store.schema import FOLDER, migrations
from bot.store.sql import games
from bot.store.sql.access import SqlAccess
from bot.store.sql.connection import Connection
from bot.store.sql.rebuild import MODELS, REQUESTED
from bot.store.sqlite import migrate as migrating
from bot.store.sqlite import writer as writing
from bot.store.sqlite.lock import take
from bot.store.sqlite.migrate import migrate, statements
from bot.store.sqlite.store import CACHE_KIB, SqliteStore
from tests.support.databases import KINDS, database_of, open_store, opened
from tests.support.rows import a_game, a_move, a_result
from tests.support.values import not_none
from tests.support.waiting import until

Open = Callable[[], Awaitable[Store]]


@pytest.fixture(params=KINDS)
async def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Open]:
    """Opens stores on the same data, one after the other or several at once; closes them all."""
    opened: list[Store] = []
    with database_of(request.param, tmp_path) as place:

        async def one_more() -> Store:
            opened.append(await open_store(place))
            return opened[-1]

        yield one_more
        for store in opened:
            await store.close()


@pytest.fixture
async def store(reopen: Open) -> Store:
    return await reopen()


def after(row: GameRow, **changes: Any) -> GameRow:
    """The row one step later."""
    return replace(row, version=row.version + 1, **changes)


async def moved(store: Store, row: GameRow, interaction: int | None = None, **changes: Any) -> GameRow:
    """Commit one move."""
    new = after(row, status=LIVE, state=Damaged(f'{{"n":{row.version}}}'), **changes)
    await store.commit(Change(new, row.version, interaction, move=a_move(new.version)))
    return new


# Games.


async def test_words_are_written_with_the_seats_of_a_lobby_and_stay_as_they_are_later(store: Store) -> None:
    """A word that was deleted since does not come back with a row that still has it."""
    row = await store.create(a_game(100, 7, 8), 1)
    spoken = after(row, words=(Word(0, 7, "one"), Word(1, 8, "two")))
    await store.commit(Change(spoken, row.version, 2, seats_changed=True))
    fewer = after(spoken, words=(Word(1, 8, "three"),))
    for new, old in ((spoken, row), (fewer, spoken)):
        if new is fewer:
            await store.commit(Change(new, old.version, 3, seats_changed=True))
        found = not_none(await store.game(row.id))
        assert found.words == new.words
    begun = after(fewer, status=LIVE, state=Damaged("{}"), words=(Word(0, 7, "late"),))
    await store.commit(Change(begun, fewer.version, 4, seats_changed=True))
    found = not_none(await store.game(row.id))
    assert found.words == fewer.words


async def test_people_who_gave_up_a_seat_are_kept_in_their_order(store: Store) -> None:
    """A seat is handed over twice, and then both of its people are deleted, one after the other."""
    row = await store.create(a_game(100, 7, 8, status=LIVE), 1)
    former: tuple[FormerSeat, ...] = (
        FormerSeat(0, 7, "Ann", 1, True, 5, 4),
        FormerSeat(0, 9, "Cleo", 2, False, 1, 0),
    )
    for number in (1, 2):
        new = after(row, former=former[:number])
        await store.commit(Change(new, row.version, gave_up=True))
        row = new
        assert not_none(await store.game(row.id)).former == former[:number]
    for number in (1, 0):
        former = tuple(
            replace(one, user_id=None, name="") if at == number else one for at, one in enumerate(former)
        )
        new = after(row, former=former)
        await store.commit(Change(new, row.version, seats_changed=True))
        row = new
        assert not_none(await store.game(row.id)).former == former


async def test_games_whose_clock_stands_are_listed_by_their_ids(store: Store) -> None:
    await store.create(a_game(100), 1)
    stopped = [await store.create(a_game(channel, deadline=NEVER), channel) for channel in (101, 102)]
    assert sorted(await store.stopped_games()) == [row.id for row in stopped]


async def test_a_game_is_read_back_as_it_was_written(store: Store) -> None:
    row = a_game(
        (1 << 63) - 1,
        (1 << 63) - 1,
        5,
        ais=2,
        locale="pt-BR",
        secret=bytes(range(256))[:32],
        draws=12_345,
        news='[[0,[["story-gap"]]]]',
        acted=(0.0, 1700000000.25),
        turn_seconds=86_400,
        since=3.5,
        reminded=True,
        missed=(1, 0),
        votes=(3,),
        deadline=1700000000.125,
        ai_to_move=True,
    )
    names = ("", "👾 \u202e'; DROP TABLE games; --", "Ärger \\ % _ \x7f")
    seats = (person(7, names[0]), person(8, names[1]), person(9, names[2]), ai("casual"))
    made = await store.create(replace(row, seats=seats), 1)
    assert made.id > 0
    assert await store.game(made.id) == made
    assert made == replace(row, id=made.id, seats=seats, seal=seal_of(row.secret, made.id))


@pytest.mark.parametrize("game_id", [0, -1, 1, 999, (1 << 63) - 1, 1 << 63, 1 << 64, 16**16 - 1])
async def test_a_game_that_is_not_there_is_none(store: Store, game_id: int) -> None:
    assert await store.game(game_id) is None
    assert await store.moves(min(game_id, 999)) == ()
    assert await store.results(min(game_id, 999)) == ()


async def test_a_channel_has_one_active_game(store: Store) -> None:
    first = await store.create(a_game(100), 1)
    with pytest.raises(ChannelTaken):
        await store.create(a_game(100), 2)
    other = await store.create(a_game(101), 3)
    assert (await store.active_game(100), await store.active_game(101)) == (first, other)
    for status in (LIVE, FINISHED):
        first = after(first, status=status)
        await store.commit(Change(first, first.version - 1))
        if status == LIVE:
            with pytest.raises(ChannelTaken):
                await store.create(a_game(100), 4)
    assert await store.active_game(100) is None
    assert await store.latest_game(100) == first
    second = await store.create(a_game(100), 4)
    assert await store.active_game(100) == await store.latest_game(100) == second
    assert second.id > other.id


async def test_a_refused_game_leaves_nothing_behind(store: Store) -> None:
    await store.create(a_game(100, 1), 1)
    with pytest.raises(ChannelTaken):
        await store.create(a_game(100, 2), 2)
    # Its interaction is still free, too.
    made = await store.create(a_game(101, 2), 2)
    assert [seat.user_id for seat in made.seats] == [2]


async def test_ids_are_never_used_again(store: Store, reopen: Open) -> None:
    seen = set()
    for number in range(5):
        row = await store.create(a_game(100), number)
        assert row.id not in seen
        seen.add(row.id)
        await store.commit(Change(after(row, status=ABORTED), row.version))
    await store.close()
    again = await reopen()
    assert (await again.create(a_game(100), 99)).id > max(seen)


async def test_a_finished_game_has_one_rematch(store: Store) -> None:
    first = await store.create(a_game(100), 1)
    await store.commit(Change(after(first, status=FINISHED), first.version))
    assert await store.rematch_of(first.id) is None
    again = await store.create(a_game(100, parent_id=first.id), 2)
    assert await store.rematch_of(first.id) == again
    with pytest.raises(RematchTaken):
        await store.create(a_game(101, parent_id=first.id), 3)
    with pytest.raises((RematchTaken, ChannelTaken)):
        await store.create(a_game(100, parent_id=first.id), 3)
    assert await store.rematch_of(again.id) is None


# Steps.


async def test_a_step_is_written_as_a_whole(store: Store) -> None:
    row = await store.create(a_game(100, 1, 2), 1)
    seats = (person(1, "One"), person(3, "Three"), ai("casual"))
    new = after(row, status=FINISHED, seats=seats, state=Damaged("{}"), draws=3, host_id=3)
    results = [a_result(0, 1, place=1), a_result(1, 3, place=2), a_result(2, None, place=3)]
    await store.commit(Change(new, 0, 2, seats_changed=True, move=a_move(1), results=results))
    assert await store.game(row.id) == new
    assert await store.moves(row.id) == (a_move(1),)
    assert await store.results(row.id) == tuple(results)


async def test_what_a_step_does_not_name_stays(store: Store) -> None:
    """Game, guild, channel, seed and seats are fixed unless a step says that the seats have changed."""
    row = await store.create(a_game(100, 1, 2), 1)
    await store.commit(Change(after(row, seats=(), secret=b"x" * 32, channel_id=5, guild_id=6), 0))
    read = not_none(await store.game(row.id))
    assert (read.seats, read.secret, read.channel_id, read.guild_id) == (row.seats, row.secret, 100, 10)


async def test_moves_keep_their_order(store: Store) -> None:
    row = await store.create(a_game(), 1)
    for number in range(12):
        row = await moved(store, row, 10 + number)
    assert [move.number for move in await store.moves(row.id)] == list(range(1, 13))


async def test_a_step_from_an_old_version_is_a_conflict_and_changes_nothing(store: Store) -> None:
    row = await store.create(a_game(100, 1, 2), 1)
    new = await moved(store, row, 2)
    late = after(row, status=FINISHED, seats=(person(9, "Nine"),))
    with pytest.raises(Conflict):
        await store.commit(
            Change(late, row.version, 3, seats_changed=True, move=a_move(7), results=[a_result(0, 9)])
        )
    assert await store.game(row.id) == new
    assert len(await store.moves(row.id)) == 1
    assert await store.results(row.id) == ()
    await moved(store, new, 3)  # the interaction of the refused step is free


async def test_a_step_of_a_game_that_is_not_there_is_a_conflict(store: Store) -> None:
    with pytest.raises(Conflict):
        await store.commit(Change(after(a_game(id=77)), 0, 1))


@pytest.mark.parametrize("interaction", [5, 0, (1 << 63) - 1])
async def test_an_interaction_counts_once(store: Store, interaction: int) -> None:
    row = await store.create(a_game(), 1)
    row = await moved(store, row, interaction)
    with pytest.raises(Duplicate):
        await moved(store, row, interaction)
    with pytest.raises(Duplicate):
        await store.create(a_game(200), interaction)
    assert await store.game(row.id) == row
    assert await store.active_game(200) is None
    await moved(store, row, 7)


async def test_steps_of_the_bot_itself_have_no_interaction(store: Store) -> None:
    row = await store.create(a_game(), None)
    for _ in range(3):
        row = await moved(store, row, None)
    assert row.version == 3


async def test_a_step_may_keep_the_version(store: Store) -> None:
    """Votes and reminders change a game without making anybody's buttons stale."""
    row = await store.create(a_game(), 1)
    await store.commit(Change(replace(row, votes=(1,), touched=1), row.version, 2))
    await store.commit(Change(replace(row, votes=(1, 2), touched=2), row.version, 3))
    read = not_none(await store.game(row.id))
    assert (read.version, read.votes) == (0, (1, 2))


async def test_of_two_steps_at_once_one_wins(store: Store, reopen: Open) -> None:
    """Within one store, and between two on the same data."""
    other = await reopen()
    row = await store.create(a_game(), 1)
    for number in range(10):
        results = await asyncio.gather(
            moved(store, row, 100 + 2 * number), moved(other, row, 101 + 2 * number), return_exceptions=True
        )
        assert sorted(isinstance(result, Conflict) for result in results) == [False, True]
        row = next(result for result in results if isinstance(result, GameRow))
        assert await store.game(row.id) == await other.game(row.id) == row
    assert len(await store.moves(row.id)) == 10


async def test_many_games_move_at_once(store: Store, reopen: Open) -> None:
    rows = await asyncio.gather(*(store.create(a_game(channel), channel) for channel in range(1, 151)))
    assert len({row.id for row in rows}) == 150
    rows = await asyncio.gather(*(moved(store, row, 1000 + row.channel_id) for row in rows))
    await store.close()
    again = await reopen()
    assert [await again.game(row.id) for row in rows] == rows


async def test_games_are_counted_by_their_game_and_phase(store: Store) -> None:
    assert await store.active_counts() == {}
    lobby, other, live = [await store.create(a_game(channel), channel) for channel in (1, 2, 3)]
    await moved(store, live, 10)
    assert await store.active_counts() == {("tutto", LOBBY): 2, ("tutto", LIVE): 1}
    for row in (lobby, other):
        await store.commit(Change(after(row, status=ABORTED), row.version))
    assert await store.active_counts() == {("tutto", LIVE): 1}


# What the channels show.


async def test_what_is_shown_is_kept_beside_the_steps(store: Store) -> None:
    row = await store.create(a_game(), 1)
    assert await store.games_to_repaint() == (row.id,)
    shown = replace(row, message_id=(1 << 62) + 1, posted_at=5.5, shown_version=0, shown_turn=3)
    await store.mark_shown(shown, urgent=True)
    assert await store.game(row.id) == shown
    assert await store.games_to_repaint() == ()
    row = await moved(store, shown, 2)
    assert await store.game(row.id) == row  # a step doesn't touch it
    assert await store.games_to_repaint() == (row.id,)


async def test_an_older_paint_never_overwrites_a_newer_one(store: Store) -> None:
    row = await store.create(a_game(), 1)
    await store.mark_shown(replace(row, message_id=2, shown_version=5), urgent=True)
    await store.mark_shown(replace(row, message_id=1, shown_version=4), urgent=True)
    read = not_none(await store.game(row.id))
    assert (read.message_id, read.shown_version) == (2, 5)
    await store.mark_shown(replace(row, message_id=3, shown_version=5), urgent=True)  # brought to the bottom
    read = not_none(await store.game(row.id))
    assert read.message_id == 3


async def test_what_a_brisk_game_shows_is_noted_once_in_a_while(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the latest is noted, and an urgent note is not overwritten by an older one."""
    monkeypatch.setattr(SqlAccess, "lazy_seconds", 0.05)
    noted: list[int] = []
    real = games._write_shown

    async def write(rows: Sequence[GameRow], connection: Connection) -> None:
        noted.extend(row.shown_version for row in rows)
        await real(rows, connection)

    monkeypatch.setattr(games, "_write_shown", write)
    row = await store.create(a_game(), 1)
    for version in range(8):
        await store.mark_shown(replace(row, message_id=1, shown_version=version), urgent=False)
    await store.mark_shown(replace(row, message_id=2, shown_version=8), urgent=True)
    assert noted == [8]
    for version in (9, 10, 11):
        await store.mark_shown(replace(row, message_id=2, shown_version=version), urgent=False)
    await asyncio.sleep(0.3)
    read = not_none(await store.game(row.id))
    assert (read.message_id, read.shown_version, noted) == (2, 11, [8, 11])


async def test_what_open_games_show_can_be_forgotten(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also what is still to be written; games that have ended stay as they are."""
    monkeypatch.setattr(SqlAccess, "lazy_seconds", 0.1)
    rows = [await store.create(a_game(channel), channel) for channel in (100, 200, 300)]
    closed = after(rows[2], status=ABORTED)
    await store.commit(Change(closed, rows[2].version))
    for row, urgent in ((closed, True), (rows[0], True), (rows[1], False)):
        await store.mark_shown(replace(row, message_id=1, shown_version=row.version), urgent=urgent)
    await store.forget_shown()
    await asyncio.sleep(0.3)
    assert await store.games_to_repaint() == (rows[0].id, rows[1].id)


@pytest.mark.parametrize("urgent", [False, True])
async def test_the_latest_note_of_what_is_shown_counts_and_is_written_before_the_end(
    store: Store, reopen: Open, monkeypatch: pytest.MonkeyPatch, urgent: bool
) -> None:
    """Even for the same version: the table was posted again below, and the old message is gone."""
    monkeypatch.setattr(SqlAccess, "lazy_seconds", 3600)
    row = await store.create(a_game(), 1)
    await store.mark_shown(replace(row, message_id=1, shown_version=0), urgent=False)
    await store.mark_shown(replace(row, message_id=2, shown_version=0), urgent=urgent)
    await store.close()
    read = not_none(await (await reopen()).game(row.id))
    assert read.message_id == 2


async def test_a_put_off_write_that_fails_is_logged_and_disturbs_no_other(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(rows: Sequence[int], connection: Connection) -> None:
        raise LookupError(f"no place for {rows}")

    assert isinstance(store, SqlAccess)
    await store.create(a_game(1, 1), None)
    for number in (1, 2):
        store.write_later(broken, number, number)
    await store.note_member(10, 1, "Ann")
    await store.write_postponed()
    assert caplog.messages == ["A postponed write has failed: no place for [1, 2]"]
    assert not_none(await store.member(10, 1)).name == "Ann"


async def test_a_name_that_was_put_off_does_not_come_back(store: Store) -> None:
    """Neither after its person's data was deleted, nor does it say that somebody is there who has left."""
    await store.note_member(10, 1, "Ann")
    await store.erase(1)
    await store.create(a_game(1, 2), None)
    await store.create(a_game(2, 2, guild_id=11), None)
    for _ in range(2):
        await store.note_member(10, 2, "Ben")
        await store.set_present(10, {2: False}, 5.0)
    await store.note_member(11, 2, "Ben")
    await store.purge(11)
    assert isinstance(store, SqlAccess)
    await store.write_postponed()
    assert await store.member(10, 1) is None
    assert not not_none(await store.member(10, 2)).present
    assert await store.member(11, 2) is None


# What is to be done.


async def test_waiting_ais_are_found(store: Store) -> None:
    rows = [await store.create(a_game(channel, ai_to_move=channel % 2 == 0), channel) for channel in range(6)]
    waiting = [row.id for row in rows if row.ai_to_move]
    assert await store.waiting_for_ai() == tuple(waiting)
    first = next(row for row in rows if row.ai_to_move)
    await moved(store, first, 99, ai_to_move=False)
    assert await store.waiting_for_ai() == tuple(waiting[1:])


async def test_deadlines_come_in_their_order(store: Store) -> None:
    assert await store.next_deadline(0.0) is None
    assert await store.due(1e12) == ()
    times = [30.0, 10.0, None, 20.0, 10.0]
    rows = [await store.create(a_game(100 + n, deadline=at), n) for n, at in enumerate(times)]
    ids = [row.id for row in rows]
    assert await store.next_deadline(0.0) == 10.0
    assert await store.next_deadline(10.0) == 20.0
    assert await store.next_deadline(30.0) is None
    assert await store.due(9.999) == ()
    assert await store.due(10.0) == (ids[1], ids[4])
    assert await store.due(1e12) == (ids[1], ids[4], ids[3], ids[0])
    assert await store.due(1e12, 2) == (ids[1], ids[4])
    await store.commit(Change(after(rows[1], deadline=None), 0))
    assert await store.due(15.0) == (ids[4],)


async def test_notes_are_kept_by_key(store: Store, reopen: Open) -> None:
    assert await store.meta("a") is None
    await store.set_meta("a", "1")
    await store.set_meta("a", "2 \u2603")
    await store.close()
    again = await reopen()
    assert (await again.meta("a"), await again.meta("b")) == ("2 \u2603", None)


# Callers that go away, and closing.


async def test_a_cancelled_caller_leaves_a_whole_step_or_none(store: Store) -> None:
    """Whenever a caller stops waiting, the store goes on, and what it wrote is complete."""
    rng = random.Random(7)
    rows = [await store.create(a_game(channel), channel) for channel in range(1, 9)]
    for round_ in range(40):
        tasks = [asyncio.create_task(moved(store, row, 1000 * (round_ + 1) + row.channel_id)) for row in rows]
        for _ in range(rng.randrange(6)):
            await asyncio.sleep(0)
        for task in tasks:
            if rng.random() < 0.6:
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await store.set_meta("round", str(round_))  # all that was under way is through now
        for place, row in enumerate(rows):
            read = not_none(await store.game(row.id))
            moves = await store.moves(row.id)
            assert read.version == len(moves)
            assert read.version in (row.version, row.version + 1)
            rows[place] = read


async def test_closing_finishes_what_is_under_way(store: Store, reopen: Open) -> None:
    rows = [await store.create(a_game(channel), channel) for channel in range(1, 9)]
    tasks = [asyncio.create_task(moved(store, row, 100 + row.channel_id)) for row in rows]
    await asyncio.sleep(0)
    await store.close()
    done = await asyncio.gather(*tasks)
    again = await reopen()
    assert [await again.game(row.id) for row in rows] == done


async def test_a_closed_store_refuses_to_write(store: Store) -> None:
    await store.close()
    with pytest.raises(RuntimeError, match="closed"):
        await store.create(a_game(), 1)
    await store.mark_shown(a_game(id=1), urgent=False)  # nobody waits for it, so nobody is told


# SQLite.


@pytest.fixture
async def sqlite(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = await SqliteStore.open(tmp_path / "games.db")
    yield store
    await store.close()


async def statements_of(store: SqliteStore, kind: str) -> Callable[[], int]:
    """Counts the statements of a kind that the writing connection runs from now on."""
    seen: list[str] = []
    await store._thread.call(lambda connection: connection.set_trace_callback(seen.append))
    return lambda: sum(text.strip().upper().startswith(kind) for text in seen)


async def pragma(store: SqliteStore, name: str) -> Any:
    """Read or set a PRAGMA of the writing connection."""
    return (await store._thread.call(lambda connection: connection.execute(f"PRAGMA {name}").fetchone()))[0]


async def test_steps_that_wait_together_share_a_commit(sqlite: SqliteStore) -> None:
    rows = await asyncio.gather(*(sqlite.create(a_game(channel), channel) for channel in range(1, 61)))
    commits = await statements_of(sqlite, "COMMIT")
    await asyncio.gather(*(moved(sqlite, row, 100 + row.channel_id) for row in rows))
    assert 1 <= commits() <= 5


@pytest.mark.parametrize("alone", [True, False])
async def test_a_job_that_fails_is_undone_and_the_others_are_not(sqlite: SqliteStore, alone: bool) -> None:
    """Whatever the failing job wrote is undone; the others are run again, and count once."""
    runs: list[str] = []

    def broken(connection: sqlite3.Connection) -> None:
        runs.append("broken")
        connection.execute("INSERT INTO meta (key, value) VALUES ('half', '1')")
        raise LookupError("in the middle")

    def counting(connection: sqlite3.Connection) -> None:
        runs.append("run")
        connection.execute("INSERT INTO meta (key, value) VALUES ('a', '1')")

    jobs = [broken] if alone else [counting, broken]
    results = await asyncio.gather(*(sqlite._writer.run(job) for job in jobs), return_exceptions=True)
    assert isinstance(results[-1], LookupError)
    assert await sqlite.meta("half") is None
    assert await sqlite.meta("a") == (None if alone else "1")
    assert runs == (["broken"] if alone else ["run", "broken"] * 2)


async def test_jobs_of_one_moment_share_a_transaction(
    sqlite: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    real = writing.transaction

    def transaction(connection: Any, jobs: Any) -> Any:
        sizes.append(len(jobs))
        return real(connection, jobs)

    monkeypatch.setattr(writing, "transaction", transaction)
    await asyncio.gather(*(sqlite.set_meta(str(number), "1") for number in range(writing.MAX_JOBS + 10)))
    assert sizes == [writing.MAX_JOBS, 10]


async def test_a_connection_closed_by_others_is_told(sqlite: SqliteStore) -> None:
    await sqlite._thread.close()
    with pytest.raises(ValueError, match="no active connection"):
        await asyncio.wait_for(sqlite.set_meta("a", "1"), 5)
    await asyncio.wait_for(sqlite.close(), 5)


async def test_a_commit_that_fails_fails_for_all_and_writes_nothing(sqlite: SqliteStore) -> None:
    """A foreign key that is checked only at the end makes the COMMIT itself fail."""

    def late_failure(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA defer_foreign_keys = ON")
        connection.execute(
            "INSERT INTO moves (game_id, number, seat, action, chance, at) VALUES (999, 1, 0, '', '', 0)"
        )

    row = await sqlite.create(a_game(), 1)
    results = await asyncio.gather(
        moved(sqlite, row, 2),
        sqlite._writer.run(late_failure),
        sqlite.set_meta("a", "1"),
        return_exceptions=True,
    )
    failed = [isinstance(result, sqlite3.IntegrityError) for result in results]
    assert failed[1]
    assert (await sqlite.game(row.id) == row) == failed[0]
    assert (await sqlite.meta("a") is None) == failed[2]
    await moved(sqlite, row if failed[0] else after(row), 3)


async def test_a_full_disk_is_told_and_survived(sqlite: SqliteStore) -> None:
    """SQLite then rolls the whole transaction back by itself; no caller is told that its step was written."""
    rows = [await sqlite.create(a_game(channel), channel) for channel in range(1, 6)]
    pages = await pragma(sqlite, "page_count")
    await pragma(sqlite, f"max_page_count = {pages}")
    large = Change(after(rows[2], lines=(Line(0, (Say("x" * 200_000),)),)), 0, 102)
    steps = [moved(sqlite, row, 100 + number) for number, row in enumerate(rows)]
    steps[2].close()
    results = await asyncio.gather(*steps[:2], sqlite.commit(large), *steps[3:], return_exceptions=True)
    assert isinstance(results[2], sqlite3.OperationalError)
    for row, result in zip(rows, results, strict=True):
        assert await sqlite.game(row.id) == (row if isinstance(result, BaseException) else result)
    await pragma(sqlite, "max_page_count = 1000000")
    for number, row in enumerate(rows):
        read = not_none(await sqlite.game(row.id))
        await moved(sqlite, read, 200 + number)


async def test_a_database_locked_for_too_long_is_told_and_survived(
    sqlite: SqliteStore, tmp_path: Path
) -> None:
    row = await sqlite.create(a_game(), 1)
    await pragma(sqlite, "busy_timeout = 30")
    other = sqlite3.connect(tmp_path / "games.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    results = await asyncio.gather(moved(sqlite, row, 2), sqlite.set_meta("a", ""), return_exceptions=True)
    assert all(isinstance(result, sqlite3.OperationalError) for result in results)
    other.execute("COMMIT")
    other.close()
    await moved(sqlite, row, 2)


async def test_moves_go_on_during_a_backup_and_a_long_read(sqlite: SqliteStore, tmp_path: Path) -> None:
    rows = await asyncio.gather(*(sqlite.create(a_game(channel), channel) for channel in range(1, 51)))
    reader = sqlite3.connect(tmp_path / "games.db", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM games").fetchone()

    def backup() -> None:
        with opened(tmp_path / "games.db") as source, opened(tmp_path / "backup.db") as target:
            source.backup(target, pages=5, sleep=0.001)

    copying = asyncio.to_thread(backup)
    number = iter(range(1000, 10_000))
    for _ in range(4):
        rows = await asyncio.gather(*(moved(sqlite, row, next(number)) for row in rows))
    await copying
    reader.close()
    assert {row.version for row in rows} == {4}
    with opened(tmp_path / "backup.db") as copy:
        assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


async def test_the_connection_is_set_up_for_safety(sqlite: SqliteStore) -> None:
    assert await pragma(sqlite, "journal_mode") == "wal"
    assert await pragma(sqlite, "synchronous") == 2  # FULL
    assert await pragma(sqlite, "foreign_keys") == 1
    assert await pragma(sqlite, "busy_timeout") >= 1000
    assert await pragma(sqlite, "secure_delete") == 1
    assert await pragma(sqlite, "cache_size") == -CACHE_KIB
    assert await pragma(sqlite, "temp_store") == 2  # MEMORY


async def test_a_note_that_was_put_off_leaves_no_timer(sqlite: SqliteStore) -> None:
    row = await sqlite.create(a_game(), 1)
    await sqlite.mark_shown(replace(row, message_id=1, shown_version=0), urgent=False)
    timer = not_none(sqlite._timer)
    await sqlite.close()
    assert timer.cancelled()


async def test_a_file_that_was_replaced_is_not_written(sqlite: SqliteStore, tmp_path: Path) -> None:
    """SQLite itself would go on writing to the old file, which is lost."""
    await sqlite.set_meta("a", "1")
    path = tmp_path / "games.db"
    path.rename(tmp_path / "old.db")
    for _ in range(2):
        with pytest.raises(sqlite3.OperationalError, match="is no longer the database"):
            await sqlite.set_meta("a", "2")
        # It can still be read, and a health check must not take that for health.
        with pytest.raises(ReadOnly, match="put it back, or start again"):
            await sqlite.ping()
        path.touch()
    path.unlink()
    (tmp_path / "old.db").rename(path)
    await sqlite.ping()
    await sqlite.set_meta("b", "3")
    assert (await sqlite.meta("a"), await sqlite.meta("b")) == ("1", "3")


async def test_what_refuses_a_game_for_another_reason_is_told(sqlite: SqliteStore) -> None:
    with pytest.raises(sqlite3.IntegrityError, match=r"games\.locale"):
        await sqlite.create(replace(a_game(), locale=None), 1)  # type: ignore[arg-type]
    assert await sqlite.latest_game(100) is None


async def test_a_job_that_waits_for_anything_else_is_refused(sqlite: SqliteStore) -> None:
    async def waiting(connection: Connection) -> None:
        await connection.execute("set_meta", key="a", value="1")
        await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="has waited for something else"):
        await sqlite.write(waiting)
    assert await sqlite.meta("a") is None


async def test_a_store_that_cannot_read_leaves_no_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("no more files")

    monkeypatch.setattr("bot.store.sqlite.store.aiosqlite.Connection", broken)
    before = set(threading.enumerate())
    with pytest.raises(Unusable, match="no more files"):
        await SqliteStore.open(tmp_path / "games.db")
    new = set(threading.enumerate()) - before
    await until(lambda: not any(one.is_alive() for one in new if one.name == "database-writer"))


@pytest.mark.parametrize("note", [(REQUESTED, "1"), (MODELS, '{"tutto":"another"}')])
async def test_sums_are_recounted_if_a_migration_or_another_model_asks_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, note: tuple[str, str]
) -> None:
    # The first start counts what migrations make of an empty database.
    await (await SqliteStore.open(tmp_path / "games.db")).close()
    asked: list[str] = []
    monkeypatch.setattr("bot.store.sqlite.rebuild.rebuild", lambda connection, now: asked.append("anew"))
    store = await SqliteStore.open(tmp_path / "games.db")
    assert asked == []
    await store.set_meta(*note)
    await store.close()
    await (await SqliteStore.open(tmp_path / "games.db")).close()
    assert asked == ["anew"]


async def test_an_idle_store_has_no_task_and_no_timer(sqlite: SqliteStore) -> None:
    row = await sqlite.create(a_game(), 1)
    await moved(sqlite, row, 2)
    await asyncio.sleep(0)
    assert [task for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []
    assert sqlite._timer is None


async def test_closing_ends_the_threads(tmp_path: Path) -> None:
    """A thread that is left over would keep the process from exiting."""
    before = threading.active_count()
    store = await SqliteStore.open(tmp_path / "games.db")
    await store.set_meta("a", "1")
    await store.close()
    await store.close()
    await until(lambda: sum(not one.name.startswith("asyncio_") for one in threading.enumerate()) <= before)


@pytest.mark.parametrize("what", ["folder", "garbage", "folder is a file"])
async def test_an_invalid_database_is_refused_with_its_name(tmp_path: Path, what: str) -> None:
    path = tmp_path / "games.db"
    if what == "folder":
        path.mkdir()
    elif what == "garbage":
        path.write_bytes(b"this is no database" * 200)
    else:
        path.write_bytes(b"")
        path = path / "games.db"
    with pytest.raises(Unusable, match=r"games\.db"):
        await SqliteStore.open(path)


async def test_folders_are_made_as_needed(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "a" / "b" / "games.db")
    await store.close()
    assert (tmp_path / "a" / "b" / "games.db").exists()


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
async def test_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    """Whatever the umask; a folder that was there before keeps what it had if something else is in it."""
    old = os.umask(0)
    try:
        folder = tmp_path / "made" / "here"
        store = await SqliteStore.open(folder / "games.db")
        await store.create(a_game(), 1)
        lock = take(folder / "games.db")
        (there := tmp_path / "there").mkdir(0o755)
        (there / "letter.txt").touch()
        other = await SqliteStore.open(there / "games.db")
    finally:
        os.umask(old)
    modes = {one.name: one.stat().st_mode & 0o777 for one in folder.iterdir()}
    lock.release()
    await store.close()
    await other.close()
    assert modes.keys() == {"games.db", "games.db-wal", "games.db-shm", "games.db.lock"}
    assert set(modes.values()) == {0o600}
    assert folder.stat().st_mode & 0o777 == 0o700
    assert there.stat().st_mode & 0o777 == 0o755


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
async def test_a_file_made_where_a_link_leads_is_for_its_owner_alone(tmp_path: Path) -> None:
    (tmp_path / "games.db").symlink_to(tmp_path / "disk.db")
    await (await SqliteStore.open(tmp_path / "games.db")).close()
    assert (tmp_path / "disk.db").stat().st_mode & 0o777 == 0o600


async def test_a_file_that_can_not_be_written_is_noticed_before_the_first_click(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await (await SqliteStore.open(tmp_path / "games.db")).close()
    connect: Callable[..., sqlite3.Connection] = sqlite3.connect
    monkeypatch.setattr(
        sqlite3, "connect", lambda path, **more: connect(f"file:{path}?mode=ro", uri=True, **more)
    )
    with pytest.raises(Unusable, match="readonly"):
        await SqliteStore.open(tmp_path / "games.db")


async def test_opening_again_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "games.db"

    def schema() -> list[Any]:
        with opened(path) as connection:
            return list(connection.execute("SELECT * FROM sqlite_master ORDER BY name"))

    await (await SqliteStore.open(path)).close()
    first = schema()
    for _ in range(2):
        await (await SqliteStore.open(path)).close()
    assert schema() == first


# Migrations.


@pytest.fixture
def database(tmp_path: Path) -> Any:
    with opened(tmp_path / "some.db") as connection:
        yield connection


def a_folder(tmp_path: Path, *scripts: str) -> Path:
    """A folder with these migrations in place of any that were in it."""
    folder = tmp_path / "migrations"
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for number, script in enumerate(scripts, 1):
        (folder / f"{number:04}_step.sql").write_text(script, encoding="utf-8")
    return folder


ONE = "CREATE TABLE meta (key PRIMARY KEY, value);\nCREATE TABLE one (a);\nINSERT INTO one VALUES (1);\n"
TWO = "-- Two ; with a comment\nALTER TABLE one ADD COLUMN b;\nUPDATE one SET b = a + 1;\n"
THREE = (
    "CREATE TABLE three (a);\n"
    "CREATE TRIGGER t AFTER INSERT ON three BEGIN\n  UPDATE one SET b = 0;\n  DELETE FROM three;\nEND;\n"
    "INSERT INTO one VALUES ('semi; colon', 'x');\n"
)


def version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def test_the_projects_migrations_are_numbered_without_a_gap() -> None:
    steps = migrations()
    assert [number for number, _ in steps] == list(range(1, len(steps) + 1))
    assert all(path.parent == FOLDER for _, path in steps)


def test_three_steps_from_nothing_and_from_each_version(tmp_path: Path) -> None:
    ends = []
    for start in range(4):
        connection = sqlite3.connect(tmp_path / f"{start}.db", isolation_level=None)
        for known in (start, 3):
            assert migrate(connection, a_folder(tmp_path, *(ONE, TWO, THREE)[:known])) == known
            assert version(connection) == known
        ends.append(
            (
                connection.execute("SELECT * FROM one").fetchall(),
                list(connection.iterdump()),
                version(connection),
            )
        )
        connection.close()
        # Only an old database that is changed is copied.
        assert len(list(tmp_path.glob(f"{start}.db.*.schema-*"))) == int(start in (1, 2))
    assert ends == [ends[0]] * 4
    assert ends[0][0] == [(1, 2), ("semi; colon", "x")]


def test_steps_that_another_process_takes_first_are_left_out(
    tmp_path: Path, database: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(database, a_folder(tmp_path, ONE))

    def overtaken(connection: sqlite3.Connection, version: int) -> None:
        monkeypatch.undo()
        with contextlib.closing(sqlite3.connect(tmp_path / "some.db", isolation_level=None)) as other:
            migrate(other, a_folder(tmp_path, ONE, TWO))
        a_folder(tmp_path, ONE, TWO, THREE)

    monkeypatch.setattr(migrating, "copy_before_migration", overtaken)
    assert migrate(database, a_folder(tmp_path, ONE, TWO, THREE)) == 3
    assert version(database) == 3
    assert database.execute("SELECT * FROM one").fetchall() == [(1, 2), ("semi; colon", "x")]


def test_a_migration_that_fails_half_way_is_undone_and_can_be_tried_again(
    tmp_path: Path, database: sqlite3.Connection
) -> None:
    broken = "CREATE TABLE half (a);\nINSERT INTO half VALUES (1);\nUPDATE nowhere SET a = 1;\n"
    with pytest.raises(sqlite3.OperationalError, match="nowhere"):
        migrate(database, a_folder(tmp_path, ONE, broken, THREE))
    assert version(database) == 1  # the step before it is kept
    tables = {name for (name,) in database.execute("SELECT tbl_name FROM sqlite_master")}
    assert tables == {"meta", "one"}
    assert not database.in_transaction
    assert migrate(database, a_folder(tmp_path, ONE, TWO, THREE)) == 3


@pytest.mark.parametrize("script", ["CREATE TABLE a (b)", "CREATE TABLE a (b);\nSELECT 'open"])
def test_a_migration_that_ends_in_mid_statement_is_noticed(
    tmp_path: Path, database: sqlite3.Connection, script: str
) -> None:
    with pytest.raises(AssertionError, match="mid-statement"):
        migrate(database, a_folder(tmp_path, script))
    assert version(database) == 0
    assert database.execute("SELECT * FROM sqlite_master").fetchall() == []


def test_a_missing_migration_is_noticed(tmp_path: Path, database: sqlite3.Connection) -> None:
    folder = a_folder(tmp_path, ONE, TWO, THREE)
    (folder / "0002_step.sql").unlink()
    with pytest.raises(AssertionError, match="missing"):
        migrate(database, folder)


def test_a_newer_schema_is_refused(tmp_path: Path, database: sqlite3.Connection) -> None:
    migrate(database, a_folder(tmp_path, ONE, TWO, THREE))
    before = list(database.iterdump())
    with pytest.raises(Unusable, match=r"schema 3.*up to 2"):
        migrate(database, a_folder(tmp_path, ONE, TWO))
    assert list(database.iterdump()) == before


def test_statements_are_told_apart() -> None:
    found = list(statements(THREE))
    assert len(found) == 3
    assert "END;" in found[1]


def test_two_that_start_at_once_migrate_once(tmp_path: Path) -> None:
    folder = a_folder(tmp_path, ONE, TWO, THREE)
    failures: list[BaseException] = []
    barrier = threading.Barrier(4)

    def start() -> None:
        connection = sqlite3.connect(tmp_path / "both.db", timeout=10, isolation_level=None)
        barrier.wait(10)
        try:
            migrate(connection, folder)
        except BaseException as error:
            failures.append(error)
        connection.close()

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()
    assert failures == []
    with opened(tmp_path / "both.db") as connection:
        assert connection.execute("SELECT count(*) FROM one").fetchone() == (2,)


def test_the_logger_says_nothing_while_all_is_well(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    caplog.set_level(logging.WARNING)

    async def use() -> None:
        store = await SqliteStore.open(tmp_path / "games.db")
        row = await store.create(a_game(status=LOBBY), 1)
        await moved(store, row, 2)
        await store.close()

    asyncio.run(use())
    assert caplog.records == []
