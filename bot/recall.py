"""What was made lately, at hand: whoever writes a value need not have it read again, nor say a line twice."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar, TypeVarTuple

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
C = TypeVarTuple("C")
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


class Same(Generic[T, *C, V]):
    """A memory of what was made of the very same object in the same ``context``, found without comparing it.

    An object is known in its latest context only. Objects are kept, so that their ids are nobody else's. When
    the younger of two generations of them is full, the older one goes, but for what was asked for since.
    """

    def __init__(self, make: Callable[[T, *C], V], most: int = 4 * MOST) -> None:
        """``most`` objects are kept in each generation."""
        self._make = make
        self._most = most
        self._young: dict[int, tuple[T, tuple[*C], V]] = {}
        self._old: dict[int, tuple[T, tuple[*C], V]] = {}

    def __call__(self, one: T, *context: *C) -> V:
        """What is made of it. Raises what making raises."""
        key = id(one)
        known = self._young.get(key)
        if known is None:
            known = self._old.get(key)
            if known is not None:
                self._note(key, known)
        if known is not None and known[1] == context:
            return known[2]
        value = self._make(one, *context)
        self._note(key, (one, context, value))
        return value

    def _note(self, key: int, known: tuple[T, tuple[*C], V]) -> None:
        if len(self._young) >= self._most:
            self._old, self._young = self._young, {}
        self._young[key] = known
