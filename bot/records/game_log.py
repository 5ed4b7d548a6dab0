"""The log of a stored game, everything that led from its options to its state, and its public record."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from bot.games.core import Move, Played, replay
from bot.games.options import GameOptions
from bot.records.record import Ai, Human, build, to_line
from bot.registry import find
from bot.store.base import FINISHED, Damaged, GameRow, MoveRow, Store, sound


@dataclass(frozen=True, slots=True)
class GameLog:
    """The options of a game, the number of its seats, the outcomes before the first move, and the moves."""

    game: str
    options: GameOptions
    seats: int
    opening: tuple[Any, ...]
    moves: tuple[Move[Any, Any], ...]

    def replay(self) -> Iterator[Played[Any, Any]]:
        """Replay the game: yield the result of the opening, then the result of each move.

        Raises :class:`~bot.games.core.IllegalMove` at the first impossible move.
        """
        return replay(find(self.game).rules, self.options, self.seats, self.opening, self.moves)


async def read_log(store: Store, row: GameRow) -> GameLog:
    """Read the log of a game. Raises :class:`~bot.games.core.Unreadable` if a part of it is damaged."""
    return log_of(row, await store.moves(row.id))


def log_of(row: GameRow, moves: Sequence[MoveRow]) -> GameLog:
    """Build the log of a game. Raises :class:`~bot.games.core.Unreadable` if a part is damaged."""
    played = tuple(Move(move.seat, sound(move.action), sound(move.outcomes)) for move in moves)
    return GameLog(row.game, sound(row.options), len(row.seats), sound(row.first_chance), played)


def readable_part(row: GameRow, moves: Sequence[MoveRow]) -> GameLog:
    """Build the log up to its first damaged move. Raises ``Unreadable`` if its beginning is damaged."""
    sound_moves = takewhile(
        lambda move: not isinstance(move.action, Damaged) and not isinstance(move.outcomes, Damaged), moves
    )
    return log_of(row, tuple(sound_moves))


async def record_of(store: Store, row: GameRow) -> str | None:
    """Return the record of a game as one line, or None while the game has no result.

    Raises :class:`~bot.records.record.RecordError` or one of
    :data:`~bot.games.core.CORRUPT_DATA_ERRORS` if its log is damaged.
    """
    if row.status != FINISHED:
        return None
    log = await read_log(store, row)
    seats = [Human(seat.name or "?") if seat.human else Ai(seat.policy) for seat in row.seats]
    record = await asyncio.to_thread(
        build, find(row.game).rules, log.options, seats, row.seed, log.moves, opening=log.opening
    )
    return to_line(record)
