"""``migrate-data``: copy a SQLite database into PostgreSQL."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from tqdm import tqdm

from bot.cli.text import FAILED, OK, fail
from bot.settings import Settings, WrongSetting, parse
from bot.store.base import Unusable
from bot.store.postgres.address import require_postgres
from bot.store.sqlite.lock import Timeout, holding

DESCRIPTION = (
    "Copy a SQLite database into an empty PostgreSQL database, row by row, and compare all of it. You can "
    "interrupt it and run it again. Stop the bot first."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the addresses of both databases."""
    parser.add_argument("source", metavar="FROM", type=_sqlite, help="like sqlite:///data/games.db")
    parser.add_argument(
        "target",
        metavar="TO",
        type=_postgres,
        nargs="?",
        help="like postgresql://user@host/name; by default DATABASE_URL. Other users of this machine can see "
        "a password that stands here",
    )


def _sqlite(text: str) -> Path:
    settings = _address(text)
    if settings is None or settings.postgres:
        raise argparse.ArgumentTypeError("it should look like sqlite:///data/games.db")
    return settings.database


def _postgres(text: str) -> str:
    settings = _address(text)
    if settings is None or not settings.postgres:
        raise argparse.ArgumentTypeError("it should look like postgresql://user:password@host/name")
    return settings.postgres


def _address(text: str) -> Settings | None:
    try:
        return parse({"DATABASE_URL": text})
    except WrongSetting:
        return None


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Copy all tables, print the number of rows in each, and return the exit code."""
    source: Path = arguments.source
    target: str = arguments.target or settings.postgres
    if not target:
        return fail("Set DATABASE_URL to the new database, like postgresql://user:password@host/name.")
    try:
        if not source.is_file():
            return fail(f"There is no database {source}.")
        require_postgres()
        from bot.store.postgres.copy import Different, copy, rows_of
        from bot.store.postgres.copy import source as open_source
    except (Unusable, OSError) as error:
        return fail(f"Nothing was copied: {error}")
    try:
        with (
            holding(source),
            open_source(source) as connection,
            tqdm(total=rows_of(connection), unit="row", disable=not sys.stderr.isatty(), leave=False) as bar,
        ):

            def progress(table: str, rows: int) -> None:
                bar.set_description(table)
                bar.update(rows)

            counts = asyncio.run(copy(connection, target, progress))
    except Timeout:
        return fail(f"A bot is running on {source}: stop it first.")
    except (Different, Unusable, OSError) as error:
        return fail(f"The data could not be copied: {error}")
    except KeyboardInterrupt:
        return fail("Interrupted; run the same command again to continue from here.", FAILED)
    for table, rows in counts.items():
        print(f"{table:>12} {rows:>12,}")
    print(
        f"{sum(counts.values()):,} rows are the same in both. "
        f"Now {'set DATABASE_URL, and ' if arguments.target else ''}start the bot."
    )
    return OK
