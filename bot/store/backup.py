"""Backup and restore: copies the database while the bot runs, and checks each copy before it is used."""

from __future__ import annotations

import glob
import logging
import os
import re
import sqlite3
import time
from calendar import timegm
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from bot.store.base import Unusable
from bot.store.files import FOLDER_MODE, make_file, make_folder, tighten
from bot.store.people import TO_ERASE
from bot.store.schema import FOLDER, Unfit, columns, migrations, unfit

MAX_COPIES = 3
"""How many copies made before migrations to keep in the database's folder."""

COPY_SECONDS = 30 * 86_400.0
"""How long to keep these copies and replaced databases: they hold what people have deleted since."""

PART_SECONDS = 86_400.0
"""How long to keep the file of a copy that was interrupted."""

IDS_SKIPPED = 10_000
"""How many ids to skip after a restore if it is unknown which ids games got after the backup."""

AGAIN = "again"
"""The value of a note that asks to delete a person's data and was left by a restore."""

KNOWN = "deletions-known"
"""The key of a note up to when a restored database knows of deletions: when the latest one was replaced."""

OTHER_NAMES = frozenset({".gitkeep", "backups"})
"""What else may be in a folder that is the database's alone."""

_SIDES = ("-wal", "-shm")
"""How the names of SQLite's files beside the database end."""

_STAMP = "%Y%m%dT%H%M%SZ"
"""The time in the name of a copy."""

_COPY = re.compile(r"\.(\d{8}T\d{6}Z)\.(?:schema-\d+|replaced(?:-wal|-shm)?)")
_PART = re.compile(r"\.(?:.+\.)?[0-9a-f]{32}\.part(?:-journal|-wal|-shm)?")
"""What follows the database's name in the names of copies, and in those of unfinished ones."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Contents:
    """A summary of an intact database."""

    schema: int
    games: int
    size: int


class Restored(NamedTuple):
    """What a restore has done."""

    contents: Contents
    replaced: Path | None
    """Where the previous database is now."""
    to_erase: int | None
    """How many people's data is to be deleted again, or None if a replaced database can't be read."""


def check(path: Path, original: Path | None = None) -> Contents:
    """Check a whole database, perhaps a copy of ``original``, without changing it.

    Raises :class:`Unusable`, which says what is wrong with the original.
    """
    name = original or path
    if not path.is_file():
        raise Unusable(f"there is no file {path}")
    try:
        with closing(open_to_read(path)) as connection:
            problems = [row[0] for row in connection.execute("PRAGMA integrity_check(3)") if row[0] != "ok"]
            if problems:
                raise Unusable(f"{name} is damaged: {' '.join(problems[0].split())}")
            if connection.execute("PRAGMA foreign_key_check").fetchone() is not None:
                raise Unusable(f"{name} is damaged: rows refer to others that are missing")
            schema = int(connection.execute("PRAGMA user_version").fetchone()[0])
            if schema < 1 or not {"games", "moves", "meta"} <= _tables(connection):
                raise Unusable(f"{name} is not a database of this bot")
            games = int(connection.execute("SELECT count(*) FROM games").fetchone()[0])
    except sqlite3.Error as error:
        raise Unusable(f"{name} can't be read: {error}") from error
    return Contents(schema, games, path.stat().st_size)


def back_up(database: Path, target: Path) -> Contents:
    """Copy a database, which may be in use, into the new file ``target``, as of one moment.

    ``target`` appears whole and checked, or not at all. Raises :class:`Unusable` or :class:`OSError`;
    :class:`FileExistsError` if there is something already.
    """
    if not database.is_file():
        raise Unusable(f"there is no database {database}")
    if not target.parent.is_dir():
        raise Unusable(f"there is no folder {target.parent}: make it first")
    _refuse_existing(target)
    with _written_aside(target) as part:
        try:
            # Opened to write, because a log that SQLite makes beside the file for reading alone would stay
            # there, perhaps as another user's.
            with closing(open_to_write(database)) as source:
                _copy(source, part)
        except sqlite3.Error as error:
            raise Unusable(f"{database} can't be copied to {target}: {error}") from error
        contents = check(part, database)
        _publish(part, target)
    return contents


def copy_before_migration(connection: sqlite3.Connection, schema: int) -> Path | None:
    """Copy the database before a migration, and delete all but the latest few of such copies.

    Return None for a database without a file. Raises :class:`Unusable` if there is no room; the caller must
    not migrate then, because there would be no way back.
    """
    database = Path(next(row[2] for row in connection.execute("PRAGMA database_list") if row[1] == "main"))
    if not database.name:
        return None
    copy = database.with_name(f"{database.name}.{_stamp(time.time())}.schema-{schema}")
    try:
        with _written_aside(copy) as part:
            _copy(connection, part)
            os.replace(part, copy)
            _flush_folder(copy.parent)
    except (OSError, sqlite3.Error) as error:
        raise Unusable(
            f"no copy of the database could be made before bringing it up to date ({error}): "
            f"make room in {database.parent} for another {_mebibytes(database)} MiB"
        ) from error
    # The stamps sort by time. The name of an unfinished copy ends in ".part".
    matching = database.parent.glob(f"{glob.escape(database.name)}.*.schema-*")
    copies = sorted(path for path in matching if path.name.rpartition("-")[2].isdecimal())
    for old in copies[:-MAX_COPIES]:
        with suppress(OSError):
            old.unlink()
    return copy


def files_of(database: Path) -> list[Path]:
    """Return the database's file, the files of SQLite and the bot beside it, and the copies the bot made."""
    database = Path(os.path.realpath(database))
    sides = {"", ".lock", ".note", ".pid", "-journal", *_SIDES}
    return [
        path
        for path in sorted(database.parent.glob(f"{glob.escape(database.name)}*"))
        if (rest := path.name.removeprefix(database.name)) in sides
        or _COPY.fullmatch(rest)
        or _PART.fullmatch(rest)
    ]


