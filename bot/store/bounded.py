"""A dictionary with a limit, for what is kept in memory."""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Bounded(OrderedDict[K, V]):
    """A dictionary of at most ``most`` entries. The entry that was set longest ago makes room for a new one.

    >>> kept = Bounded(2)
    >>> kept["a"], kept["b"], kept["a"], kept["c"] = 1, 2, 3, 4
    >>> list(kept.items())
    [('a', 3), ('c', 4)]

    Call ``move_to_end(key)`` to keep an entry for longer when it is read.
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self._most:
            self.popitem(last=False)
