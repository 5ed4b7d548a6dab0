"""Games in SQL: writes new games and changes, and reads them back."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict
from operator import itemgetter

from bot.games.seats import Seat
from bot.games.values import replace
from bot.records.sealing import seal_of
from bot.store import encoding
from bot.store.base import (
    LOBBY,
    NEVER,
    Change,
    Conflict,
    Duplicate,
    GameRow,
    MoveRow,
    ResultRow,
    StoredMove,
    Usage,
    Word,
)
from bot.store.sql.connection import Connection, Row
from bot.store.sql.game_end import write_end, write_last_places
from bot.store.sql.history import SqlHistory
from bot.store.sql.people import SqlPeople
from bot.store.sql.servers import SqlServers
from bot.store.sql.standings import SqlStandings
from bot.store.sql.usage import usage_of


class SqlGames(SqlStandings, SqlHistory, SqlPeople, SqlServers):
    """The common part of the stores on SQLite and PostgreSQL; each adds how it runs these writes."""

    async def ping(self) -> None:
        await self.meta("ping")

    async def game(self, game_id: int) -> GameRow | None:
        if not 0 < game_id < 1 << 63:
            return None
        return _game_row(await self.reading.one("game_by_id", id=game_id))

    async def fresh(self, game_id: int) -> GameRow | None:
        return await self.game(game_id)

    async def active_game(self, channel_id: int) -> GameRow | None:
        return _game_row(await self.reading.one("active_game", channel_id=channel_id))

    async def latest_game(self, channel_id: int) -> GameRow | None:
        return _game_row(await self.reading.one("latest_game", channel_id=channel_id))

    async def open_tables(self, channels: Collection[int]) -> tuple[int, ...]:
        return await self.numbers("open_tables", channels=json.dumps(sorted(channels)))

    async def rematch_of(self, game_id: int) -> GameRow | None:
        return _game_row(await self.reading.one("child_game", parent_id=game_id))

    async def moves(self, game_id: int) -> tuple[MoveRow, ...]:
        return encoding.read_moves(await self.stored_moves(game_id))

    async def stored_moves(self, game_id: int) -> tuple[StoredMove, ...]:
        return tuple(tuple(row) for row in await self.reading.all("moves_of_game", game_id=game_id))

    async def games_to_repaint(self) -> tuple[int, ...]:
        return await self.numbers("games_to_repaint", **self.shards)

    async def forget_shown(self) -> None:
        await self.write_postponed()
        await self.execute("forget_shown", **self.shards)

    async def usage(self, now: float) -> Usage:
        return await usage_of(self.reading, now)

    async def waiting_for_ai(self) -> tuple[int, ...]:
        return await self.numbers("games_waiting_for_ai", **self.shards)

    async def stopped_games(self) -> tuple[int, ...]:
        return await self.numbers("stopped_games", never=NEVER, **self.shards)

    async def due(self, now: float, limit: int = 100) -> tuple[int, ...]:
        return await self.numbers("due_games", now=now, limit=limit, **self.shards)

    async def youngest_interaction(self) -> int | None:
        value: int | None = await self.reading.value("youngest_interaction")
        return value

    async def next_deadline(self, after: float) -> float | None:
        value: float | None = await self.reading.value("next_deadline", after=after, **self.shards)
        return value

    async def active_counts(self) -> dict[tuple[str, str], int]:
        rows = await self.reading.all("active_counts")
        return {(row["game"], row["status"]): row["number"] for row in rows}

    async def results(self, game_id: int) -> tuple[ResultRow, ...]:
        rows = await self.reading.all("results_of_game", game_id=game_id)
        return tuple(encoding.read_result(*row) for row in rows)

    async def meta(self, key: str) -> str | None:
        value: str | None = await self.reading.value("meta_value", key=key)
        return value

    async def mark_shown(self, row: GameRow, *, urgent: bool) -> None:
        if urgent:
            self.withdraw(_write_shown, row.id)
            await self.write(lambda connection: _write_shown([row], connection))
        else:
            # A fast game must not cause a write with every click.
            self.write_later(_write_shown, row.id, row)

    async def set_meta(self, key: str, value: str) -> None:
        await self.execute("set_meta", key=key, value=value)


async def write_game(connection: Connection, row: GameRow, interaction_id: int | None) -> GameRow:
    """Insert a game with its seats. Return it with its id, and with the seal, which binds the id.

    Raises :class:`~bot.store.base.Duplicate`.
    """
    game_id = int(await connection.value("insert_game", **encoding.new_game_columns(row)))
    await _note_interaction(connection, interaction_id, game_id)
    await _write_seats(connection, game_id, row.seats)
    seal = seal_of(row.secret, game_id)
    await connection.execute("set_seal", id=game_id, seal=seal)
    return replace(row, id=game_id, seal=seal)


async def write_change(connection: Connection, change: Change) -> None:
    """Write all that belongs to a change.

    Raises :class:`~bot.store.base.Conflict` or :class:`~bot.store.base.Duplicate`; the caller must then undo
    the transaction.
    """
    row = change.row
    if change.results or change.last_places:
        await connection.lock_standings()
    await _note_interaction(connection, change.interaction_id, row.id)
    # A change that keeps the version counts as a touch; see GameRow.
    touched = row.touched - (row.version == change.expected)
    changed = await connection.execute(
        "update_game",
        **encoding.update_columns(row),
        id=row.id,
        expected=change.expected,
        untouched=touched,
        touched=row.touched,
    )
    if changed != 1:
        raise Conflict
    if change.seats_changed:
        await connection.execute("delete_seats", game_id=row.id)
        await _write_seats(connection, row.id, row.seats)
        # Later, a word may have been deleted that this row still has.
        if row.status == LOBBY:
            await connection.execute("delete_words", game_id=row.id)
            await _write_words(connection, row.id, row.words)
        for number, former in enumerate(row.former):
            if former.user_id is None:
                await connection.execute("forget_former_seat", game_id=row.id, number=number)
    for move in change.moves:
        await connection.execute("insert_move", game_id=row.id, **encoding.move_columns(row.game, move))
    if change.gave_up:
        number = len(row.former) - 1
        await connection.execute(
            "insert_former_seat",
            game_id=row.id,
            number=number,
            **asdict(row.former[number]) | {"handed": int(row.former[number].handed)},
        )
    if change.results:
        await write_end(connection, row, change.results)
    if change.last_places:
        await write_last_places(connection, row, change.last_places)


async def _write_shown(rows: Sequence[GameRow], connection: Connection) -> None:
    """Store what channels show of these games, unless a newer version is stored already."""
    await connection.execute_many(
        "mark_shown",
        [
            {
                "id": row.id,
                "message_id": row.message_id,
                "posted_at": row.posted_at,
                "version": row.shown_version,
                "turn": row.shown_turn,
            }
            for row in rows
        ],
    )


def _game_row(row: Row | None) -> GameRow | None:
    """Return the game of a row of the table ``games``, which has its seats as JSON beside its columns."""
    if row is None:
        return None
    seats, words, former = (
        sorted(json.loads(row[name] or "[]"), key=itemgetter(key))
        for name, key in (("seats", "seat"), ("words", "seat"), ("former", "number"))
    )
    return encoding.read_game(row, seats, words, former)


async def _note_interaction(connection: Connection, interaction_id: int | None, game_id: int) -> None:
    if interaction_id is None:
        return
    if await connection.execute("insert_interaction", id=interaction_id, game_id=game_id) != 1:
        raise Duplicate


async def _write_seats(connection: Connection, game_id: int, seats: Iterable[Seat]) -> None:
    for number, seat in enumerate(seats):
        await connection.execute(
            "insert_seat",
            game_id=game_id,
            seat=number,
            kind=seat.kind,
            user_id=seat.user_id,
            name=seat.name,
            policy=seat.policy,
        )


async def _write_words(connection: Connection, game_id: int, words: Iterable[Word]) -> None:
    for word in words:
        await connection.execute(
            "insert_word", game_id=game_id, seat=word.seat, user_id=word.user_id, word=word.text
        )
