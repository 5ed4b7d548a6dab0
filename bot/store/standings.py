"""The part of a store besides games: standings, statistics, history, settings and personal data."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from bot.standings.values import Board, FinishedGame, Leaderboard, ServerRecord, Span, Standing, Stats
from bot.store.daily import DailyStore
from bot.store.notifications import NotificationStore
from bot.store.puzzles import PuzzleStore
from bot.store.seasons import SeasonStore
from bot.strategy.skill import Measured

TIME_ZONE = "time_zone"
"""The name of the setting that decides when days, weeks and months begin."""


@dataclass(frozen=True, slots=True)
class MemberRow:
    """A person in one server: whether they are in it, and whether they are hidden from leaderboards."""

    name: str
    present: bool
    unlisted: bool


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """The outcome of a rebuild: how many games, people with a rating, and wrong ratings it found."""

    games: int
    rated: int
    changed: int


class StillSeated(Exception):
    """The person to be erased still has a seat in the lobbies or running games ``game_ids``."""

    def __init__(self, game_ids: Sequence[int]) -> None:
        super().__init__(str(list(game_ids)))
        self.game_ids = tuple(game_ids)


class StandingsStore(Protocol):
    """The methods of every :class:`~bot.store.base.Store` besides those for games."""

    @property
    def daily(self) -> DailyStore:
        """The storage of the daily game."""
        ...

    @property
    def notifications(self) -> NotificationStore:
        """How people want to be notified."""
        ...

    @property
    def puzzles(self) -> PuzzleStore:
        """The puzzles from games, and which ones people were shown."""
        ...

    @property
    def seasons(self) -> SeasonStore:
        """The seasons of all servers."""
        ...

    # Standings. Absent or unlisted people are on none of them, except for themselves.

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

        Left out are those for whom it is too uncertain.
        """
        ...

    async def records(self, guild_id: int, game: str) -> tuple[ServerRecord, ...]: ...

    async def measured_by(self, game: str, version: int, before: int, limit: int) -> tuple[int, ...]:
        """Return ids below ``before`` of finished games of a kind, the latest first, whose luck and skill are
        by that ``version`` of its measure; 0 stands for none."""
        ...

    async def set_luck(self, game_id: int, version: int, measured: Sequence[Measured] | None) -> None:
        """Store luck and skill of each seat of a finished game, as a ``version`` of its measure has them.

        If that version or a later one is stored already, nothing changes. Skill is stored for people who
        played all their turns themselves. ``measured`` is None if this version can't work them out; what is
        stored stays then.
        """
        ...

    # History.

    async def finished_in_channel(self, channel_id: int, span: Span) -> tuple[FinishedGame, ...]: ...

    async def finished_in_guild(
        self, guild_id: int, channels: Sequence[int], user_id: int, span: Span
    ) -> tuple[FinishedGame, ...]:
        """Return finished games of these channels and those that the person played in."""
        ...

    async def note_share(self, game_id: int, channel_id: int) -> None:
        """Store that a game's review was posted in a channel."""
        ...

    async def has_share(self, game_id: int, channel_id: int) -> bool:
        """Return whether a game's review was posted in a channel."""
        ...

    # People.

    async def member(self, guild_id: int, user_id: int) -> MemberRow | None: ...

    async def unlisted(self, guild_id: int, users: Collection[int]) -> frozenset[int]:
        """Return those of the people who want to be on no lists of the server."""
        ...

    async def absent(self, guild_id: int, limit: int) -> tuple[int, ...]:
        """Return people who were not in the server at the last check, longest unchecked first."""
        ...

    async def set_present(self, guild_id: int, found: Mapping[int, bool], at: float) -> None:
        """Store who was in the server and who was not."""
        ...

    async def set_unlisted(self, guild_id: int, user_id: int, name: str, unlisted: bool) -> None: ...

    async def active_games_of(self, user_id: int) -> tuple[int, ...]:
        """Return the ids of the lobbies and running games in which a person has a seat, or is asked to take
        one."""
        ...

    async def open_tables(self, channels: Collection[int]) -> tuple[int, ...]:
        """Return the ids of the lobbies and running games in these channels and threads, the newest first."""
        ...

    async def erase(self, user_id: int) -> None:
        """Delete a person's data in all servers. Their seats stay, without a name.

        Raises :class:`StillSeated` while they have a seat in a lobby or a running game, or are asked to take
        one.
        """
        ...

    async def export(self, user_id: int) -> Mapping[str, Any]:
        """Return a person's stored data except their games."""
        ...

    async def export_games(self, user_id: int, after: int, limit: int) -> tuple[Mapping[str, Any], ...]:
        """Return a person's next games after the id ``after``, each with their moves and result."""
        ...

    # Servers.

    async def all_settings(self) -> Mapping[int, Mapping[str, Any]]:
        """Return all settings by server and name."""
        ...

    async def set_settings(self, guild_id: int, values: Mapping[str, Any], at: float) -> None:
        """Change settings by name, all of them or none; None resets one to its default.

        A new time zone changes when days begin.
        """
        ...

    async def depart(self, guild_id: int, at: float) -> None:
        """Store that the bot was removed from a server."""
        ...

    async def come_back(self, guild_id: int) -> None: ...

    async def departures(self) -> Mapping[int, float]:
        """Return the servers that the bot was removed from, and when."""
        ...

    async def known_guilds(self) -> tuple[int, ...]:
        """Return all servers with stored data."""
        ...

    async def purge(self, guild_id: int) -> None:
        """Delete all data of a server, in small transactions so that other writes need not wait."""
        ...

    async def tidy(self, now: float) -> None:
        """Delete unused data: totals of past days, and interactions too old to be delivered again."""
        ...
