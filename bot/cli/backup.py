"""``backup`` and ``restore``: a copy of the database while the bot runs, and back again."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.text import USAGE, WRONG, complain
from bot.settings import Settings
from bot.store.backup import Contents, back_up, put_back
from bot.store.base import Unusable
from bot.store.sqlite.lock import Timeout, take
from bot.store.sqlite.migrate import migrations

ELSEWHERE = "DATABASE_URL names a PostgreSQL database: use pg_dump and pg_restore, see docs/postgres.md"

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]


def add_backup(subparsers: Subparsers) -> None:
    """Add both subcommands; their default ``func`` takes the arguments, with the settings as one of them."""
    backup = subparsers.add_parser(
        "backup",
        help="copy the database into a file, also while the bot runs",
        description="Copy the database as it is at this moment into a new file, and check the copy. The bot "
        "may run meanwhile, and games go on.",
    )
    backup.add_argument("file", metavar="FILE", type=Path, help="the file to make; it must not exist")
    backup.set_defaults(func=run_backup)
    restore = subparsers.add_parser(
        "restore",
        help="put a backup in the place of the database",
        description="Check a backup and put it in the place of the database. Stop the bot before. The "
        "database that was there is kept under another name.",
    )
    restore.add_argument("file", metavar="FILE", type=Path, help="a file made by backup")
    restore.set_defaults(func=run_restore)


def run_backup(arguments: argparse.Namespace) -> int:
    """Make a backup, say what is in it, and return the exit code."""
    settings: Settings = arguments.settings
    if settings.postgres:
        complain("backup", ELSEWHERE)
        return USAGE
    start = time.perf_counter()
    try:
        contents = back_up(settings.database, arguments.file)
    except FileExistsError as error:
        complain("backup", f"{error}")
        return USAGE
    except (Unusable, OSError) as error:
        complain("backup", f"{error}")
        return WRONG
    print(f"{arguments.file}: {_told(contents)}, checked; {time.perf_counter() - start:.1f} s")
    return 0


def run_restore(arguments: argparse.Namespace) -> int:
    """Put a backup back, say what came of it, and return the exit code."""
    settings: Settings = arguments.settings
    if settings.postgres:
        complain("restore", ELSEWHERE)
        return USAGE
    database = Path(os.path.realpath(settings.database))
    try:
        database.parent.mkdir(parents=True, exist_ok=True)
        lock = take(database)
    except Timeout:
        complain("restore", f"a bot is running on {settings.database}: stop it first")
        return USAGE
    except OSError as error:
        complain("restore", f"{settings.database} can't be written: {error}")
        return WRONG
    newest = len(migrations())
    try:
        contents, replaced = put_back(arguments.file, database, newest)
    except (Unusable, OSError) as error:
        complain("restore", f"{error}; the database is as it was")
        return WRONG
    finally:
        lock.release()
    print(f"{settings.database} is now {arguments.file}: {_told(contents)}")
    if contents.schema < newest:
        print(f"The next start brings it from schema {contents.schema} to {newest}.")
    if replaced is not None:
        print(f"What was there before is kept as {settings.database.with_name(replaced.name)}")
    sys.stdout.flush()
    return 0


def _told(contents: Contents) -> str:
    games = f"{contents.games:,} game{'' if contents.games == 1 else 's'}"
    return f"{games}, schema {contents.schema}, {contents.size / 2**20:,.1f} MiB"
