"""When a day of the daily game begins, ends and is opened. Days are counted from 1970-01-01, in UTC."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

DAY_SECONDS = 86_400
WEST_SECONDS = 12 * 3600
"""How long after its end in UTC a day ends in the last place on earth (UTC-12)."""

_FIRST = date(1970, 1, 1)


def day_at(now: float) -> int:
    """Return the day of a time in Unix seconds."""
    return int(now // DAY_SECONDS)


def ends_at(day: int) -> float:
    """Return when a day ends, in Unix seconds. From then on nobody can begin its game."""
    return float((day + 1) * DAY_SECONDS)


def opens_at(day: int) -> float:
    """Return when a day is over everywhere on earth, in Unix seconds. Then its secret is opened.

    Until shortly before, a game that was begun can be played on.
    """
    return ends_at(day) + WEST_SECONDS


def date_of(day: int) -> str:
    """Return the date of a day.

    >>> date_of(20786)
    '2026-11-29'
    """
    return (_FIRST + timedelta(days=day)).isoformat()


def day_of(text: str) -> int:
    """Return the day of a date as :func:`date_of` writes it. Raises :class:`ValueError` for other texts.

    >>> day_of("2026-11-29")
    20786
    """
    day = (date.fromisoformat(text) - _FIRST).days
    if date_of(day) != text:
        raise ValueError(f"not written as a date of the daily game: {text!r}")
    return day


def streak(finished: Sequence[int], today: int) -> int:
    """Return on how many days in a row, up to today or yesterday, a person has finished the game.

    ``finished`` are the days on which they did, the latest first.

    >>> streak([10, 9, 8, 6], 10), streak([10, 9], 11), streak([10, 9], 12), streak([], 12)
    (3, 2, 0, 0)
    """
    if not finished or finished[0] < today - 1:
        return 0
    return next((count for count, day in enumerate(finished) if day != finished[0] - count), len(finished))
