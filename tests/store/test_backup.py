"""Backups of the database: complete, checked, without disturbing games, and carefully restored."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from bot import __main__ as program
from bot.games.values import replace
from bot.store import backup
from bot.store.backup import IDS_SKIPPED, MAX_COPIES, back_up, check, put_back
from bot.store.base import FINISHED, LIVE, Change, GameRow, Unusable
from bot.store.people import TO_ERASE
from bot.store.schema import FOLDER, migrations
from bot.store.sqlite import migrate
from bot.store.sqlite.store import SqliteStore
from tests.store.test_store import moved
from tests.store.upgrade.test_upgrade import a_file
from tests.support.databases import rebuilt, store_on
from tests.support.rows import a_game, a_move, a_result
from tests.support.values import not_none

NEWEST = len(migrations())

OLD, ANNA, BEN, LATE = 5, 11, 12, 13
SEATED = {101: (ANNA, BEN), 102: (BEN, ANNA, 14), 103: (OLD, 14, 15), 104: (14, 15)}
"""Who has a seat in which channel's game."""


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "data" / "games.db"


async def filled(database: Path, games: int = 3) -> list[GameRow]:
    """A database with games of one move each."""
    async with store_on(database) as store:
        rows = [await store.create(a_game(100 + number), None) for number in range(games)]
        return [await moved(store, row) for row in rows]


def rows(database: Path, query: str, *values: Any) -> list[tuple[Any, ...]]:
    with contextlib.closing(sqlite3.connect(database)) as connection:
        found = connection.execute(query, values).fetchall()
        connection.commit()
        return found


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def inode(path: Path) -> int:
    return path.stat().st_ino


def copies(folder: Path) -> list[Path]:
    """Those made before migrations, oldest first."""
    return sorted(folder.glob("games.db.*.schema-*"))


def content(path: Path) -> bytes:
    return path.read_bytes()


def remove(path: Path) -> None:
    path.unlink()


def write(path: Path, data: bytes) -> None:
    path.write_bytes(data)


# ---------------------------------------------------------------------- backup


async def test_a_backup_under_two_hundred_parallel_moves(database: Path, tmp_path: Path) -> None:
    """No move waits for it or fails, and each copy has whole steps only: all that were committed by then."""
    async with store_on(database) as store:
        games = [await store.create(a_game(1000 + number), None) for number in range(200)]
        interactions = iter(range(1, 10**6))
        stop = threading.Event()
        made: list[tuple[Path, int]] = []
        finished = 0  # moves that were acknowledged

        def copy_again_and_again() -> None:
            while not stop.is_set():
                before, target = finished, tmp_path / f"copy-{len(made)}.db"
                back_up(database, target)
                made.append((target, before))

        async def play(row: GameRow, moves: int) -> None:
            nonlocal finished
            for _ in range(moves):
                row = await moved(store, row, next(interactions))
                finished += 1

        copying = asyncio.create_task(asyncio.to_thread(copy_again_and_again))
        try:
            while len(made) < 3:
                await asyncio.gather(*(play(row, 3) for row in games))
                games = [await store.game(row.id) or row for row in games]
        finally:
            stop.set()
            await copying
        assert finished >= 600
    counts = []
    for target, before in made:
        assert check(target).games == 200
        # A step is a new version, a move and an interaction, or nothing.
        ((torn,),) = rows(
            target,
            "SELECT count(*) FROM games "
            "WHERE version <> (SELECT count(*) FROM moves WHERE game_id = games.id)",
        )
        ((moves, seen),) = rows(target, "SELECT (SELECT count(*) FROM moves), count(*) FROM interactions")
        assert torn == 0
        assert seen == moves
        assert moves >= before
        counts.append(moves)
    assert counts == sorted(counts)
    assert len(set(counts)) > 1, "they were made while nothing happened"


async def test_a_backup_is_one_file_for_its_owner(database: Path, tmp_path: Path) -> None:
    await filled(database)
    target = tmp_path / "backups" / "one.db"
    target.parent.mkdir()
    contents = back_up(database, target)
    assert (contents.schema, contents.games) == (NEWEST, 3)
    assert files(target.parent) == {"one.db"}
    assert target.stat().st_mode & 0o777 == 0o600
    assert rows(target, "PRAGMA journal_mode") == [("delete",)]


