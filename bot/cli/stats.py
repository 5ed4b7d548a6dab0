"""``stats``: print how much the bot is used."""

from __future__ import annotations

import argparse
import asyncio
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from bot.cli.text import FAILED, OK, complain
from bot.settings import Settings
from bot.store.backup import open_to_read
from bot.store.base import Unusable, Usage
from bot.store.postgres.address import require_postgres
from bot.store.sql.usage import usage_of
from bot.store.sqlite.connection import run_job

COMMAND = "stats"
DESCRIPTION = (
    "Print how much the bot is used: servers, people, games, and today's clicks. The bot can keep running."
)


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Count and print; return the exit code."""
    try:
        if settings.postgres:
            usage = asyncio.run(_on_postgres(settings.postgres))
        elif settings.database.is_file():
            usage = _in_file(settings.database)
        else:
            return complain(COMMAND, f"there is no database {settings.database}")
    except sqlite3.Error as error:
        return complain(COMMAND, f"{settings.database} can't be read: {error}", FAILED)
    except (Unusable, OSError) as error:
        return complain(COMMAND, str(error), FAILED)
    print(in_words(usage))
    return OK


def in_words(usage: Usage) -> str:
    """Return a line for each number."""
    lines = {
        "servers": (usage.servers, "in which a table was opened"),
        "people": (usage.people, "who have taken a seat"),
        "lobbies": (usage.lobbies, "open now"),
        "games": (usage.live, "running now"),
        "finished": (usage.finished, "games with a result"),
        "closed": (usage.aborted, "games without a result"),
        "clicks": (usage.clicks, "and commands that changed a game since midnight (UTC)"),
    }
    return "\n".join(f"{number:>11,} {name:<9} {meaning}" for name, (number, meaning) in lines.items())


def _in_file(database: Path) -> Usage:
    with closing(open_to_read(database)) as connection:
        connection.row_factory = sqlite3.Row
        return run_job(connection, lambda reader: usage_of(reader, time.time()))


async def _on_postgres(url: str) -> Usage:
    require_postgres()
    from bot.store.postgres.connection import PostgresConnection
    from bot.store.postgres.store import opened

    async with opened(url) as connection:
        return await usage_of(PostgresConnection(connection), time.time())
