"""What is stored of puzzles: positions of a server's finished games, and which puzzles a person was shown."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

MAX_PUZZLES = 50
"""How many puzzles of a server are kept: those of its latest games."""


def game_key(game_id: int) -> str:
    """Return the key by which a puzzle from a game is remembered. No edition begins with a g.

    >>> game_key(12)
    'g.12'
    """
    return f"g.{game_id}"


def shipped_key(edition: str, number: int) -> str:
    """Return the key by which a shipped puzzle is remembered; ``number`` counts from 0.

    >>> shipped_key("0a1b", 7)
    '0a1b.7'
    """
    return f"{edition}.{number}"


class PuzzleStore(Protocol):
    """Storage of puzzles. What a method has written when it returns survives a crash.

    Puzzles from games are stored with the luck of the game, see
    :meth:`~bot.store.standings.StandingsStore.set_luck`.
    """

    async def games(self, guild_id: int, channels: Sequence[int], user_id: int) -> tuple[int, ...]:
        """Return the games of a server with a puzzle that a person may see, the latest first.

        These are games in ``channels``, which the person sees, and games in which the person played, except
        those of people who hide themselves from lists.
        """
        ...

    async def move(self, game_id: int) -> int | None:
        """Return the index of the move that a game's puzzle asks for, or None if the game has no puzzle."""
        ...

    async def seen(self, user_id: int) -> frozenset[str]:
        """Return the keys of the puzzles that a person was shown."""
        ...

    async def note_seen(self, user_id: int, puzzle: str, forget: Collection[str] = ()) -> None:
        """Note that a person was shown a puzzle, after forgetting those with the keys in ``forget``."""
        ...
