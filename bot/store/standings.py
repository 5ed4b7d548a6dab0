"""The part of a store that remembers: standings, statistics, history, settings, and whose data it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from bot.standings.values import FinishedGame, Leaderboard, ServerRecord, Standing, Stats

TIME_ZONE = "time_zone"
"""The setting by which days, weeks and months begin."""


@dataclass(frozen=True, slots=True)
class MemberRow:
    """Somebody as known in one server: ``present`` in it, ``unlisted`` if they want no leaderboards."""

    name: str
    present: bool
    unlisted: bool


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What building the sums anew has found: so many games, people with a rating, and ratings that were not
    what the results give."""

    games: int
    rated: int
    changed: int


class StillSeated(Exception):
    """Somebody who is to be erased sits in games that are not over: ``game_ids``."""

    def __init__(self, game_ids: Sequence[int]) -> None:
        super().__init__(str(list(game_ids)))
        self.game_ids = tuple(game_ids)


class StandingsStore(Protocol):
    """What every :class:`~bot.store.base.Store` can do besides keeping games."""

    # Standings. People who are absent or unlisted are on none of them, but find themselves.

    async def standings(self, board: Leaderboard, start: int, limit: int) -> tuple[Standing, ...]: ...

    async def ranked(self, board: Leaderboard) -> int:
        """How many people are on a leaderboard."""
        ...

    async def standing_of(self, board: Leaderboard, user_id: int) -> tuple[Standing, int] | None:
        """Somebody's line and how many lines come before it; None if they are not on the board."""
        ...

    async def stats(self, guild_id: int, game: str, user_id: int) -> Stats | None:
        """None for somebody without a finished game."""
        ...

    async def records(self, guild_id: int, game: str) -> tuple[ServerRecord, ...]: ...

    async def without_luck(self, game: str, before: int, limit: int) -> tuple[int, ...]:
        """Ids below ``before`` of finished games of a kind whose luck is not known, the latest first."""
        ...

    async def set_luck(self, game_id: int, luck: Sequence[int]) -> None:
        """Note the luck of each seat of a finished game, once."""
        ...

    # History.

    async def finished_in_channel(self, channel_id: int, start: int, limit: int) -> tuple[FinishedGame, ...]:
        """Finished games, newest first."""
        ...

    async def finished_in_guild(
        self, guild_id: int, channels: Sequence[int], user_id: int, start: int, limit: int
    ) -> tuple[FinishedGame, ...]:
        """Finished games of these channels of a server and those somebody played in, newest first."""
        ...

    async def count_finished(
        self, guild_id: int, channels: Sequence[int], user_id: int, *, channel_id: int | None = None
    ) -> int:
        """How many games :meth:`finished_in_guild` can list; with ``channel_id`` that channel's."""
        ...

    async def note_share(self, game_id: int, channel_id: int) -> None:
        """A game's review was shown to all in a channel."""
        ...

    async def has_share(self, game_id: int, channel_id: int) -> bool:
        """Whether that was noted."""
        ...

    # People.

    async def member(self, guild_id: int, user_id: int) -> MemberRow | None: ...

    async def absent(self, guild_id: int, limit: int) -> tuple[int, ...]:
        """People who were not in the server when looked for, those first who were looked for longest ago."""
        ...

    async def set_present(self, guild_id: int, found: Mapping[int, bool], at: float) -> None:
        """Note who was in the server and who was not."""
        ...

    async def set_unlisted(self, guild_id: int, user_id: int, name: str, unlisted: bool) -> None: ...

    async def active_games_of(self, user_id: int) -> tuple[int, ...]:
        """Ids of the lobbies and running games in which somebody has a seat."""
        ...

    async def erase(self, user_id: int) -> None:
        """Forget a person everywhere. Their seats stay, without a name.

        Raises :class:`StillSeated` while they have a seat in a lobby or a running game.
        """
        ...

    async def export(self, user_id: int) -> Mapping[str, Any]:
        """What is known about a person apart from their games."""
        ...

    async def export_games(self, user_id: int, after: int, limit: int) -> tuple[Mapping[str, Any], ...]:
        """Their next games after the id ``after``, each with what they did in it."""
        ...

    # Servers.

    async def all_settings(self) -> Mapping[int, Mapping[str, Any]]:
        """What servers have set, by server and name."""
        ...

    async def set_setting(self, guild_id: int, name: str, value: Any, at: float) -> None:
        """Set, or with None go back to the default. A new time zone moves the beginnings of days."""
        ...

    async def depart(self, guild_id: int, at: float) -> None:
        """The bot was taken out of a server."""
        ...

    async def come_back(self, guild_id: int) -> None: ...

    async def departures(self) -> Mapping[int, float]:
        """The servers the bot was taken out of, and when."""
        ...

    async def known_guilds(self) -> tuple[int, ...]:
        """All servers of which there is data."""
        ...

    async def purge(self, guild_id: int) -> None:
        """Delete everything about a server, a little at a time so that others need not wait."""
        ...

    async def tidy(self, now: float) -> None:
        """Delete what is of no use any more: sums of past days, interactions that can't come again."""
        ...
