"""``restore``: replace the database with a backup."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from bot.cli.backup import POSTGRES, summary
from bot.cli.text import FAILED, OK, complain, printable
from bot.settings import Settings
from bot.store.backup import put_back
from bot.store.base import Unusable
from bot.store.schema import migrations
from bot.store.sqlite.access import foreign_obstacle
from bot.store.sqlite.lock import Timeout, claim

DESCRIPTION = (
    "Check a backup and replace the database with it. Stop the bot first. The database that was there is "
    "kept under another name."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the name of the backup."""
    parser.add_argument("file", metavar="FILE", type=Path, help="a file made by backup")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Restore a backup, print what was done, and return the exit code."""
    if settings.postgres:
        return complain("restore", POSTGRES)
    database = Path(os.path.realpath(settings.database))
    if (obstacle := foreign_obstacle(database)) is not None:
        return complain("restore", f"{obstacle.reason}: {obstacle.remedy}", FAILED)
    try:
        lock = claim(database)
    except Timeout:
        return complain("restore", f"a bot is running on {settings.database}: stop it first")
    except OSError as error:
        return complain("restore", f"{settings.database} can't be written: {error}", FAILED)
    try:
        contents, replaced, to_erase = put_back(arguments.file, database)
    except (Unusable, OSError) as error:
        return complain("restore", f"{error}; the database is unchanged", FAILED)
    finally:
        lock.release()
    print(printable(f"{settings.database} is now {arguments.file}: {summary(contents)}"))
    if contents.schema < (newest := len(migrations())):
        print(f"The next start migrates it from schema {contents.schema} to {newest}.")
    if replaced is not None:
        print(printable(f"The previous database is kept as {settings.database.with_name(replaced.name)}"))
    if to_erase:
        people = "one person" if to_erase == 1 else f"{to_erase} people"
        print(f"The data of {people} was deleted since, and is deleted again a minute after the next start.")
    elif to_erase is None:
        print("Whose data was deleted since is not fully known, as a replaced database can't be read.")
    sys.stdout.flush()
    return OK
