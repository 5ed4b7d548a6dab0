"""Writes many changes in three statements on SQLite: interactions, games, moves.

While the event loop is busy, a thread that returns from a statement waits for the interpreter lock, and then
the event loop waits for that thread. This takes several times as long as the statements of a change.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import Final

from bot.store import encoding
from bot.store.base import Change
from bot.store.encoding import MOVE_COLUMNS
from bot.store.sql.connection import Value
from bot.store.sql.games import write_change
from bot.store.sqlite.connection import run_job
from bot.store.sqlite.writer import BatchJob

_NEW: Final = ("id", "expected", *MOVE_COLUMNS)
"""The columns of the rows from which :data:`_UPDATE` updates games."""

_UPDATE: Final = (
    f"UPDATE games SET {', '.join(f'{name} = new.{name}' for name in MOVE_COLUMNS)} FROM ("
    f"SELECT {', '.join(f'column{number} AS {name}' for number, name in enumerate(_NEW, 1))} FROM ({{rows}})"
    ") AS new WHERE games.id = new.id AND games.version = new.expected"
)

_SIZES: Final = (256, 64, 16, 4, 1)
"""How many rows a statement can take: only a few sizes, so that all statements stay prepared."""


class ChangeJob(BatchJob):
    """Writes a change that has a move and concerns neither seats nor results, like nearly all clicks."""

    __slots__ = ("change",)

    def __init__(self, change: Change) -> None:
        self.change = change

    def __call__(self, connection: sqlite3.Connection) -> None:
        run_job(connection, lambda inside: write_change(inside, self.change))

    @classmethod
    def write_all(cls, connection: sqlite3.Connection, jobs: Sequence[ChangeJob]) -> None:
        """Write all changes. Raises :class:`sqlite3.IntegrityError` if one of them is refused."""
        interactions: list[Sequence[Value]] = []
        games: list[Sequence[Value]] = []
        moves: list[Sequence[Value]] = []
        for job in jobs:
            change = job.change
            row = change.row
            if change.interaction_id is not None:
                interactions.append((change.interaction_id, row.id))
            games.append((row.id, change.expected, *encoding.columns_of_move(row)))
            moves += [(row.id, *encoding.move_columns(row.game, move).values()) for move in change.moves]
        execute_rows(connection, "INSERT INTO interactions (id, game_id) {rows}", interactions)
        if execute_rows(connection, _UPDATE, games) != len(jobs):
            raise sqlite3.IntegrityError("a game has moved on")
        execute_rows(
            connection, "INSERT INTO moves (game_id, number, seat, action, chance, at) {rows}", moves
        )


def is_plain(change: Change) -> bool:
    """Return whether :class:`ChangeJob` can write a change."""
    return change.move is not None and not change.concerns_people


def execute_rows(connection: sqlite3.Connection, statement: str, rows: Sequence[Sequence[Value]]) -> int:
    """Run ``statement`` with ``rows`` as its ``{rows}``, a VALUES clause. Return how many rows it changed."""
    start = changed = 0
    for size in _SIZES:
        while len(rows) - start >= size:
            values = tuple(chain.from_iterable(rows[start : start + size]))
            changed += connection.execute(_with_rows(statement, size, len(rows[0])), values).rowcount
            start += size
    return changed


@cache
def _with_rows(statement: str, rows: int, columns: int) -> str:
    row = f"({', '.join('?' * columns)})"
    return statement.format(rows=f"VALUES {', '.join([row] * rows)}")
