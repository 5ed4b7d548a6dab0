"""What stored texts stand for, for those used lately: whoever writes a value need not have it read again."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

MOST = 2048
"""How many values one memory holds; the oldest go first."""


class Recall(Generic[K, V]):
    """A memory of values by key. Values are immutable; losing one costs a decoding, nothing else."""

    def __init__(self, decode: Callable[[K], V], most: int = MOST) -> None:
        self._decode = decode
        self._most = most
        self._known: dict[K, V] = {}

    def __call__(self, key: K) -> V:
        """The value of ``key``. Raises what decoding raises."""
        try:
            return self._known[key]
        except KeyError:
            return self.note(key, self._decode(key))

    def note(self, key: K, value: V) -> V:
        """Remember the value of ``key``."""
        known = self._known
        if len(known) >= self._most:
            del known[next(iter(known))]
        known[key] = value
        return value
