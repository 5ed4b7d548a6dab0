"""What was made lately, at hand: whoever writes a value need not have it read again, nor say a line twice."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
C = TypeVar("C")
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

    def forget(self) -> None:
        """Remember nothing any more; it costs a decoding of each value that is asked for again."""
        self._known.clear()


class Same(Generic[T, V]):
    """A memory of what was made of the very same object, found without comparing it.

    Objects are kept, so that their ids are nobody else's. When the younger of two generations of them is
    full, the older one goes, but for what was asked for since.
    """

    def __init__(self, make: Callable[[T], V], most: int = 2 * MOST) -> None:
        """``most`` objects are kept in each generation."""
        self._make = make
        self._most = most
        self._young: dict[int, tuple[T, V]] = {}
        self._old: dict[int, tuple[T, V]] = {}

    def __call__(self, one: T) -> V:
        """What is made of it. Raises what making raises."""
        known = self._young.get(id(one))
        return known[1] if known is not None else self._further(one)

    def _further(self, one: T) -> V:
        known = self._old.get(id(one)) or (one, self._make(one))
        if len(self._young) >= self._most:
            self._old, self._young = self._young, {}
        self._young[id(one)] = known
        return known[1]

    def forget(self) -> None:
        """Remember nothing any more."""
        self._young.clear()
        self._old.clear()


class SameIn(Generic[T, C, V]):
    """Like :class:`Same`, for what is made of an object in a context; it is known in its latest one only."""

    def __init__(self, make: Callable[[T, C], V], most: int = 2 * MOST) -> None:
        self._make = make
        self._latest: Same[T, list[tuple[C, V]]] = Same(lambda one: [], most)

    def __call__(self, one: T, context: C) -> V:
        """What is made of it. Raises what making raises."""
        latest = self._latest(one)
        if latest and (latest[0][0] is context or latest[0][0] == context):
            return latest[0][1]
        value = self._make(one, context)
        latest[:] = [(context, value)]
        return value
