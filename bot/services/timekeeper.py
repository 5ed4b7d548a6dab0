"""Says what time it is, and tells the bot when that has jumped."""

from __future__ import annotations

import logging
from collections.abc import Callable

from bot.discordpy.acknowledging import snowflake_seconds
from bot.sessions import clock

_log = logging.getLogger(__name__)


class Timekeeper:
    """The bot's clock; see :mod:`bot.sessions.clock`."""

    def __init__(self, wall: Callable[[], float], steady: Callable[[], float]) -> None:
        """``wall`` returns Unix seconds, ``steady`` seconds since any moment."""
        self._wall = wall
        self._steady = steady
        self._clock = clock.started(wall(), steady())
        self.on_jump: Callable[[], None] = lambda: None
        """Called after the time has jumped: every game gets its whole time again."""

    def start(self, youngest_id: int | None) -> None:
        """Begin with the youngest of Discord's ids in the database."""
        at_least = snowflake_seconds(youngest_id) if youngest_id else 0.0
        self._clock = clock.started(self._wall(), self._steady(), at_least)

    @property
    def certain(self) -> bool:
        """Whether the time may decide about what can't be undone."""
        self.now()
        return self._clock.certain

    def now(self) -> float:
        """Return the time in Unix seconds."""
        steady = self._steady()
        known, jump = self._clock.looked_at(self._wall(), steady)
        if known is not self._clock:
            self._set(known, jump)
        return known.now(steady)

    def learn(self, discord_id: int) -> None:
        """Learn the time from an id that Discord has just made."""
        self.now()
        self._set(*self._clock.told(snowflake_seconds(discord_id), self._steady()))

    def _set(self, changed: clock.Clock, jump: float) -> None:
        self._clock = changed
        if jump:
            _log.warning("The clock has jumped by %.0f seconds; every game gets its whole time again", jump)
            self.on_jump()
