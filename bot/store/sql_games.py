"""Games in a store that speaks SQL: what creating one and a step of it write, and how rows are read back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Sequence
from dataclasses import fields
from functools import partial
from typing import Any

from bot.games.seats import Seat
from bot.store.base import Change, Conflict, Duplicate, GameRow, MoveRow, ResultRow, row_values
from bot.store.game_end import write_end
from bot.store.sql import all_rows, alone, queries
from bot.store.sql_standings import SqlStandings

_COLUMNS = [column.name for column in fields(GameRow) if column.name not in ("seats", "touched")]


class SqlGames(SqlStandings):
    """What stores on SQLite and PostgreSQL do alike; they add how a game is found, made and changed."""

    def __init__(self) -> None:
        self._shown: dict[int, GameRow] = {}
        self._shown_timer: asyncio.TimerHandle | None = None

    async def moves(self, game_id: int) -> tuple[MoveRow, ...]:
        rows = await all_rows(queries.moves_of_game(self._reading, game_id=game_id))
        return tuple(MoveRow(*row) for row in rows)

    async def unshown(self) -> tuple[int, ...]:
        return tuple(row[0] for row in await all_rows(queries.unshown_games(self._reading, **self._care)))

    async def waiting_for_ai(self) -> tuple[int, ...]:
        return tuple(
            row[0] for row in await all_rows(queries.games_waiting_for_ai(self._reading, **self._care))
        )

    async def due(self, now: float, most: int = 100) -> tuple[int, ...]:
        return tuple(
            row[0]
            for row in await all_rows(queries.due_games(self._reading, now=now, most=most, **self._care))
        )

    async def next_deadline(self) -> float | None:
        value: float | None = await queries.next_deadline(self._reading, **self._care)
        return value

    async def active_counts(self) -> dict[tuple[str, str], int]:
        rows = await all_rows(queries.active_counts(self._reading))
        return {(row["game"], row["status"]): row["number"] for row in rows}

    async def results(self, game_id: int) -> tuple[ResultRow, ...]:
        rows = await all_rows(queries.results_of_game(self._reading, game_id=game_id))
        return tuple(ResultRow(*row) for row in rows)

    async def meta(self, key: str) -> str | None:
        value: str | None = await queries.meta_value(self._reading, key=key)
        return value

    async def shown(self, row: GameRow, *, urgent: bool) -> None:
        if urgent:
            self._shown.pop(row.id, None)
            await self._writer.run(partial(self._write_shown, [row]))
            return
        # A game that goes on briskly is noted once in a while, not with every click.
        self._shown[row.id] = row
        if self._shown_timer is None:
            loop = asyncio.get_running_loop()
            self._shown_timer = loop.call_later(self._writer.lazy_seconds, self._note_shown)

    def _note_shown(self) -> None:
        """Have written what was put off; to be called before the writer is closed."""
        if self._shown_timer is not None:
            self._shown_timer.cancel()
            self._shown_timer = None
        if self._shown:
            self._writer.later(partial(self._write_shown, list(self._shown.values())))
            self._shown = {}

    async def _write_shown(self, rows: Sequence[GameRow], connection: Any) -> None:
        """The job that notes what channels show of these games, unless a newer version is noted."""
        raise NotImplementedError

    async def set_meta(self, key: str, value: str) -> None:
        async def job(connection: Any) -> None:
            await queries.set_meta(connection, key=key, value=value)

        await self._writer.run(job)


async def write_game(connection: Any, row: GameRow, interaction_id: int | None) -> int:
    """Insert a game with its seats and return its id. Raises :class:`~bot.store.base.Duplicate`."""
    game_id = int(await queries.insert_game(connection, **row_values(row)))
    await _note_interaction(connection, interaction_id, game_id)
    await _write_seats(connection, game_id, row.seats)
    return game_id


async def write_step(connection: Any, change: Change) -> None:
    """Write everything that one step changes.

    Raises :class:`~bot.store.base.Conflict` or :class:`~bot.store.base.Duplicate`, and the transaction is to
    be undone then.
    """
    row = change.row
    if change.results:
        await alone(connection)
    await _note_interaction(connection, change.interaction_id, row.id)
    # What keeps the version counts as a touch; see GameRow.
    touched = row.touched - (row.version == change.expected)
    changed = await queries.update_game(
        connection, **row_values(row), expected=change.expected, untouched=touched, touched=row.touched
    )
    if changed != 1:
        raise Conflict
    if change.seats_changed:
        await queries.delete_seats(connection, game_id=row.id)
        await _write_seats(connection, row.id, row.seats)
    if change.move is not None:
        move = change.move
        await queries.insert_move(
            connection,
            game_id=row.id,
            number=move.number,
            seat=move.seat,
            action=move.action,
            chance=move.chance,
            at=move.at,
        )
    if change.results:
        await write_end(connection, row, change.results)


def game_row(row: Any, seats: Iterable[Any]) -> GameRow:
    """A row of the table ``games`` with those of its seats in order."""
    values: dict[str, Any] = {name: row[name] for name in _COLUMNS}
    for name in ("acted", "missed", "votes"):
        values[name] = tuple(json.loads(values[name]))
    for name in ("ai_to_move", "reminded", "hints"):
        values[name] = bool(values[name])
    return GameRow(
        **values,
        seats=tuple(Seat(seat["kind"], seat["name"], seat["user_id"], seat["policy"]) for seat in seats),
    )


async def _note_interaction(connection: Any, interaction_id: int | None, game_id: int) -> None:
    if interaction_id is None:
        return
    if await queries.insert_interaction(connection, id=interaction_id, game_id=game_id) != 1:
        raise Duplicate


async def _write_seats(connection: Any, game_id: int, seats: Iterable[Seat]) -> None:
    for number, seat in enumerate(seats):
        await queries.insert_seat(
            connection,
            game_id=game_id,
            seat=number,
            kind=seat.kind,
            user_id=seat.user_id,
            name=seat.name,
            policy=seat.policy,
        )
