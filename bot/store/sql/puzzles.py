"""Puzzles in SQL; see :class:`~bot.store.puzzles.PuzzleStore`."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from bot.store.puzzles import MAX_PUZZLES
from bot.store.sql.access import SqlPart
from bot.store.sql.connection import Connection, Value


class SqlPuzzles(SqlPart):
    """Implements :class:`~bot.store.puzzles.PuzzleStore` on both databases."""

    async def games(self, guild_id: int, channels: Sequence[int], user_id: int) -> tuple[int, ...]:
        return await self._sql.numbers(
            "games_with_puzzle", guild_id=guild_id, channels=json.dumps(list(channels)), user_id=user_id
        )

    async def move(self, game_id: int) -> int | None:
        move: int | None = await self._sql.reading.value("puzzle_move", game_id=game_id)
        return move

    async def seen(self, user_id: int) -> frozenset[str]:
        rows = await self._sql.reading.all("puzzles_seen_by", user_id=user_id)
        return frozenset(row["puzzle"] for row in rows)

    async def note_seen(self, user_id: int, puzzle: str, forget: Collection[str] = ()) -> None:
        async def job(connection: Connection) -> None:
            forgotten: list[dict[str, Value]] = [{"user_id": user_id, "puzzle": key} for key in forget]
            await connection.execute_many("forget_puzzle_seen", forgotten)
            await connection.execute("note_puzzle_seen", user_id=user_id, puzzle=puzzle)

        await self._sql.write(job)

    async def export(self, user_id: int) -> Mapping[str, Any]:
        """Return what is stored of a person's puzzles, for their export."""
        games = await self._sql.reading.all("export_puzzles", user_id=user_id)
        return {
            "from_games": [dict(row) for row in games],
            "seen": [{"puzzle": puzzle} for puzzle in sorted(await self.seen(user_id))],
        }


async def store_puzzle(connection: Connection, guild_id: int, game_id: int, move: int | None) -> None:
    """Store the puzzle of a game, or with None that it has none. If the server has many, delete the oldest.

    Nothing is stored for a game of a person who was erased.
    """
    await connection.execute("delete_puzzle", game_id=game_id)
    if move is not None:
        await connection.execute("insert_puzzle", game_id=game_id, move=move)
        await connection.execute("delete_old_puzzles", guild_id=guild_id, kept=MAX_PUZZLES)


async def erase_puzzles(connection: Connection, user_id: int) -> int:
    """Delete the puzzles from a person's games, and which ones they were shown. Return how many rows.

    The seats of these games must still have the person's id.
    """
    deleted = await connection.execute("delete_puzzles_of", user_id=user_id)
    return deleted + await connection.execute("delete_puzzles_seen_by", user_id=user_id)
