"""Converts JSON to text and back, and checks JSON values. All functions raise :class:`Unreadable`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TypeVar

import orjson

from bot.games.core import Json, Unreadable

E = TypeVar("E", bound=StrEnum)


def dumps(value: Json) -> str:
    """Encode a value compactly with sorted keys, so that equal values have equal texts.

    Raises :class:`Unreadable` for values that JSON can't hold, and numbers of more than 64 bits.
    """
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    except orjson.JSONEncodeError as error:
        raise Unreadable("error-unreadable") from error


def loads(text: str | bytes) -> Json:
    """Decode a text or UTF-8."""
    try:
        return orjson.loads(text)
    except ValueError as error:
        raise Unreadable("error-unreadable") from error


def at_schema(
    raw: Json, schema: int, upcasters: Mapping[int, Callable[[dict[str, Json]], dict[str, Json]]]
) -> dict[str, Json]:
    """Bring a stored object up to ``schema``: ``upcasters[n]`` turns form n into form n + 1."""
    if not isinstance(raw, dict):
        raise Unreadable("error-unreadable")
    form: dict[str, Json] = raw
    while form.get("schema") != schema:
        upcast = upcasters.get(integer(form.get("schema")))
        if upcast is None:
            raise Unreadable("error-unreadable")
        form = upcast(form)
    return form


LARGEST = (1 << 63) - 1
"""The largest number that can be written; those of games are far smaller."""


def integer(raw: Json) -> int:
    """Return a whole number of at most 64 bits."""
    if type(raw) is not int or abs(raw) > LARGEST:
        raise Unreadable("error-unreadable")
    return raw


def member(kind: type[E], raw: Json) -> E:
    """Return the member of an enumeration with this value."""
    try:
        return kind(raw)
    except ValueError as error:
        raise Unreadable("error-unreadable") from error
