"""When the present day, week and month began in a server's time zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from bot.standings.values import Period

DEFAULT_ZONE = "UTC"

CURRENT_PERIODS = (Period.MONTH, Period.WEEK, Period.DAY)
"""All periods except :attr:`Period.ALL`."""


def period_start(period: Period, at: float, zone: str) -> int:
    """Return the Unix second in which the ``period`` that contains ``at`` began. Weeks begin on Monday.

    >>> period_start(Period.DAY, 1_700_000_000, "Europe/Zurich")
    1699916400
    >>> period_start(Period.ALL, 1_700_000_000, "Europe/Zurich")
    0
    """
    if period is Period.ALL:
        return 0
    here = zone_of(zone)
    day = datetime.fromtimestamp(at, here).date()
    if period is Period.WEEK:
        day -= timedelta(days=day.weekday())
    elif period is Period.MONTH:
        day = day.replace(day=1)
    # If clocks go forward at midnight, this is still the first moment of the day.
    return int(datetime(day.year, day.month, day.day, tzinfo=here).timestamp())


@lru_cache(maxsize=1024)
def zone_of(name: str) -> tzinfo:
    """Return the time zone of a name, or UTC if this machine doesn't know it."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC


@lru_cache(maxsize=1)
def zones() -> tuple[str, ...]:
    """Return the names of time zones to choose from: UTC, and those like ``Area/Place``, without aliases."""
    areas = {
        "Africa",
        "America",
        "Antarctica",
        "Asia",
        "Atlantic",
        "Australia",
        "Europe",
        "Indian",
        "Pacific",
    }
    return ("UTC", *sorted(name for name in available_timezones() if name.split("/")[0] in areas))
