"""Says what time it is, and tells the bot when that has jumped."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable

from bot.discordpy.acknowledging import snowflake_seconds
from bot.sessions import clock

LOOK_SECONDS = 0.05
"""How long the wall clock need not be looked at again: several times a click the time is asked for."""

_log = logging.getLogger(__name__)


class Timekeeper:
    """The bot's clock; see :mod:`bot.sessions.clock`."""

    def __init__(self, wall: Callable[[], float], steady: Callable[[], float]) -> None:
        """``wall`` returns Unix seconds, ``steady`` seconds since any moment."""
        self._wall = wall
        self._steady = steady
        self._clock = clock.started(wall(), steady())
        self._looked = -math.inf
        """When the wall clock was looked at last, by the steady clock."""
        self.on_jump: Callable[[], None] = lambda: None
        """Called after the time has jumped: every game gets its whole time again."""

    def start(self, youngest_id: int | None) -> None:
        """Begin with the youngest of Discord's ids in the database."""
        at_least = snowflake_seconds(youngest_id) if youngest_id else 0.0
        self._clock = clock.started(self._wall(), self._steady(), at_least)

    @property
    def certain(self) -> bool:
        """Whether the time may decide about what can't be undone."""
        self._look(self._steady())
        return self._clock.certain

    def now(self) -> float:
        """Return the time in Unix seconds."""
        steady = self._steady()
        if steady - self._looked >= LOOK_SECONDS:
            self._look(steady)
        return self._clock.now(steady)

    def learn(self, discord_id: int) -> None:
        """Learn the time from an id that Discord has just made."""
        steady = self._steady()
        self._look(steady)
        self._set(*self._clock.told(snowflake_seconds(discord_id), steady))

    def _look(self, steady: float) -> None:
        self._looked = steady
        self._set(*self._clock.looked_at(self._wall(), steady))

    def _set(self, changed: clock.Clock, jump: float) -> None:
        self._clock = changed
        if jump:
            _log.warning("The clock has jumped by %.0f seconds; every game gets its whole time again", jump)
            self.on_jump()
