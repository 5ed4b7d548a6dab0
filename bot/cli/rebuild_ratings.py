"""``rebuild-ratings``: recalculate ratings and statistics from the results."""

from __future__ import annotations

import argparse
import asyncio
import os
import sqlite3
import sys
import time
from pathlib import Path

from tqdm import tqdm

from bot.cli.text import OK, fail
from bot.settings import Settings
from bot.store.base import Unusable
from bot.store.postgres.address import require_postgres
from bot.store.sqlite.lock import Timeout, holding
from bot.store.sqlite.rebuild import rebuild_file
from bot.store.standings import Rebuilt

DESCRIPTION = (
    "Recalculate all ratings and statistics from the results, in the order in which the games ended, and "
    "report whether any were wrong. Stop the bot first."
)


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Recalculate everything, print how many ratings and totals were wrong, and return the exit code."""
    if settings.postgres:
        return _rebuild_postgres(settings.postgres)
    database = Path(os.path.realpath(settings.database))
    try:
        if not database.is_file():
            return fail(f"There is no database {settings.database}.")
        with holding(database), tqdm(unit="game", disable=not sys.stderr.isatty(), leave=False) as bar:
            rebuilt = rebuild_file(database, time.time(), bar.update)
    except Timeout:
        return fail(f"A bot is running on {settings.database}: stop it first.")
    except (Unusable, sqlite3.Error, OSError) as error:
        return fail(f"The database {settings.database} can't be used: {error}")
    return _report(rebuilt)


def _rebuild_postgres(url: str) -> int:
    try:
        require_postgres()
        from bot.store.postgres.store import rebuild_postgres

        with tqdm(unit="game", disable=not sys.stderr.isatty(), leave=False) as bar:
            rebuilt = asyncio.run(rebuild_postgres(url, time.time(), bar.update))
    except Unusable as error:
        return fail(f"The ratings can't be recalculated: {error}")
    return _report(rebuilt)


def _report(rebuilt: Rebuilt) -> int:
    wrong = rebuilt.changed
    verdict = "all were right" if not wrong else f"{wrong} of them {'was' if wrong == 1 else 'were'} wrong"
    print(f"{rebuilt.games:,} games counted, {rebuilt.rated:,} ratings: {verdict}")
    return OK
