"""A store that passes all calls on to another one: the base of stores that handle some of them.

Each method is written out, so that a type checker notices a missing one. When a method is added to
:class:`~bot.store.base.Store`, a test fails until it says whether the cache must handle it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from bot.standings.values import Board, FinishedGame, Leaderboard, ServerRecord, Span, Standing, Stats
from bot.store.base import Change, GameRow, MoveRow, ResultRow, Store, StoredMove, Usage
from bot.store.daily import DailyStore
from bot.store.notifications import NotificationStore
from bot.store.puzzles import PuzzleStore
from bot.store.seasons import SeasonStore
from bot.store.standings import MemberRow
from bot.strategy.skill import Measured


class StoreDelegate:
    """Implements :class:`~bot.store.base.Store` by means of ``store``."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.shared = store.shared

    @property
    def daily(self) -> DailyStore:
        return self._store.daily

    @property
    def notifications(self) -> NotificationStore:
        return self._store.notifications

    @property
    def puzzles(self) -> PuzzleStore:
        return self._store.puzzles

    @property
    def seasons(self) -> SeasonStore:
        return self._store.seasons

    async def close(self) -> None:
        await self._store.close()

    async def ping(self) -> None:
        await self._store.ping()

    async def game(self, game_id: int) -> GameRow | None:
        return await self._store.game(game_id)

    async def fresh(self, game_id: int) -> GameRow | None:
        return await self._store.fresh(game_id)

    async def active_game(self, channel_id: int) -> GameRow | None:
        return await self._store.active_game(channel_id)

    async def latest_game(self, channel_id: int) -> GameRow | None:
        return await self._store.latest_game(channel_id)

    async def rematch_of(self, game_id: int) -> GameRow | None:
        return await self._store.rematch_of(game_id)

    async def create(self, row: GameRow, interaction_id: int | None) -> GameRow:
        return await self._store.create(row, interaction_id)

    async def commit(self, change: Change) -> None:
        await self._store.commit(change)

    async def moves(self, game_id: int) -> tuple[MoveRow, ...]:
        return await self._store.moves(game_id)

    async def stored_moves(self, game_id: int) -> tuple[StoredMove, ...]:
        return await self._store.stored_moves(game_id)

    async def mark_shown(self, row: GameRow, *, urgent: bool) -> None:
        await self._store.mark_shown(row, urgent=urgent)

    async def games_to_repaint(self) -> tuple[int, ...]:
        return await self._store.games_to_repaint()

    async def forget_shown(self) -> None:
        await self._store.forget_shown()

    async def usage(self, now: float) -> Usage:
        return await self._store.usage(now)

    async def waiting_for_ai(self) -> tuple[int, ...]:
        return await self._store.waiting_for_ai()

    async def stopped_games(self) -> tuple[int, ...]:
        return await self._store.stopped_games()

    async def due(self, now: float, limit: int = 100) -> tuple[int, ...]:
        return await self._store.due(now, limit)

    async def youngest_interaction(self) -> int | None:
        return await self._store.youngest_interaction()

    async def next_deadline(self, after: float) -> float | None:
        return await self._store.next_deadline(after)

    async def active_counts(self) -> Mapping[tuple[str, str], int]:
        return await self._store.active_counts()

    async def note_member(self, guild_id: int, user_id: int, name: str) -> None:
        await self._store.note_member(guild_id, user_id, name)

    async def results(self, game_id: int) -> tuple[ResultRow, ...]:
        return await self._store.results(game_id)

    async def meta(self, key: str) -> str | None:
        return await self._store.meta(key)

    async def set_meta(self, key: str, value: str) -> None:
        await self._store.set_meta(key, value)

    async def standings(self, board: Leaderboard, start: int, limit: int) -> tuple[Standing, ...]:
        return await self._store.standings(board, start, limit)

    async def ranked(self, board: Leaderboard) -> int:
        return await self._store.ranked(board)

    async def standing_of(self, board: Leaderboard, user_id: int) -> tuple[Standing, int] | None:
        return await self._store.standing_of(board, user_id)

    async def stats(
        self, guild_id: int, game: str, user_id: int, counted: Board = Board.PEOPLE
    ) -> Stats | None:
        return await self._store.stats(guild_id, game, user_id, counted)

    async def records(self, guild_id: int, game: str) -> tuple[ServerRecord, ...]:
        return await self._store.records(guild_id, game)

    async def without_luck(self, game: str, before: int, limit: int) -> tuple[int, ...]:
        return await self._store.without_luck(game, before, limit)

    async def set_luck(self, game_id: int, measured: Sequence[Measured]) -> None:
        await self._store.set_luck(game_id, measured)

    async def finished_in_channel(self, channel_id: int, span: Span) -> tuple[FinishedGame, ...]:
        return await self._store.finished_in_channel(channel_id, span)

    async def finished_in_guild(
        self, guild_id: int, channels: Sequence[int], user_id: int, span: Span
    ) -> tuple[FinishedGame, ...]:
        return await self._store.finished_in_guild(guild_id, channels, user_id, span)

    async def note_share(self, game_id: int, channel_id: int) -> None:
        await self._store.note_share(game_id, channel_id)

    async def has_share(self, game_id: int, channel_id: int) -> bool:
        return await self._store.has_share(game_id, channel_id)

    async def member(self, guild_id: int, user_id: int) -> MemberRow | None:
        return await self._store.member(guild_id, user_id)

    async def unlisted(self, guild_id: int, users: Collection[int]) -> frozenset[int]:
        return await self._store.unlisted(guild_id, users)

    async def absent(self, guild_id: int, limit: int) -> tuple[int, ...]:
        return await self._store.absent(guild_id, limit)

    async def set_present(self, guild_id: int, found: Mapping[int, bool], at: float) -> None:
        await self._store.set_present(guild_id, found, at)

    async def set_unlisted(self, guild_id: int, user_id: int, name: str, unlisted: bool) -> None:
        await self._store.set_unlisted(guild_id, user_id, name, unlisted)

    async def active_games_of(self, user_id: int) -> tuple[int, ...]:
        return await self._store.active_games_of(user_id)

    async def open_tables(self, channels: Collection[int]) -> tuple[int, ...]:
        return await self._store.open_tables(channels)

    async def erase(self, user_id: int) -> None:
        await self._store.erase(user_id)

    async def export(self, user_id: int) -> Mapping[str, Any]:
        return await self._store.export(user_id)

    async def export_games(self, user_id: int, after: int, limit: int) -> tuple[Mapping[str, Any], ...]:
        return await self._store.export_games(user_id, after, limit)

    async def all_settings(self) -> Mapping[int, Mapping[str, Any]]:
        return await self._store.all_settings()

    async def set_settings(self, guild_id: int, values: Mapping[str, Any], at: float) -> None:
        await self._store.set_settings(guild_id, values, at)

    async def depart(self, guild_id: int, at: float) -> None:
        await self._store.depart(guild_id, at)

    async def come_back(self, guild_id: int) -> None:
        await self._store.come_back(guild_id)

    async def departures(self) -> Mapping[int, float]:
        return await self._store.departures()

    async def known_guilds(self) -> tuple[int, ...]:
        return await self._store.known_guilds()

    async def purge(self, guild_id: int) -> None:
        await self._store.purge(guild_id)

    async def tidy(self, now: float) -> None:
        await self._store.tidy(now)