async def test_a_backup_holds_what_is_only_in_the_log_yet(database: Path, tmp_path: Path) -> None:
    async with store_on(database) as store:
        await moved(store, await store.create(a_game(), None))
        assert database.with_name("games.db-wal").stat().st_size > 0
        back_up(database, tmp_path / "one.db")
    assert rows(tmp_path / "one.db", "SELECT version FROM games") == [(1,)]


async def test_what_exists_is_not_overwritten(database: Path, tmp_path: Path) -> None:
    await filled(database)
    target = tmp_path / "one.db"
    target.write_text("somebody's")
    with pytest.raises(FileExistsError):
        back_up(database, target)
    target.unlink()
    target.symlink_to(tmp_path / "nowhere")
    with pytest.raises(FileExistsError):
        back_up(database, target)
    assert not (tmp_path / "nowhere").exists()


async def test_what_appears_meanwhile_is_not_overwritten(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await filled(database)
    target = tmp_path / "backups" / "one.db"
    target.parent.mkdir()
    original = backup.check

    def slow(path: Path, copied: Path) -> backup.Contents:
        target.write_text("somebody's")
        return original(path, copied)

    monkeypatch.setattr(backup, "check", slow)
    with pytest.raises(FileExistsError):
        back_up(database, target)
    assert target.read_text() == "somebody's"
    assert files(target.parent) == {"one.db"}


@pytest.mark.parametrize("links", [True, False])
async def test_it_works_where_there_are_no_hard_links(
    links: bool, database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await filled(database)
    if not links:

        def refuse(*_: Any) -> None:
            raise PermissionError("not supported")

        monkeypatch.setattr(os, "link", refuse)
    back_up(database, tmp_path / "one.db")
    put_back(tmp_path / "one.db", database)
    assert check(database).games == 3
    assert len([name for name in files(database.parent) if name.endswith(".replaced")]) == 1


async def test_a_damaged_copy_never_appears(database: Path, tmp_path: Path) -> None:
    """Damage in the middle of a page, which SQLite copies without an error."""
    await filled(database, 200)
    with database.open("r+b") as file:
        file.seek(4096 * 3)
        file.write(b"\xa5" * 4096 * 4)
    target = tmp_path / "backups" / "one.db"
    target.parent.mkdir()
    with pytest.raises(Unusable, match=r"^[^\n]*/games\.db (is damaged|can't be read)[^\n]*$"):
        back_up(database, target)
    assert files(target.parent) == set()


def test_no_database_is_no_backup(database: Path, tmp_path: Path) -> None:
    with pytest.raises(Unusable, match="no database"):
        back_up(database, tmp_path / "one.db")
    assert files(tmp_path) == set()


async def test_a_folder_that_is_missing_is_named(database: Path, tmp_path: Path) -> None:
    await filled(database)
    with pytest.raises(Unusable, match=r"no folder .*backups: make it first"):
        back_up(database, tmp_path / "backups" / "one.db")


# ---------------------------------------------------------------------- restore


async def test_back_to_the_backup_with_the_other_kept(database: Path, tmp_path: Path) -> None:
    games = await filled(database)
    back_up(database, tmp_path / "one.db")
    store = await SqliteStore.open(database)
    later = await store.create(a_game(900), None)
    await moved(store, games[0])
    await store.close()

    contents, replaced, _ = put_back(tmp_path / "one.db", database)
    assert contents.games == 3
    assert replaced is not None
    assert check(replaced).games == 4
    async with store_on(database) as store:
        assert await store.game(later.id) is None
        first = not_none(await store.game(games[0].id))
        assert (first.version, first.shown_version) == (1, -1)
        # What channels show is later than this, so all running games are painted at the next start.
        assert set(await store.games_to_repaint()) == {row.id for row in games}
        # A button of the game that is lost reaches no new game.
        new = await store.create(a_game(901), None)
        assert new.id > later.id


async def finish(store: SqliteStore, row: GameRow) -> None:
    results = [a_result(seat, one.user_id, place=seat + 1) for seat, one in enumerate(row.seats)]
    over = replace(row, status=FINISHED, version=1, updated_at=2000.0)
    await store.commit(Change(over, 0, results=results))


async def test_deletions_since_a_backup_are_repeated(database: Path, tmp_path: Path) -> None:
    """Of people who have finished a game; and nobody else's data is deleted, also not from a later backup."""
    async with store_on(database) as store:
        games = [await store.create(a_game(channel, *people), None) for channel, people in SEATED.items()]
        for row in games[:3]:
            await finish(store, row)
        await store.erase(OLD)
        back_up(database, tmp_path / "one.db")
        for gone in (ANNA, BEN):
            await store.erase(gone)
        await store.create(a_game(107, ANNA), None)
        back_up(database, tmp_path / "two.db")
        await store.create(a_game(108, LATE), None)
    assert put_back(tmp_path / "one.db", database).to_erase == 2
    async with store_on(database) as store:
        assert await store.to_erase() == (ANNA, BEN)
        await store.erase(BEN)
        assert await store.to_erase() == (ANNA,)
        assert rebuilt(database, 3000.0).changed == 0
    # A backup that is newer than the deletion has it done, and has what Anna has played since she came back.
    assert put_back(tmp_path / "two.db", database).to_erase == 0
    async with store_on(database) as store:
        assert await store.to_erase() == ()
    shutil.rmtree(database.parent)
    assert put_back(tmp_path / "one.db", database).to_erase == 0


async def test_what_an_operator_wants_deleted_goes_through_all_restores(
    database: Path, tmp_path: Path
) -> None:
    await filled(database)
    back_up(database, tmp_path / "one.db")
    async with store_on(database) as store:
        await store.set_meta(f"{TO_ERASE}{ANNA}", "")
    for _ in range(3):
        assert put_back(tmp_path / "one.db", database).to_erase == 1
    async with store_on(database) as store:
        assert await store.to_erase() == (ANNA,)


async def test_a_deletion_is_repeated_also_after_a_restore_of_the_wrong_backup(
    database: Path, tmp_path: Path
) -> None:
    """Of somebody who is not yet in that backup, so that it has nothing to delete."""
    async with store_on(database) as store:
        back_up(database, tmp_path / "too old.db")
        await finish(store, await store.create(a_game(101, ANNA, BEN), None))
        back_up(database, tmp_path / "one.db")
        await store.erase(ANNA)
    assert put_back(tmp_path / "too old.db", database).to_erase == 0
    async with store_on(database):
        pass
    assert put_back(tmp_path / "one.db", database).to_erase == 1


async def test_a_backup_made_after_a_restore_has_what_was_deleted_before_that(
    database: Path, tmp_path: Path
) -> None:
    """Anna's game goes on after the restore, and she plays it to its end."""
    async with store_on(database) as store:
        game = await store.create(a_game(101, ANNA, BEN), None)
        back_up(database, tmp_path / "one.db")
        await finish(store, game)
        await store.erase(ANNA)
    assert put_back(tmp_path / "one.db", database).to_erase == 0
    async with store_on(database) as store:
        await finish(store, game)
        back_up(database, tmp_path / "two.db")
        await store.erase(BEN)
    assert put_back(tmp_path / "two.db", database).to_erase == 1
    async with store_on(database) as store:
        assert await store.to_erase() == (BEN,)


async def test_two_restores_in_one_second_keep_both_databases(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await filled(database)
    back_up(database, tmp_path / "one.db")
    async with store_on(database) as store:
        await store.create(a_game(900), None)
    monkeypatch.setattr("bot.store.backup.time.time", lambda: 1_798_761_600.0)
    kept = [not_none(put_back(tmp_path / "one.db", database).replaced) for _ in range(3)]
    assert [path.name[9:25] for path in kept] == [f"20270101T00000{n}Z" for n in range(3)]
    assert [check(path).games for path in kept] == [4, 3, 3]


async def test_deletions_since_a_backup_of_an_early_version_are_repeated(
    database: Path, tmp_path: Path
) -> None:
    early = a_file(1, tmp_path / "early.db")
    database.parent.mkdir()
    shutil.copy(early, database)
    finished = "SELECT user_id FROM seats JOIN games ON id = game_id WHERE status = 'over'"
    (gone,) = rows(early, f"{finished} AND user_id IS NOT NULL")[0]
    async with store_on(database) as store:
        rows(database, "UPDATE games SET status = 'ended' WHERE status IN ('lobby', 'live')")
        await store.erase(gone)
    assert put_back(early, database).to_erase == 1
    async with store_on(database) as store:
        assert await store.to_erase() == (gone,)


async def test_onto_an_emptier_database_ids_go_on_after_those_of_the_backup(
    database: Path, tmp_path: Path
) -> None:
    """Also after those of games that were deleted before: their buttons still stand in channels."""
    games = await filled(database)
    store = await SqliteStore.open(database)
    await store.purge(games[0].guild_id)
    await store.close()
    back_up(database, tmp_path / "one.db")
    shutil.rmtree(database.parent)
    await (await SqliteStore.open(database)).close()
    contents, _, _ = put_back(tmp_path / "one.db", database)
    assert contents.games == 0
    async with store_on(database) as store:
        assert (await store.create(a_game(901), None)).id == games[-1].id + 1


async def test_on_another_machine_ids_are_left_out(database: Path, tmp_path: Path) -> None:
    games = await filled(database)
    back_up(database, tmp_path / "one.db")
    shutil.rmtree(database.parent)
    _, replaced, _ = put_back(tmp_path / "one.db", database)
    assert replaced is None
    async with store_on(database) as store:
        assert (await store.create(a_game(901), None)).id == games[-1].id + IDS_SKIPPED + 1


async def test_a_damaged_database_is_replaced_and_kept_with_its_log(database: Path, tmp_path: Path) -> None:
    await filled(database)
    back_up(database, tmp_path / "one.db")
    write(database, b"nothing at all" * 1000)
    database.with_name("games.db-wal").write_bytes(b"a log")
    _, replaced, to_erase = put_back(tmp_path / "one.db", database)
    assert to_erase is None
    assert replaced is not None
    assert replaced.read_bytes().startswith(b"nothing at all")
    assert replaced.with_name(f"{replaced.name}-wal").read_bytes() == b"a log"
    assert "games.db-wal" not in files(database.parent)
    assert check(database).games == 3


@pytest.mark.parametrize("what", ["missing", "text", "cut", "empty", "other", "newer", "orphans"])
async def test_restoring_an_invalid_backup_changes_nothing(what: str, database: Path, tmp_path: Path) -> None:
    await filled(database, 200)
    copy = tmp_path / "one.db"
    back_up(database, copy)
    match what:
        case "missing":
            copy.unlink()
        case "text":
            copy.write_text("These are somebody's notes and no database.\n" * 100)
        case "cut":
            os.truncate(copy, copy.stat().st_size // 2)
        case "empty":
            copy.write_bytes(b"")
        case "other":
            copy.unlink()
            rows(copy, "CREATE TABLE recipes (name TEXT)")
        case "newer":
            rows(copy, f"PRAGMA user_version = {NEWEST + 1}")
        case "orphans":
            rows(copy, "UPDATE moves SET game_id = game_id + 1000")
    before = content(database), files(database.parent)
    with pytest.raises(Unusable, match=r"one\.db"):
        put_back(copy, database)
    assert (content(database), files(database.parent)) == before


@pytest.mark.parametrize("change", ["DROP TABLE meta", "PRAGMA user_version = 0"])
async def test_what_only_resembles_a_database_of_the_bot_is_none(change: str, database: Path) -> None:
    await filled(database)
    rows(database, change)
    with pytest.raises(Unusable, match=r"games\.db is not a database of this bot"):
        check(database)


def test_the_earliest_database_of_the_bot_is_one(tmp_path: Path) -> None:
    (_, first), *_ = migrations()
    with contextlib.closing(sqlite3.connect(tmp_path / "games.db")) as connection:
        connection.executescript(f"{first.read_text()} PRAGMA user_version = 1;")
    assert check(tmp_path / "games.db").schema == 1


async def test_a_name_is_flushed_after_its_file(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A power cut can't take a backup, nor the database, away."""
    await filled(database)
    flushed: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: flushed.append(os.fstat(descriptor).st_ino))
    back_up(database, tmp_path / "one.db")
    assert flushed == [inode(tmp_path / "one.db"), inode(tmp_path)]
    flushed.clear()
    put_back(tmp_path / "one.db", database)
    assert flushed == [inode(database.parent)]


# ---------------------------------------------------------------------- before a migration


async def test_the_database_is_copied_before_it_is_brought_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database, folder = tmp_path / "games.db", tmp_path / "migrations"
    shutil.copytree(FOLDER, folder)
    await filled(database)
    assert not [name for name in files(tmp_path) if "schema" in name], "a new database needs no copy"
    # What another process that starts at the same time is just writing.
    others = [tmp_path / f"games.db.20260101T000000Z.schema-1.abc.part{end}" for end in ("", "-journal")]
    for path in others:
        path.touch()
    stamps = iter(f"2026010{number}T000000Z" for number in range(1, 9))
    monkeypatch.setattr(backup, "_stamp", lambda seconds: next(stamps))
    for number in range(NEWEST + 1, NEWEST + 6):
        (folder / f"{number:04}_more.sql").write_text(f"CREATE TABLE more_{number} (a);")
        with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as connection:
            assert migrate.migrate(connection, folder) == number
            assert migrate.migrate(connection, folder) == number  # nothing to do, so no copy
    for path in others:
        path.unlink()  # raises if it is gone
    kept = copies(tmp_path)
    assert [copy.name for copy in kept] == [
        f"games.db.2026010{number}T000000Z.schema-{NEWEST + number - 1}" for number in (3, 4, 5)
    ]
    assert len(kept) == MAX_COPIES
    for number, copy in zip((3, 4, 5), kept, strict=True):
        assert check(copy).games == 3
        assert check(copy).schema == NEWEST + number - 1


async def test_a_failed_migration_leaves_a_way_back(tmp_path: Path) -> None:
    database, folder = tmp_path / "games.db", tmp_path / "migrations"
    shutil.copytree(FOLDER, folder)
    await filled(database)
    (folder / f"{NEWEST + 1:04}_bad.sql").write_text(
        "CREATE TABLE more (a);\nINSERT INTO nowhere VALUES (1);"
    )
    with (
        contextlib.closing(sqlite3.connect(database, isolation_level=None)) as connection,
        pytest.raises(sqlite3.OperationalError),
    ):
        migrate.migrate(connection, folder)
    (copy,) = copies(tmp_path)
    # Its name says when it was made; copies with another name would never be deleted.
    assert copy in backup.files_of(database)
    assert check(copy) == check(database)
    put_back(copy, database)


async def test_an_upgrade_that_is_interrupted_again_and_again_keeps_the_way_back(tmp_path: Path) -> None:
    """Copies from the middle of an upgrade are of use to no version, and must not push out the one before."""
    database, folder = tmp_path / "games.db", tmp_path / "migrations"
    shutil.copytree(FOLDER, folder)
    await filled(database)
    bad = folder / f"{NEWEST + 3:04}_bad.sql"
    for number in (1, 2):
        (folder / f"{NEWEST + number:04}_more.sql").write_text(f"CREATE TABLE more_{number} (a);")
    write(bad, b"INSERT INTO nowhere VALUES (1);")
    for _ in range(MAX_COPIES + 1):
        with (
            contextlib.closing(sqlite3.connect(database, isolation_level=None)) as connection,
            pytest.raises(sqlite3.OperationalError),
        ):
            migrate.migrate(connection, folder)
        assert [check(copy).schema for copy in copies(tmp_path)] == [NEWEST]
    write(bad, b"CREATE TABLE more_3 (a);")
    (folder / f"{NEWEST + 4:04}_more.sql").write_text("CREATE TABLE more_4 (a);")
    with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as connection:
        assert migrate.migrate(connection, folder) == NEWEST + 4
        # The next upgrade gets a copy of its own.
        (folder / f"{NEWEST + 5:04}_more.sql").write_text("CREATE TABLE more_5 (a);")
        assert migrate.migrate(connection, folder) == NEWEST + 5
    assert [check(copy).schema for copy in copies(tmp_path)] == [NEWEST, NEWEST + 4]


async def test_without_room_for_a_copy_nothing_is_migrated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database, folder = tmp_path / "games.db", tmp_path / "migrations"
    shutil.copytree(FOLDER, folder)
    await filled(database)
    (folder / f"{NEWEST + 1:04}_more.sql").write_text("CREATE TABLE more (a);")
    os.truncate(database, 5 * 2**19)

    def full(*_: Any) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(backup, "_copy", full)
    with (
        contextlib.closing(sqlite3.connect(database, isolation_level=None)) as connection,
        pytest.raises(Unusable, match=r"make room in .* for another 3 MiB"),
    ):
        migrate.migrate(connection, folder)
    assert rows(database, "PRAGMA user_version") == [(NEWEST,)]
    assert not [name for name in files(tmp_path) if "schema" in name or name.endswith(".part")]


async def test_what_the_bot_keeps_beside_the_database_goes_after_30_days(tmp_path: Path) -> None:
    """What people delete is still in it."""
    database = tmp_path / "games.db"
    store = await SqliteStore.open(database)
    now = 1_798_761_600.0  # 2027-01-01
    part = f"games.db.20261231T000000Z.schema-4.{'0a' * 16}.part"
    old = {
        "games.db.20261201T000000Z.schema-4",
        "games.db.20261201T000000Z.replaced",
        "games.db.20261201T000000Z.replaced-wal",
        part,
        f"{part}-journal",
    }
    kept = {
        "games.db.20261203T000000Z.schema-5",
        "games.db.20261203T000000Z.replaced",
        f"games.db.{'0b' * 16}.part",
        "games.db.20261201T000000Z.mine",
        "games.db.99999999T999999Z.replaced",
        "games-2026-12-01.db",
        "other.db.20261201T000000Z.replaced",
    }
    try:
        for name in old | kept:
            (tmp_path / name).touch()
            age = 2 if name.startswith(part) else 0.5
            os.utime(tmp_path / name, (now - age * 86_400, now - age * 86_400))
        await store.tidy(now)
    finally:
        await store.close()
    assert files(tmp_path) - {"games.db"} == kept


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.parametrize("shared", [False, True])
async def test_a_start_makes_private_what_is_the_bots(database: Path, shared: bool) -> None:
    """Early versions let all users read it. A folder with other files in it stays as it is."""
    await filled(database)
    folder = database.parent
    own = [
        database,
        folder / "games.db.lock",
        folder / "games.db.20261128T010203Z.schema-4",
        folder / "games.db.20261128T010203Z.replaced-wal",
    ]
    other = folder / ("letters.txt" if shared else ".gitkeep")
    for path in (*own, other):
        path.touch()
        path.chmod(0o644)
    folder.chmod(0o755)
    store = await SqliteStore.open(database)
    await store.create(a_game(900), None)
    modes = {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}
    await store.close()
    assert modes.pop(other.name) == 0o644
    assert set(modes.values()) == {0o600}
    assert folder.stat().st_mode & 0o777 == (0o755 if shared else 0o700)


def test_a_database_in_memory_is_not_copied() -> None:
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        assert backup.copy_before_migration(connection, 1) is None


# ---------------------------------------------------------------------- the commands


async def test_the_commands_say_what_they_did(no_settings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    await filled(Path("data") / "games.db")
    assert program.main(["backup", "one.db"]) == 0
    assert "one.db: 3 games" in capsys.readouterr().out
    assert program.main(["backup", "one.db"]) == 2
    assert "exists already" in capsys.readouterr().err
    assert program.main(["restore", "one.db"]) == 0
    out = capsys.readouterr().out
    assert "data/games.db is now one.db: 3 games" in out
    assert ".replaced" in out
    assert check(Path("data") / "games.db").games == 3


async def test_who_is_to_be_erased_is_noted_also_while_a_bot_runs(
    no_settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = Path("data") / "games.db"
    assert program.main(["erase", "7"]) == 2
    assert not database.exists()
    async with store_on(database) as store:
        assert program.main(["erase", "7", "800000000000000001"]) == 0
        assert "Noted for deletion: 2." in capsys.readouterr().out
        assert await store.to_erase() == (7, 800000000000000001)
        for wrong in ("0", "-5", "Anna", str(2**63), "７"):
            with pytest.raises(SystemExit):
                program.main(["erase", wrong])
        await store.erase(7)
        assert await store.to_erase() == (800000000000000001,)
    write(database, b"nothing at all" * 1000)
    assert program.main(["erase", "7"]) == 1
    assert "can't be used" in capsys.readouterr().err


async def test_restore_is_refused_while_a_bot_runs(
    no_settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await filled(Path("data") / "games.db")
    assert program.main(["backup", "one.db"]) == 0
    before = files(Path("data")) | {"games.db.lock"}
    with FileLock(Path("data") / "games.db.lock"):
        assert program.main(["restore", "one.db"]) == 2
        assert program.main(["backup", "two.db"]) == 0
    assert "stop it first" in capsys.readouterr().err
    assert files(Path("data")) <= before


def test_what_can_not_be_done_is_a_line_and_a_code(
    no_settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program.main(["backup", "one.db"]) == 1
    assert program.main(["restore", "one.db"]) == 1
    assert program.main(["backup", "no/folder/one.db"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 3


async def test_a_step_that_waits_is_not_lost(database: Path) -> None:
    """A copy is read in one go; the bot may write meanwhile."""
    async with store_on(database) as store:
        row = await store.create(a_game(), None)
        with contextlib.closing(backup.open_to_read(database)) as reading:
            reading.execute("BEGIN")
            assert reading.execute("SELECT version FROM games").fetchone() == (0,)
            new = await moved(store, row)
            await store.commit(Change(new, 1, seats_changed=False, move=a_move(9)))
            assert reading.execute("SELECT version FROM games").fetchone() == (0,)
        assert (await store.game(row.id) or row).status == LIVE
