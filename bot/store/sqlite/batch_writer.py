"""Many steps in three statements, on SQLite: interactions, games, moves.

While the event loop is busy, a thread that comes back from a statement waits for the interpreter, and then
the event loop waits for that thread. That costs several times what the statements of a step do.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from functools import cache
from typing import Final

from bot.store import encoding
from bot.store.base import Change
from bot.store.encoding import STEP_COLUMNS
from bot.store.sql import Value
from bot.store.sql_games import write_step
from bot.store.sqlite.connection import run_job
from bot.store.sqlite.writer import BatchJob

_NEW: Final = ("id", "expected", *STEP_COLUMNS)

_UPDATE: Final = (
    f"UPDATE games SET {', '.join(f'{name} = new.{name}' for name in STEP_COLUMNS)} FROM ("
    f"SELECT {', '.join(f'column{number} AS {name}' for number, name in enumerate(_NEW, 1))} FROM ({{rows}})"
    ") AS new WHERE games.id = new.id AND games.version = new.expected"
)

_SIZES: Final = (256, 64, 16, 4, 1)
"""How many rows a statement takes; few numbers, so that all statements stay prepared."""


class StepJob(BatchJob):
    """Writes a step that makes a move and changes neither seats nor results, as nearly all clicks do."""

    __slots__ = ("change",)

    def __init__(self, change: Change) -> None:
        self.change = change

    def __call__(self, connection: sqlite3.Connection) -> None:
        run_job(connection, lambda inside: write_step(inside, self.change))

    @classmethod
    def write_all(cls, connection: sqlite3.Connection, jobs: Sequence[StepJob]) -> None:
        """Raises :class:`sqlite3.IntegrityError` if one of the steps can't be taken."""
        interactions: list[Sequence[Value]] = []
        games: list[Sequence[Value]] = []
        moves: list[Sequence[Value]] = []
        for job in jobs:
            change = job.change
            row, move = change.row, change.move
            assert move is not None
            if change.interaction_id is not None:
                interactions.append((change.interaction_id, row.id))
            games.append((row.id, change.expected, *encoding.step_columns(row).values()))
            moves.append((row.id, *encoding.move_columns(row.game, move).values()))
        execute_rows(connection, "INSERT INTO interactions (id, game_id) {rows}", interactions)
        if execute_rows(connection, _UPDATE, games) != len(jobs):
            raise sqlite3.IntegrityError("a game has moved on")
        execute_rows(
            connection, "INSERT INTO moves (game_id, number, seat, action, chance, at) {rows}", moves
        )


def is_plain(change: Change) -> bool:
    """Return whether a step is one that :class:`StepJob` can write."""
    return change.move is not None and not change.results and not change.seats_changed


def execute_rows(connection: sqlite3.Connection, statement: str, rows: Sequence[Sequence[Value]]) -> int:
    """Run ``statement`` with ``rows`` as its ``{rows}``, a VALUES clause; return how many it changed."""
    start = changed = 0
    for size in _SIZES:
        while len(rows) - start >= size:
            values = [value for row in rows[start : start + size] for value in row]
            changed += connection.execute(_with_rows(statement, size, len(rows[0])), values).rowcount
            start += size
    return changed


@cache
def _with_rows(statement: str, rows: int, columns: int) -> str:
    row = f"({', '.join('?' * columns)})"
    return statement.format(rows=f"VALUES {', '.join([row] * rows)}")
