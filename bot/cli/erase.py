"""``erase``: have the bot delete the data of people."""

from __future__ import annotations

import argparse
import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from bot.cli.text import FAILED, OK, complain
from bot.settings import Settings
from bot.store.backup import open_to_write
from bot.store.base import Unusable
from bot.store.postgres.address import require_postgres
from bot.store.sql.people import ask_to_erase
from bot.store.sqlite.connection import run_job

COMMAND = "erase"
DESCRIPTION = (
    "Have the bot delete everything about people, as they can do themselves with /privacy: within the next "
    "hour if it runs, else a minute after its next start."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the people."""
    parser.add_argument("people", metavar="ID", nargs="+", type=_person, help="a person's id in Discord")


def _person(given: str) -> int:
    if not (given.isascii() and given.isdecimal() and 0 < int(given) < 2**63):
        raise argparse.ArgumentTypeError(f"{given} is not an id of Discord")
    return int(given)


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Note the people in the database, and return the exit code."""
    people: Sequence[int] = arguments.people
    try:
        if settings.postgres:
            asyncio.run(_on_postgres(settings.postgres, people))
        elif settings.database.is_file():
            _in_file(settings.database, people)
        else:
            return complain(COMMAND, f"there is no database {settings.database}")
    except (Unusable, sqlite3.Error, OSError) as error:
        return complain(COMMAND, f"the database can't be used: {error}", FAILED)
    print(f"Noted for deletion: {len(people)}. The bot's log will say when it is done.")
    return OK


def _in_file(database: Path, people: Sequence[int]) -> None:
    with closing(open_to_write(database)) as connection, connection:
        connection.execute("BEGIN IMMEDIATE")
        run_job(connection, lambda inside: ask_to_erase(inside, people))


async def _on_postgres(url: str, people: Sequence[int]) -> None:
    require_postgres()
    from bot.store.postgres.connection import PostgresConnection
    from bot.store.postgres.store import opened

    async with opened(url) as connection, connection.transaction():
        await ask_to_erase(PostgresConnection(connection), people)
