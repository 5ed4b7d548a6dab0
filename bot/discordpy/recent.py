"""Remembers values for a short while."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from bot.store.bounded import Bounded

K = TypeVar("K")
V = TypeVar("V")


class Recent(Generic[K, V]):
    """A dictionary whose entries expire after ``seconds``, and whose oldest goes when there are ``most``.

    ``now`` returns seconds, of any clock.
    """

    def __init__(self, most: int, seconds: float, now: Callable[[], float]) -> None:
        self._seconds = seconds
        self._now = now
        self._entries: Bounded[K, tuple[float, V]] = Bounded(most)

    def get(self, key: K) -> V | None:
        """Return the value, or None if there is none that is recent."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        noted, value = entry
        # A clock that was set back must not keep an entry for longer.
        return value if 0 <= self._now() - noted < self._seconds else None

    def put(self, key: K, value: V) -> None:
        """Remember a value as of now."""
        self._entries[key] = self._now(), value

    def __len__(self) -> int:
        return len(self._entries)
