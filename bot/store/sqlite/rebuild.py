"""Recalculates ratings and totals in a SQLite database; :mod:`bot.store.sql.rebuild` says how."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from bot.store.sql.rebuild import is_needed, rebuild_standings
from bot.store.sqlite.connection import run_job
from bot.store.sqlite.migrate import migrate
from bot.store.standings import Rebuilt


def rebuild_if_needed(connection: sqlite3.Connection, now: float) -> None:
    """Rebuild if a migration has asked for it, or other models have made the stored ratings."""
    if run_job(connection, is_needed):
        rebuild(connection, now)


def rebuild(
    connection: sqlite3.Connection, now: float, progress: Callable[[int], object] | None = None
) -> Rebuilt:
    """Rebuild in one transaction. ``connection`` must be in autocommit mode."""
    factory, connection.row_factory = connection.row_factory, sqlite3.Row
    connection.execute("BEGIN IMMEDIATE")
    try:
        with connection:
            return run_job(connection, lambda inside: rebuild_standings(inside, now, progress))
    finally:
        connection.row_factory = factory


def rebuild_file(path: Path, now: float, progress: Callable[[int], object] | None = None) -> Rebuilt:
    """Migrate a database that is not in use, and :func:`rebuild` it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection)
        return rebuild(connection, now, progress)
