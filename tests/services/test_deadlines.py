"""Deadlines of more games than one round takes."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, cast

import pytest

from bot.services import deadlines
from bot.services.deadlines import DeadlineScheduler
from bot.sessions.session import Sessions
from bot.store.base import LOBBY, Change
from bot.store.cache import CachedStore
from bot.store.sqlite.store import SqliteStore
from tests.support.rows import a_game

NOW = 1_700_000_000.0


class Overdue:
    """Sessions whose games have nothing to do but to have their deadline taken away."""

    def __init__(self, store: CachedStore) -> None:
        self.store = store
        self.woken: list[int] = []
        self.on_deadline: Any = None

    def now(self) -> float:
        return NOW

    def at(self, channel_id: int) -> Overdue:
        return self

    async def overdue(self, game_id: int, gone: bool) -> None:
        row = await self.store.game(game_id)
        assert row is not None
        self.woken.append(game_id)
        await self.store.commit(Change(replace(row, version=row.version + 1, deadline=None), row.version))


async def test_more_games_than_a_round_takes_are_woken_without_a_pause(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deadlines, "RETRY_SECONDS", 3600.0)
    store = CachedStore(await SqliteStore.open(tmp_path / "games.db"))
    try:
        rows = await asyncio.gather(
            *(
                store.create(a_game(channel, status=LOBBY, deadline=NOW - channel), None)
                for channel in range(1, 251)
            )
        )
        assert [row.id for row in reversed(rows)][:100] == list(await store.due(NOW))
        sessions = Overdue(store)

        async def paint(*args: Any, **kwargs: Any) -> None: ...

        async def is_member(guild_id: int, user_id: int) -> bool:
            return True

        scheduler = DeadlineScheduler(cast(Sessions, sessions), paint, is_member)
        await scheduler.start()
        async with asyncio.timeout(60):
            while len(sessions.woken) < len(rows):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        await scheduler.stop()
        assert sessions.woken == [row.id for row in reversed(rows)]
        assert await store.next_deadline() is None
    finally:
        await store.close()
