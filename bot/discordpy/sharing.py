"""Posts the results that people share: each once, until a restart."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable

from bot.discordpy.answer import Answer
from bot.i18n.say import say
from bot.screens.model import Screen
from bot.screens.private import note
from bot.sessions.request import Refused
from bot.store.bounded import Bounded

MAX_SHARES = 10_000
"""How many posted results to remember."""


class Shares:
    """The results that were posted, each by a key of the page that shares it."""

    def __init__(self) -> None:
        self._posted: Bounded[Hashable, None] = Bounded(MAX_SHARES)

    def take(self, key: Hashable) -> bool:
        """Return whether a result may be posted. Two clicks at the same time post it once."""
        if key in self._posted:
            return False
        self._posted[key] = None
        return True

    def give_back(self, key: Hashable) -> None:
        """Forget a result that could not be posted."""
        self._posted.pop(key, None)

    async def post(
        self, answer: Answer, key: Hashable, screen: Screen, afterwards: Callable[[], Awaitable[Screen]]
    ) -> None:
        """Post a result to the channel, and then show ``afterwards`` on the page that was clicked.

        Raises :class:`Refused` if it was posted before.
        """
        if not self.take(key):
            raise Refused("error-daily-shared")
        await answer.claim()
        await answer.acknowledge()
        if await answer.public(screen, {}):
            await answer.turn_page(await afterwards())
        else:
            self.give_back(key)
            await answer.private(note(say("error-daily-not-shared")))
