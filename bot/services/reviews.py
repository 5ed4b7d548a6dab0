"""Reviews of finished games, computed from the log, one at a time, in a worker process."""

from __future__ import annotations

import asyncio
import logging
from typing import TypeVar

from bot.charts.canvas import in_chart_thread
from bot.charts.winning_chances import winning_chances_chart
from bot.games.core import CORRUPT_DATA_ERRORS, Unreadable
from bot.i18n.catalogue import Catalogue
from bot.records.game_log import GameLog, OtherRules, read_log
from bot.registry import find
from bot.screens.advice import Report
from bot.sessions.request import Refused
from bot.sessions.session import Think
from bot.store.base import FINISHED, GameRow, Store

MAX_KEPT = 16
"""How many reviews and pictures to keep, in case one is shared."""

K = TypeVar("K")
V = TypeVar("V")

_log = logging.getLogger(__name__)


class Reviews:
    """Computes reviews and draws their charts."""

    def __init__(self, store: Store, catalogue: Catalogue, think: Think = asyncio.to_thread) -> None:
        self._store = store
        self._catalogue = catalogue
        self._think = think
        self._lock = asyncio.Lock()
        self._reports: dict[int, Report] = {}
        self._pictures: dict[tuple[int, str], bytes] = {}
        self.sharing: set[tuple[int, int]] = set()
        """The reviews that are being posted right now: game and channel."""

    async def report(self, row: GameRow) -> Report:
        """Return the review of a game. Raises :class:`Refused` if there can be none."""
        entry = find(row.game)
        if entry.coach is None:
            raise Refused("error-review-game")
        if row.status != FINISHED:
            raise Refused("error-review-later")
        # A second request for the same game waits here, and then finds the review.
        async with self._lock:
            report = self._reports.get(row.id)
            if report is None:
                try:
                    log = await read_log(self._store, row)
                    report = await self._think(review, row.state, log)
                except OtherRules:
                    raise
                except CORRUPT_DATA_ERRORS as error:
                    _log.warning("The log of game %s is damaged: %s", row.id, error)
                    raise Refused("error-review-damaged") from error
                except TimeoutError:
                    _log.warning("The review of game %s takes too long", row.id)
                    raise Refused("error-review-long") from None
                _keep(self._reports, row.id, report)
        return report

    async def picture(self, row: GameRow, report: Report, locale: str) -> bytes:
        """Return the chart of the winning chances as PNG, in the language of ``locale``."""
        # Names are part of the picture and may change when a person's data is deleted.
        key = row.id, f"{locale}:{hash(row.seats)}"
        picture = self._pictures.get(key)
        if picture is None:
            picture = await in_chart_thread(winning_chances_chart, report, row.seats, self._catalogue, locale)
            _keep(self._pictures, key, picture)
        return picture


def review(end: object, log: GameLog) -> Report:
    """Review a game. Raises one of CORRUPT_DATA_ERRORS unless its log leads to ``end``, the stored state."""
    entry = find(log.game)
    assert entry.coach is not None
    *_, last = log.replay()
    if last.state != end:
        raise Unreadable("error-unreadable")
    return entry.coach.review(log.options, log.seats, log.moves)


def _keep(kept: dict[K, V], key: K, value: V) -> None:
    """Add a value, and remove the oldest one if there are too many."""
    kept[key] = value
    if len(kept) > MAX_KEPT:
        del kept[next(iter(kept))]
