"""JSON forms of values, derived from their types: dataclasses, numbers, texts, enumerations, tuples of these.

Reading is strict: an object must have exactly the fields of its class, and ``true`` is not a number. If not
all values of a type are allowed, annotate it with :class:`ReadBy`::

    Row = Annotated[int, ReadBy(one_of(range(6)))]
"""

from __future__ import annotations

import types
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from bot.games.codec import integer, member
from bot.games.core import Json, Unreadable

Read = Callable[[Json], Any]
Write = Callable[[Any], Json]


@dataclass(frozen=True, slots=True)
class ReadBy:
    """An annotation of a type: ``read`` decodes its values, and raises :class:`Unreadable`."""

    read: Read


def one_of(values: Container[int | str]) -> Read:
    """Return a reader that accepts only these numbers or texts."""

    def read(raw: Json) -> object:
        if type(raw) not in (int, str) or raw not in values:
            raise Unreadable("error-unreadable")
        return raw

    return read


def _object_form(kind: type) -> dict[str, tuple[Read, Write]]:
    """Return the reader and writer of each field of a dataclass, in order."""
    hints = get_type_hints(kind, include_extras=True)
    return {field.name: (reader(hints[field.name]), writer(hints[field.name])) for field in fields(kind)}


def _reader(hint: object) -> Read:
    """Return the reader of a type. It raises :class:`Unreadable`."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return next(extra.read for extra in args[1:] if isinstance(extra, ReadBy))
    if origin is tuple:
        read_item = reader(args[0])
        return lambda raw: tuple([read_item(item) for item in _list(raw)])
    if origin in (Union, types.UnionType):
        read_some = reader(_some(args))
        return lambda raw: None if raw is None else read_some(raw)
    if hint is int:
        return integer
    if hint in (bool, str):
        return lambda raw: _exactly(hint, raw)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return lambda raw: member(hint, raw)
    assert isinstance(hint, type), f"there is no form for {hint}"
    assert is_dataclass(hint), f"there is no form for {hint}"
    form = {name: read for name, (read, _) in object_form(hint).items()}

    def read_object(raw: Json) -> object:
        if not isinstance(raw, dict) or raw.keys() != form.keys():
            raise Unreadable("error-unreadable")
        return hint(**{name: read(raw[name]) for name, read in form.items()})

    return read_object


def _writer(hint: object) -> Write:
    """Return the writer of a type."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return writer(args[0])
    if origin is tuple:
        write_item = writer(args[0])
        return list if write_item is _itself else lambda value: [write_item(item) for item in value]
    if origin in (Union, types.UnionType):
        write_some = writer(_some(args))
        return lambda value: None if value is None else write_some(value)
    if hint in (int, bool, str):
        return _itself
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return {member: member.value for member in hint}.__getitem__
    if hasattr(hint, "to_json"):
        return lambda value: value.to_json()
    assert isinstance(hint, type), f"there is no form for {hint}"
    form = {name: write for name, (_, write) in object_form(hint).items()}
    if hasattr(hint, "__slots__"):
        return lambda value: {name: write(getattr(value, name)) for name, write in form.items()}
    # A state has no slots; each click writes one, so what is JSON already is copied as a whole.
    others = [(name, write) for name, write in form.items() if write is not _itself]
    return lambda value: {**value.__dict__, **{name: write(getattr(value, name)) for name, write in others}}


# Annotated, because mypy does not know that all types are hashable.
object_form: Callable[[type], Mapping[str, tuple[Read, Write]]] = cache(_object_form)
reader: Callable[[object], Read] = cache(_reader)
writer: Callable[[object], Write] = cache(_writer)


def _some(args: tuple[object, ...]) -> object:
    """Return the type in ``<type> | None``."""
    (some,) = (arg for arg in args if arg is not types.NoneType)
    return some


def _itself(value: object) -> object:
    return value


def _exactly(kind: object, raw: Json) -> object:
    if type(raw) is not kind:
        raise Unreadable("error-unreadable")
    return raw


def _list(raw: Json) -> list[Json]:
    if not isinstance(raw, list):
        raise Unreadable("error-unreadable")
    return raw
