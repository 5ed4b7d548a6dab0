"""The interface for storing leaderboards, statistics and luck."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.standings.values import Board, Leaderboard, ServerRecord, Standing, Stats
from bot.strategy.skill import Measured


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """How many games a rebuild counted, how many people have a rating, and how many ratings were wrong."""

    games: int
    rated: int
    changed: int


class StandingsStore(Protocol):
    """The standings of all servers. Absent or unlisted people are on none of them, except for themselves."""

    async def standings(self, board: Leaderboard, start: int, limit: int) -> tuple[Standing, ...]: ...

    async def ranked(self, board: Leaderboard) -> int:
        """Return how many people are on a leaderboard."""
        ...

    async def standing_of(self, board: Leaderboard, user_id: int) -> tuple[Standing, int] | None:
        """Return a person's line and how many lines come before it, or None if they are not on the board."""
        ...

    async def stats(
        self, guild_id: int, game: str, user_id: int, counted: Board = Board.PEOPLE
    ) -> Stats | None:
        """Return a person's statistics of the games on a board, or None if they have none there."""
        ...

    async def games_with_stats(self, guild_id: int, user_id: int) -> Collection[str]:
        """Return the keys of the games of which a person has statistics, on whatever board."""
        ...

    async def forecasts(
        self, guild_id: int, game: str, user_id: int, others: Collection[int]
    ) -> Mapping[int, float]:
        """Return the chance of a person to win a game of two against each of the others, by their ratings.

        Opponents against whom it is too uncertain are left out.
        """
        ...

    async def duel(self, game_id: int, user_id: int, other: int) -> tuple[int, int]:
        """Return how many of their common games, up to this one, each of two people finished ahead."""
        ...

    async def records(self, guild_id: int, game: str) -> tuple[ServerRecord, ...]: ...

    async def measured_by(self, game: str, version: int, before: int, limit: int) -> tuple[int, ...]:
        """Return the ids, below ``before``, of a game's finished games whose luck and skill were measured by
        this ``version``, the latest first; version 0 stands for not measured."""
        ...

    async def set_luck(self, game_id: int, version: int, measured: Sequence[Measured] | None) -> None:
        """Store luck and skill of each seat of a finished game, as measured by this ``version``.

        If this version or a later one is stored already, nothing changes. Skill is stored for people who
        played all their turns themselves. ``measured`` is None if this version can't work them out; then what
        is stored stays.
        """
        ...
