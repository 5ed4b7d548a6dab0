"""Pictures of finished games. They come after the result, and nobody waits for them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from bot.charts.scores import race_picture
from bot.discordpy.components import Files
from bot.i18n.catalogue import Catalogue
from bot.records.replay import CORRUPT_LOG_ERRORS
from bot.screens.table import RACE
from bot.store.base import FINISHED, GameRow, Store

MAX_KEPT = 8
"""How many pictures are kept at hand, for when somebody clicks below one."""

RETRY_SECONDS = 10.0
MAX_TRIES = 5
"""How often a picture is tried, and how long the gallery waits after each that failed."""

_log = logging.getLogger(__name__)


class Gallery:
    """Draws one picture at a time, in a thread, and has it shown; keeps the latest few."""

    def __init__(self, store: Store, catalogue: Catalogue, show: Callable[[int], Awaitable[None]]) -> None:
        """``show(game_id)`` paints the game once more, this time with its picture."""
        self._store = store
        self._catalogue = catalogue
        self._show = show
        self._pictures: dict[int, bytes] = {}
        self._wishes: dict[int, int] = {}
        """How often each has failed."""
        self._task: asyncio.Task[None] | None = None

    def files(self, row: GameRow) -> Files:
        """The picture of a game under its name, if there is one yet."""
        picture = self._pictures.get(row.id) if row.status == FINISHED else None
        return {RACE: picture} if picture else {}

    def wish(self, game_id: int) -> None:
        """Have the picture of a game shown as soon as there is one."""
        self._wishes.setdefault(game_id, 0)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._work(), name="gallery")

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _work(self) -> None:
        while self._wishes:
            game_id = next(iter(self._wishes))
            failed = self._wishes.pop(game_id)
            try:
                await self._draw(game_id)
            except Exception as error:
                # The result stands in words above; a game without a picture is as good.
                _log.exception("The picture of game %s could not be drawn", game_id)
                if failed + 1 < MAX_TRIES and not isinstance(error, CORRUPT_LOG_ERRORS):
                    # Last in line; what is in the way, such as a database that is away, is so for all.
                    self._wishes.setdefault(game_id, failed + 1)
                    await asyncio.sleep(RETRY_SECONDS)

    async def _draw(self, game_id: int) -> None:
        row = await self._store.game(game_id)
        if row is None or row.status != FINISHED:
            return
        if game_id not in self._pictures:
            self._pictures[game_id] = await race_picture(self._store, row, self._catalogue)
            if len(self._pictures) > MAX_KEPT:
                del self._pictures[next(iter(self._pictures))]
        await self._show(game_id)
