"""``backup``: copy the database, even while the bot runs."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from bot.cli.text import FAILED, OK, complain, printable
from bot.settings import Settings
from bot.store.backup import Contents, back_up
from bot.store.base import Unusable

DESCRIPTION = (
    "Copy the database as it is at this moment into a new file, and check the copy. The bot can keep "
    "running, and games go on."
)
POSTGRES = "DATABASE_URL names a PostgreSQL database: use pg_dump and pg_restore, see docs/postgres.md"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the name of the new file."""
    parser.add_argument("file", metavar="FILE", type=Path, help="the file to write; it must not exist")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Make a backup, print what is in it, and return the exit code."""
    if settings.postgres:
        return complain("backup", POSTGRES)
    start = time.perf_counter()
    try:
        contents = back_up(settings.database, arguments.file)
    except FileExistsError as error:
        return complain("backup", str(error))
    except (Unusable, OSError) as error:
        return complain("backup", str(error), FAILED)
    print(printable(f"{arguments.file}: {summary(contents)}, checked; {time.perf_counter() - start:.1f} s"))
    return OK


def summary(contents: Contents) -> str:
    """Put the contents of a backup into words, e.g. "3 games, schema 5, 0.2 MiB"."""
    games = f"{contents.games:,} game{'' if contents.games == 1 else 's'}"
    return f"{games}, schema {contents.schema}, {contents.size / 2**20:,.1f} MiB"
