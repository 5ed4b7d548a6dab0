"""Any store, with what the metrics tell of it: how long reading and writing take, and how they end."""

from __future__ import annotations

from time import perf_counter
from typing import Any, cast

from bot.observability import metrics
from bot.store.base import Change, Conflict, Duplicate, GameRow, Store


class _Watched:
    """Does itself what is timed, and leaves the rest to the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def game(self, game_id: int) -> GameRow | None:
        return await self.fresh(game_id)

    async def fresh(self, game_id: int) -> GameRow | None:
        start = perf_counter()
        row = await self._store.fresh(game_id)
        metrics.load_seconds.observe(perf_counter() - start)
        return row

    async def commit(self, change: Change) -> None:
        start = perf_counter()
        try:
            await self._store.commit(change)
        except Conflict:
            metrics.commit_conflict.inc()
            raise
        except Duplicate:
            metrics.commit_duplicate.inc()
            raise
        except Exception:
            metrics.commit_failed.inc()
            raise
        metrics.commit_done.inc()
        metrics.commit_seconds.observe(perf_counter() - start)


def watched(store: Store) -> Store:
    """The same store, watched."""
    return cast(Store, _Watched(store))
