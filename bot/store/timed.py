"""A store that measures the time of reading and writing games, and counts the outcomes of commits."""

from __future__ import annotations

from time import perf_counter

from bot.observability import metrics
from bot.store.base import Change, Conflict, Duplicate, GameRow
from bot.store.delegate import StoreDelegate


class TimedStore(StoreDelegate):
    """Reports :meth:`game`, :meth:`fresh` and :meth:`commit` to the metrics."""

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
