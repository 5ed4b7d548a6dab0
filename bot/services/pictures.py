"""Score charts and highlights of finished games, made in the background after the result is shown."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from bot.discordpy.components import Files
from bot.games.core import CORRUPT_DATA_ERRORS
from bot.records.game_log import OtherRules
from bot.screens.highlights import Highlights
from bot.screens.result import SCORE_CHART
from bot.services.derived import DerivedResults
from bot.services.jobs import WorkQueue
from bot.sessions.request import Refused
from bot.store.base import FINISHED, GameRow, Store
from bot.store.bounded import Bounded

MAX_KEPT = 8
"""For how many games to keep the picture and the highlights, in case a table is painted again."""

RETRY_SECONDS = 10.0
"""How long after a failure to draw or show a picture again; every further pause is twice as long."""

MAX_TRIES = 8
"""How often to try, over about twenty minutes."""

_log = logging.getLogger(__name__)


class Gallery:
    """Requests one picture at a time, shows it, and keeps the latest few."""

    def __init__(self, store: Store, derived: DerivedResults, show: Callable[[int], Awaitable[bool]]) -> None:
        """``show(game_id)`` paints the game again with its picture. It returns False to be called later."""
        self._store = store
        self._derived = derived
        self._show = show
        self._pictures: Bounded[int, bytes] = Bounded(MAX_KEPT)
        self._highlights: Bounded[int, Highlights] = Bounded(MAX_KEPT)
        self._queue = WorkQueue[int](
            "picture of game",
            self._draw_and_show,
            # The table shows the result as text too, so a missing picture is only logged.
            failure="The picture of game %s could not be drawn",
            pause=lambda failures: RETRY_SECONDS * 2 ** (failures - 1) if failures < MAX_TRIES else None,
        )

    def files(self, row: GameRow) -> Files:
        """Return the picture of a game under its file name; nothing if it is not drawn or was refused."""
        picture = self._pictures.get(row.id) if row.status == FINISHED else None
        return {SCORE_CHART: picture} if picture else {}

    def highlights(self, row: GameRow) -> Highlights | None:
        """Return what stood out in a game, or None if that is not known yet."""
        return self._highlights.get(row.id) if row.status == FINISHED else None

    def refuse(self, game_id: int) -> None:
        """Note that a channel takes no picture of a game."""
        # An empty picture is neither shown nor drawn again.
        self._pictures[game_id] = b""

    def request(self, game_id: int) -> None:
        """Draw the picture of a game in the background, and show it, and then its highlights."""
        self._queue.add(game_id)

    async def stop(self) -> None:
        await self._queue.stop()

    async def _draw_and_show(self, game_id: int) -> None:
        row = await self._store.game(game_id)
        if row is None or row.status != FINISHED:
            return
        try:
            if game_id not in self._pictures:
                self._pictures[game_id] = await self._derived.score_chart(row)
            if not await self._show(game_id):
                self._queue.retry(game_id)
                return
            if game_id not in self._highlights:
                # A review may take seconds, which the picture does not wait for.
                self._highlights[game_id] = await self._derived.highlights(row)
                if not await self._show(game_id):
                    self._queue.retry(game_id)
        except Refused as refused:
            _log.warning("The picture of game %s can't be drawn now: %s", game_id, refused.code)
            self._queue.retry(game_id)
        except OtherRules as error:
            _log.info("The picture of game %s is not drawn: %s", game_id, error)
        except CORRUPT_DATA_ERRORS:
            # Another try would fail as well.
            _log.exception("The picture of game %s could not be drawn: its log is damaged", game_id)
