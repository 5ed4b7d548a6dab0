"""Writes many changes in three statements on SQLite: interactions, games, moves."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from bot.store import encoding
from bot.store.base import Change
from bot.store.sql.connection import Value
from bot.store.sql.game_queries import MOVE_GAME
from bot.store.sql.games import write_change
from bot.store.sql.named_queries import shared_queries
from bot.store.sqlite.connection import run_job
from bot.store.sqlite.many_rows import execute_rows
from bot.store.sqlite.writer import BatchJob


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
            games.append((*encoding.columns_of_move(row), row.id, change.expected))
            moves += [(row.id, *encoding.move_columns(row.game, move).values()) for move in change.moves]
        texts = shared_queries()
        noted = execute_rows(connection, texts["insert_interaction"], interactions)
        if noted != len(interactions) or execute_rows(connection, MOVE_GAME, games) != len(jobs):
            raise sqlite3.IntegrityError("a click was noted before, or a game has moved on")
        execute_rows(connection, texts["insert_move"], moves)


def is_plain(change: Change) -> bool:
    """Return whether :class:`ChangeJob` can write a change."""
    return change.move is not None and not change.concerns_people
