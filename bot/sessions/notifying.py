"""Decides how to notify a person: by their choice, what it is about, and the clock where they are."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from bot.standings.periods import zone_of
from bot.store.notifications import AT_ONCE, MENTION, NOTHING, NotificationPreferences


class Reason(StrEnum):
    """Why a person is notified: their turn has come, half of their time is over, or somebody asks them."""

    TURN = "turn"
    HALF = "half"
    ASKED = "asked"


def way_to_notify(
    chosen: NotificationPreferences, reason: Reason, now: float, *, limited: bool = True
) -> str:
    """Return one of :data:`~bot.store.notifications.WAYS` to notify a person at ``now``, in Unix seconds.

    A game without a turn limit (not ``limited``) has no half of it, so there everybody is notified at once. A
    question from another person is in a channel, so the person asked is mentioned there or not notified.
    """
    if chosen.way == NOTHING or is_quiet(chosen, now):
        return NOTHING
    if reason is Reason.ASKED:
        return MENTION
    if reason is Reason.TURN and limited and chosen.moment != AT_ONCE:
        return NOTHING
    return chosen.way


def is_quiet(chosen: NotificationPreferences, now: float) -> bool:
    """Return whether a moment lies in somebody's quiet hours, by the clock of their time zone."""
    if chosen.quiet is None:
        return False
    start, end = chosen.quiet
    hour = datetime.fromtimestamp(now, zone_of(chosen.zone)).hour
    return start <= hour < end if start <= end else hour >= start or hour < end
