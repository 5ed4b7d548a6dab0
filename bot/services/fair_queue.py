"""A queue in which servers take turns, and so do the people of each, however much somebody asks for."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections import Counter
from collections.abc import AsyncIterator, Hashable

from bot.observability import metrics
from bot.sessions.request import Asker, Refused
from bot.store.bounded import Bounded

MAX_OF_SERVER = 20
"""How many people of one server may wait: a review takes seconds, and an answer is possible for minutes."""

MAX_WAITING = 200
"""How many people may wait in all."""

MAX_REMEMBERED = 2000
"""For how many people and servers to remember when they had their latest turn."""


class FairQueue:
    """Gives out turns, one at a time.

    Next comes the server whose latest turn is longest ago, and in it the person whose latest turn is.

    A person has at most one request waiting, besides one that has its turn.
    """

    def __init__(self) -> None:
        self._busy = False
        self._waiting: dict[Asker, asyncio.Future[None]] = {}
        """Who waits, in the order of their arrival."""
        self._served: Bounded[Hashable, int] = Bounded(MAX_REMEMBERED)
        """The number of the latest turn of people and servers, the oldest first."""
        self._turns = itertools.count(1)

    def check(self, asker: Asker) -> None:
        """Raise :class:`Refused` if this person can't wait for a turn now."""
        if not self._busy:
            return
        if asker in self._waiting:
            metrics.slowed_waiting.inc()
            raise Refused("error-waiting-own")
        of_server = Counter(waiting.guild_id for waiting in self._waiting)
        if of_server[asker.guild_id] >= MAX_OF_SERVER or len(self._waiting) >= MAX_WAITING:
            metrics.slowed_waiting.inc()
            raise Refused("error-waiting-many")

    @contextlib.asynccontextmanager
    async def turn(self, asker: Asker) -> AsyncIterator[None]:
        """Wait for a turn, and hold it inside the ``async with``. Raises as :meth:`check`."""
        if self._busy:
            self.check(asker)
            future = self._waiting[asker] = asyncio.get_running_loop().create_future()
            try:
                await future
            except BaseException:
                if self._waiting.pop(asker, None) is None:
                    # The turn had come just then.
                    self._pass_on()
                raise
        self._busy = True
        for key in (asker.guild_id, asker):
            self._served[key] = next(self._turns)
        try:
            yield
        finally:
            self._pass_on()

    def _pass_on(self) -> None:
        if not self._waiting:
            self._busy = False
            return
        asker = min(self._waiting, key=lambda asker: (self._latest(asker.guild_id), self._latest(asker)))
        future = self._waiting.pop(asker)
        # A caller that was cancelled just now passes the turn on.
        if not future.cancelled():
            future.set_result(None)

    def _latest(self, key: Hashable) -> int:
        return self._served.get(key, 0)
