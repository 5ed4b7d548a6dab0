"""How a person wants to be notified when it is their turn, as it is stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from bot.standings.periods import DEFAULT_ZONE

MENTION, MESSAGE, NOTHING = "mention", "message", "nothing"
"""Ways to be notified: a mention in the channel of the game, a direct message, or not at all."""

WAYS = (MENTION, MESSAGE, NOTHING)

AT_ONCE, HALF = "once", "half"
"""When to notify: as soon as the turn begins and again after half of the turn limit, or only after half."""

MOMENTS = (AT_ONCE, HALF)

HOURS = range(24)
"""The hours at which quiet can begin and end."""


@dataclass(frozen=True, slots=True)
class NotificationPreferences:
    """How a person wants to be notified.

    The person is not notified between the two hours of ``quiet``, by the clock in ``zone``; the second may be
    on the next day. None means no quiet hours. ``locale`` is the language of direct messages, None for the
    server's language.
    """

    way: str = MENTION
    moment: str = AT_ONCE
    quiet: tuple[int, int] | None = None
    zone: str = DEFAULT_ZONE
    locale: str | None = None


class NotificationStore(Protocol):
    """Stores how people want to be notified. What a method has written when it returns survives a crash."""

    async def of(self, user_id: int) -> NotificationPreferences | None:
        """Return what a person has chosen, or None if they have chosen nothing."""
        ...

    async def choose(self, user_id: int, chosen: NotificationPreferences) -> None: ...