def make_private(database: Path) -> None:
    """Let only the owner use the database's files, and their folder if there is nothing else in it.

    Files of other users stay as they are; ``doctor`` names them.
    """
    files = files_of(database)
    for path in files:
        tighten(path)
    folder = Path(os.path.realpath(database)).parent
    with suppress(OSError):
        if {path.name for path in folder.iterdir()} - {path.name for path in files} <= OTHER_NAMES:
            tighten(folder, FOLDER_MODE)


def delete_old_copies(database: Path, now: float) -> None:
    """Delete the copies in the database's folder that the bot made long ago, as of ``now`` in Unix seconds.

    These are copies made before migrations, databases that were replaced, and unfinished copies; backups are
    not among them.
    """
    database = Path(os.path.realpath(database))
    for path in database.parent.glob(f"{glob.escape(database.name)}.*"):
        rest = path.name.removeprefix(database.name)
        with suppress(OSError, ValueError):
            if copy := _COPY.fullmatch(rest):
                old = now - timegm(time.strptime(copy[1], _STAMP)) > COPY_SECONDS
            else:
                old = _PART.fullmatch(rest) is not None and now - path.stat().st_mtime > PART_SECONDS
            if old:
                path.unlink()
                _log.info("%s was deleted, as it was old", path)


def put_back(backup: Path, database: Path) -> Restored:
    """Replace the database, which must not be in use.

    What people have deleted since is noted for another deletion, as far as the replaced database shows it, or
    one that was replaced before and is still there. Raises :class:`Unusable` for a backup that is damaged, or
    of a newer or an unreleased version of the bot, and then changes nothing.
    """
    contents = check(backup)
    with closing(open_to_read(backup)) as source:
        if (obstacle := unfit_file(source)) is not None:
            raise Unusable(f"{backup} {obstacle.reason}: {obstacle.remedy}")
    make_folder(database.parent)
    with _written_aside(database) as part:
        with closing(open_to_read(backup)) as source:
            _copy(source, part)
        last_id = _last_id(database)
        _prepare(part, last_id)
        stamp = _free_stamp(database)
        to_erase = _repeat_deletions(part, database, stamp)
        check(part)
        replaced = _set_aside(database, stamp, sound=last_id is not None)
        os.replace(part, database)
        _flush_folder(database.parent)
    return Restored(contents, replaced, to_erase)


