"""When the present day, week and month began where a server's people live."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from bot.standings.values import Period

DEFAULT_ZONE = "UTC"

CURRENT_PERIODS = (Period.MONTH, Period.WEEK, Period.DAY)
"""The periods that end some day."""


def period_start(period: Period, at: float, zone: str) -> int:
    """The Unix second in which the ``period`` that contains ``at`` began; weeks begin on Monday.

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
    # Where the clock is put forward at midnight this is the first moment of the day all the same.
    return int(datetime(day.year, day.month, day.day, tzinfo=here).timestamp())


@lru_cache(maxsize=1024)
def zone_of(name: str) -> tzinfo:
    """The time zone of that name; UTC for one that is not known here."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC


@lru_cache(maxsize=1)
def zones() -> tuple[str, ...]:
    """The names people can choose from: UTC, and ``Area/Place`` without the old aliases."""
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
