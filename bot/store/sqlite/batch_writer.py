"""What is written of many games at once, in one statement, on SQLite.

While the event loop is busy, a thread that comes back from a statement waits for the interpreter, and then
the event loop waits for that thread. That costs several times what three statements for a click do.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Coroutine, Sequence
from functools import cache
from typing import Any, Final

from bot.store.base import Change, GameRow, row_values
from bot.store.sql import queries
from bot.store.sql_games import write_step

STEP: Final = (
    *("host_id", "locale", "status", "version", "options", "state", "draws", "first_chance", "news"),
    *("tally", "acted", "ai_to_move", "turn_seconds", "hints", "since", "reminded", "missed", "votes"),
    *("deadline", "updated_at"),
)
"""The columns of a game that a step writes, as the query ``update_game`` has them."""

_VIEWS: Final = {
    "step": ("id", "expected", *STEP, "interaction_id", "number", "seat", "action", "chance", "at"),
    "shown": ("id", "version", "turn", "message_id", "posted_at"),
}


def _view(name: str) -> str:
    return f"CREATE TEMP VIEW {name} AS SELECT {', '.join(f'NULL AS {one}' for one in _VIEWS[name])}"


def _as_trigger(query: str) -> str:
    """The text of a query where its parameters are the columns of a new row."""
    return re.sub(r":(\w+)", r"NEW.\1", queries.text(query)).rstrip().rstrip(";")


# Tables that keep nothing: a row that is inserted is something to be done.
_SETUP = f"""
{_view("step")};
CREATE TEMP TRIGGER take_step INSTEAD OF INSERT ON step BEGIN
    INSERT INTO interactions (id, game_id)
    SELECT NEW.interaction_id, NEW.id WHERE NEW.interaction_id IS NOT NULL;
    {_as_trigger("update_game")};
    SELECT RAISE(ABORT, 'the game has moved on') WHERE changes() <> 1;
    INSERT INTO moves (game_id, number, seat, action, chance, at)
    VALUES (NEW.id, NEW.number, NEW.seat, NEW.action, NEW.chance, NEW.at);
END;

{_view("shown")};
CREATE TEMP TRIGGER mark_shown INSTEAD OF INSERT ON shown BEGIN
    {_as_trigger("mark_shown")};
END;
"""

_SIZES = (256, 64, 16, 4, 1)
"""How many rows a statement takes; few numbers, so that all statements stay prepared."""


def prepare(connection: sqlite3.Connection) -> None:
    """Make a new connection able to write in this way."""
    connection.executescript(_SETUP)


class Step:
    """The job that writes a step. ``together`` writes several; None for those that write more than usual."""

    __slots__ = ("_change", "together", "values")

    def __init__(self, change: Change) -> None:
        self._change = change
        self.values = _values(change)
        self.together = None if self.values is None else write_steps

    def __call__(self, connection: Any) -> Coroutine[Any, Any, None]:
        return write_step(connection, self._change)


def write_steps(connection: sqlite3.Connection, steps: Sequence[Step]) -> None:
    """Write steps. Raises :class:`sqlite3.IntegrityError` if one of them can't be taken."""
    _insert(connection, "step", [step.values or () for step in steps])


def write_shown(connection: sqlite3.Connection, rows: Sequence[GameRow]) -> None:
    """Note what channels show of these games, as the query ``mark_shown`` does."""
    values = [(row.id, row.shown_version, row.shown_turn, row.message_id, row.posted_at) for row in rows]
    _insert(connection, "shown", values)


def _insert(connection: sqlite3.Connection, view: str, rows: Sequence[Sequence[Any]]) -> None:
    start = 0
    for size in _SIZES:
        while len(rows) - start >= size:
            flat: list[Any] = []
            for row in rows[start : start + size]:
                flat += row
            connection.execute(_statement(view, size), flat)
            start += size


@cache
def _statement(view: str, size: int) -> str:
    row = f"({', '.join('?' * len(_VIEWS[view]))})"
    return f"INSERT INTO {view} VALUES {', '.join([row] * size)}"


def _values(change: Change) -> Sequence[Any] | None:
    """What goes into the statement, in its order."""
    move = change.move
    if move is None or change.results or change.seats_changed:
        return None
    written = row_values(change.row)
    return (
        *(change.row.id, change.expected),
        *[written[name] for name in STEP],
        *(change.interaction_id, move.number, move.seat, move.action, move.chance, move.at),
    )