def _prepare(restored: Path, last_id: int | None) -> None:
    """Make the restored database fit what has happened in Discord since the backup."""
    with closing(sqlite3.connect(restored, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        # Channels show later versions of these games, so let the next start paint them all.
        connection.execute("UPDATE games SET shown_version = -1 WHERE status IN ('lobby', 'live')")
        # Buttons of lost games must not reach new ones.
        (row,) = connection.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'games'")
        latest = row[0] + IDS_SKIPPED if last_id is None else max(row[0], last_id)
        connection.execute("DELETE FROM sqlite_sequence WHERE name = 'games'")
        connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('games', ?)", (latest,))
        connection.execute("COMMIT")


def _repeat_deletions(restored: Path, database: Path, stamp: str) -> int | None:
    """Note whose data was deleted since the backup, and that this is known up to ``stamp``.

    Return how many people that are, or None if a replaced database can't be read.
    """
    notes: dict[str, str] = {}
    all_read = True
    with closing(sqlite3.connect(restored, isolation_level=None)) as target:
        (known,) = target.execute(
            "SELECT coalesce(max(value), '') FROM meta WHERE key = ?", [KNOWN]
        ).fetchone()
        # A backup that was made after a restore has what that one has noted, or what came of it.
        sources = [path for time, path in _replaced(database).items() if time > known]
        for path in filter(Path.exists, (*sources, database)):
            try:
                with closing(open_to_read(path)) as source:
                    notes |= dict.fromkeys(_deleted(source, target), AGAIN)
                    if path == database:
                        notes |= _requested(source)
            except sqlite3.Error:
                all_read = False
        target.execute("BEGIN IMMEDIATE")
        target.executemany("INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)", sorted(notes.items()))
        target.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", [KNOWN, stamp])
        target.execute("COMMIT")
    return len(notes) if all_read else None


def _deleted(source: sqlite3.Connection, target: sqlite3.Connection) -> set[str]:
    """Return the keys of notes about people in ``target`` whose data was deleted in ``source``.

    Only a deletion takes a person's id out of a finished game.
    """
    keys: set[str] = set()
    in_both = _tables(source) & _tables(target)
    for table, number in (("seats", "seat"), ("former_seats", "number")):
        if table not in in_both:
            continue
        seats = f"FROM {table} JOIN games ON games.id = game_id WHERE status = 'over' AND user_id"
        for seat in source.execute(f"SELECT seed, game_id, {number} {seats} IS NULL"):
            found = target.execute(
                f"SELECT '{TO_ERASE}' || user_id {seats} IS NOT NULL "
                f"AND seed = ? AND game_id = ? AND {number} = ?",
                seat,
            )
            keys |= {key for (key,) in found}
    return keys


def _requested(source: sqlite3.Connection) -> dict[str, str]:
    """Return the notes of an operator about people whose data is still to be deleted.

    What an earlier restore has noted is about its own backup: in a later one it may be done, and the person
    may have come back.
    """
    like = [f"{TO_ERASE}%", AGAIN]
    return dict(source.execute("SELECT key, value FROM meta WHERE key LIKE ? AND value <> ?", like))


def _tables(connection: sqlite3.Connection) -> set[str]:
    return {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def _last_id(database: Path) -> int | None:
    """Return the highest id of a game in the database to be replaced, or None if it can't be read."""
    if not database.is_file():
        return None
    try:
        with closing(open_to_read(database)) as connection:
            row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'games'").fetchone()
            return int(row[0]) if row else 0
    except sqlite3.Error:
        return None


def _replaced(database: Path) -> dict[str, Path]:
    """Return the databases that restores have replaced and that are still kept, by the time of that."""
    end = ".replaced"
    paths = database.parent.glob(f"{glob.escape(database.name)}.*{end}")
    return {path.name.removeprefix(f"{database.name}.").removesuffix(end): path for path in paths}


def _free_stamp(database: Path) -> str:
    """Return the time for the name of a replaced database: now, or later if there is one of now."""
    seconds, taken = time.time(), _replaced(database)
    while (stamp := _stamp(seconds)) in taken:
        seconds += 1
    return stamp


def _set_aside(database: Path, stamp: str, *, sound: bool) -> Path | None:
    """Rename the database to be replaced, and SQLite's files beside it; return its new name.

    A ``sound`` one is put into a single file first; the files of a damaged one stay as they are.
    """
    if not database.exists():
        return None
    if sound:
        with suppress(sqlite3.Error), closing(sqlite3.connect(database, isolation_level=None)) as connection:
            # This moves the log into the file. Opening a damaged database like this could delete its log.
            connection.execute("PRAGMA journal_mode = DELETE")
    aside = database.with_name(f"{database.name}.{stamp}.replaced")
    for side in _SIDES:
        beside = database.with_name(database.name + side)
        if beside.exists():
            os.replace(beside, aside.with_name(aside.name + side))
    try:
        os.link(database, aside)
    except OSError:
        os.replace(database, aside)
    return aside


def unfit_file(connection: sqlite3.Connection, folder: Path = FOLDER) -> Unfit | None:
    """Return why this version of the bot can't use an open database, or None if it can."""
    # Another process may be migrating it.
    connection.execute("BEGIN")
    (schema,) = connection.execute("PRAGMA user_version").fetchone()
    tables: dict[str, set[str]] = {}
    for table, column in connection.execute(
        "SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_xinfo(m.name) AS c "
        "WHERE m.type = 'table'"
    ):
        tables.setdefault(table, set()).add(column)
    connection.execute("COMMIT")
    scripts = [path.read_text(encoding="utf-8") for _, path in migrations(folder)][:schema]
    if tables and not columns(scripts).keys() & tables.keys():
        return Unfit("belongs to another program", "set DATABASE_URL to a file of the bot's own")
    return unfit(schema, tables, folder)


def open_to_read(path: Path) -> sqlite3.Connection:
    """Open for reading only, so that a missing file is not created and an old one not changed.

    The latest changes of a database that is in use are in the log beside it. If there is no log, SQLite must
    not make one, because it would leave it behind.
    """
    in_use = path.with_name(f"{path.name}-wal").exists()
    return _open(path, "mode=ro" if in_use else "mode=ro&immutable=1")


def open_to_write(path: Path) -> sqlite3.Connection:
    """Open for writing, also while the bot runs, without creating a missing file."""
    return _open(path, "mode=rw")


def _open(path: Path, how: str) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, timeout=5.0, isolation_level=None)


def _copy(source: sqlite3.Connection, part: Path) -> None:
    """Copy all pages in one step, so that the copy shows one moment and writers need not wait."""
    with closing(sqlite3.connect(part, isolation_level=None)) as target:
        source.backup(target)
        # A single file without a log; the bot switches the log on again when it opens the database.
        target.execute("PRAGMA journal_mode = DELETE")


@contextmanager
def _written_aside(target: Path) -> Iterator[Path]:
    """Create an empty file in the folder of ``target`` that only its owner can read; remove it at the end."""
    part = target.with_name(f"{target.name}.{uuid4().hex}.part")
    make_file(part)
    try:
        yield part
    finally:
        for name in ("", "-journal", *_SIDES):
            with suppress(FileNotFoundError):
                part.with_name(part.name + name).unlink()


def _publish(part: Path, target: Path) -> None:
    """Give a finished file its name. Raises :class:`FileExistsError` if the name is taken."""
    descriptor = os.open(part, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    try:
        os.link(part, target)  # unlike a rename it fails if there is something
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        _refuse_existing(target)
        os.replace(part, target)
    _flush_folder(target.parent)


def _refuse_existing(target: Path) -> None:
    if os.path.lexists(target):
        raise FileExistsError(f"{target} exists already; choose another name")


def _flush_folder(folder: Path) -> None:
    """Flush a folder to disk, so that its names survive a power cut, if the system supports that."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _stamp(seconds: float) -> str:
    return time.strftime(_STAMP, time.gmtime(seconds))


def _mebibytes(path: Path) -> int:
    return path.stat().st_size // 2**20 + 1
