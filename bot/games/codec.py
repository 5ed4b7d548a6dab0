"""Text to JSON and back, and small checks of JSON values. All raise :class:`Unreadable`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TypeVar

import orjson

from bot.games.core import Json, Unreadable

E = TypeVar("E", bound=StrEnum)


def dumps(value: Json) -> str:
    """Write a value in the one form that is stored: compact, with sorted keys, so that equal means equal.

    Raises :class:`Unreadable` for what can't be written, e.g. numbers of more than 64 bits.
    """
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    except orjson.JSONEncodeError as error:
        raise Unreadable("error-unreadable") from error


def loads(text: str) -> Json:
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
"""No number of a game comes near; larger ones can't be written."""


def integer(raw: Json) -> int:
    if type(raw) is not int or abs(raw) > LARGEST:
        raise Unreadable("error-unreadable")
    return raw


def member(kind: type[E], raw: Json) -> E:
    try:
        return kind(raw)
    except ValueError as error:
        raise Unreadable("error-unreadable") from error
