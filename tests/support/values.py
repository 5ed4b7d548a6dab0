"""Helpers for values that tests look at."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def not_none(value: T | None) -> T:
    """Return the value, which must not be None."""
    assert value is not None
    return value
