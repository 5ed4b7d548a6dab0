"""What is stored of puzzles: positions of a server's finished games, and which puzzles a person was shown."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Protocol

MAX_PUZZLES = 50
"""How many puzzles of a server are kept: those of its latest games."""

FROM_GAME = "g"
"""What the key of a puzzle from a game begins with; its id follows. Others begin with their edition."""


def game_key(game_id: int) -> str:
    """Return the key by which a puzzle from a game is remembered.

    >>> game_key(12)
    'g.12'
    """
    return f"{FROM_GAME}.{game_id}"


def shipped_key(edition: str, number: int) -> str:
    """Return the key by which a shipped puzzle is remembered; ``number`` counts from 0.

    >>> shipped_key("0a1b", 7)
    '0a1b.7'
    """
    return f"{edition}.{number}"


def next_key(
    games: Sequence[str], shipped: Sequence[str], seen: Collection[str], pick: Callable[[int], int]
) -> tuple[str, frozenset[str]]:
    """Return the key of the puzzle to show next, and the keys to forget before.

    What was not ``seen`` comes from the latest of the ``games`` first, then by chance: ``pick`` returns an
    index for a number of puzzles. When all were seen, all may be shown again.
    """
    for unseen in (
        [one for one in games if one not in seen][:1],
        [one for one in shipped if one not in seen],
    ):
        if unseen:
            return unseen[pick(len(unseen))], frozenset()
    return next_key(games, shipped, (), pick)[0], frozenset((*games, *shipped))


class PuzzleStore(Protocol):
    """Storage of puzzles. What a method has written when it returns survives a crash.

    Puzzles from games are stored with the luck of the game, see
    :meth:`~bot.store.standings.StandingsStore.set_luck`.
    """

    async def games(self, guild_id: int, channels: Sequence[int], user_id: int) -> tuple[int, ...]:
        """Return the games of a server with a puzzle that a person may see, the latest first.

        These are games in one of the ``channels`` that they see, or in which they played, except those of
        people who hide themselves from lists.
        """
        ...

    async def move(self, game_id: int) -> int | None:
        """Return the number of the move, from 0, before which the puzzle of a game stands, or None."""
        ...

    async def seen(self, user_id: int) -> frozenset[str]:
        """Return the keys of the puzzles that a person was shown."""
        ...

    async def note_seen(self, user_id: int, puzzle: str, forget: Collection[str] = ()) -> None:
        """Note that a person was shown a puzzle, after forgetting others."""
        ...
