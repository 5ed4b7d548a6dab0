"""Values that never change: how to make another one from one of them."""

from __future__ import annotations

from typing import Any, TypeVar

V = TypeVar("V")


def replace(value: V, **changes: Any) -> V:
    """A frozen dataclass with some of its fields changed, in a tenth of :func:`dataclasses.replace`'s time.

    For classes without slots that compute nothing when they are made.
    """
    whole = {**value.__dict__, **changes}
    assert len(whole) == len(value.__dict__), f"not all of {list(changes)} are fields"
    made = object.__new__(type(value))
    # A frozen class refuses to be assigned to.
    object.__setattr__(made, "__dict__", whole)
    return made
