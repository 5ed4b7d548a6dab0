"""Numbers, percentages and times in the format of a locale."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from functools import lru_cache

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_datetime, format_skeleton
from babel.numbers import format_decimal, format_percent

SOURCE = "en"
"""The language that is always complete, and shown where another one lacks a text."""


@lru_cache(maxsize=4096)
def number(locale: str, value: int) -> str:
    """Format an integer: 6,000 or 6.000 or 6 000."""
    # CLDR has a hyphen, which is too short beside digits and allows a line break.
    return format_decimal(value, locale=_babel(locale)).replace("-", "\N{MINUS SIGN}")


@lru_cache(maxsize=4096)
def percent(locale: str, share: float, digits: int = 1) -> str:
    """Format a share of 1: 51.2% or 51,2 %.

    >>> percent("en", 0.51234)
    '51.2%'
    """
    where = _babel(locale)
    pattern = where.percent_formats[None].pattern
    if digits:
        # The locale's pattern has no decimals.
        pattern = pattern.replace("0", "0." + "0" * digits, 1)
    return format_percent(share, pattern, locale=where)


@lru_cache(maxsize=4096)
def decimal(locale: str, value: float, digits: int) -> str:
    """Format a number with so many digits after the point.

    >>> decimal("de", 1.25, 1)
    '1,2'
    """
    text = format_decimal(value, f"#,##0.{'0' * digits}", locale=_babel(locale))
    return text.replace("-", "\N{MINUS SIGN}")


def date(locale: str, day: int) -> str:
    """Format a date, given in days since 1970-01-01, so that it stays on one line.

    >>> date("de", 20_786)
    '29.11.2026'
    """
    text = format_date(datetime.fromtimestamp(day * 86_400, UTC), "medium", locale=_babel(locale))
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def month(locale: str, number: int) -> str:
    """Format a month, counted from January 1970, with its year.

    >>> month("de", 682)
    'November 2026'
    """
    year, index = divmod(number, 12)
    return format_skeleton("yMMMM", datetime(1970 + year, index + 1, 1, tzinfo=UTC), locale=_babel(locale))


def moment(locale: str, at: float, zone: tzinfo) -> str:
    """Format a point in time, given in Unix seconds, in the locale's short form."""
    return format_datetime(datetime.fromtimestamp(at, zone), "short", locale=_babel(locale))


@lru_cache(maxsize=64)
def _babel(locale: str) -> Locale:
    for name in (locale.replace("-", "_"), language_of(locale)):
        with suppress(ValueError, UnknownLocaleError):
            return Locale.parse(name)
    return Locale(SOURCE)


def language_of(locale: str) -> str:
    """Return the language of a locale, e.g. ``de`` for ``de-CH``."""
    return locale.split("-")[0].split("_")[0].lower()
