"""Who begins a game: the first at the table, a person whom the host names, or one drawn by lot.

What the host has chosen is part of the start (see :mod:`~bot.records.sealing`). When the game begins, the
seats are turned so that the one that begins comes first and the order stays; so the rules always begin with
seat 0. The lot is drawn from the seed of the dice, and can be checked like them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeVar

from bot.games.core import Json
from bot.records.seeds import number

IN_ORDER, BY_LOT = -1, -2
"""The first at the table begins; who begins is drawn by lot. Any other number is the seat that begins."""

LOT_INDEX = (1 << 64) - 1
"""The number of the outcome that is the lot; no game draws so many."""

BEGINS = "begins"
"""The part of the start that says who begins; games of earlier versions lack it."""

_WORDS = {IN_ORDER: "table", BY_LOT: "lot"}

T = TypeVar("T")


def begins_to_json(begins: int) -> Json:
    """Return what stands in the start: ``"table"``, ``"lot"``, or the number of the seat."""
    return _WORDS.get(begins, begins)


def is_begins(raw: Json, seats: int) -> bool:
    """Return whether the start of a game with this many seats may say this about who begins."""
    if isinstance(raw, str):
        return seats > 0 and raw in _WORDS.values()
    return type(raw) is int and 0 <= raw < seats


@lru_cache(maxsize=2048)
def is_by_lot(start: str) -> bool:
    """Return whether a start says that it is drawn by lot who begins."""
    return bool(start) and json.loads(start).get(BEGINS) == _WORDS[BY_LOT]


@lru_cache(maxsize=2048)
def first_seat(start: str, seed: bytes) -> int:
    """Return which seat of a start begins; ``seed`` is that of the dice, from which the lot is drawn."""
    if not start:
        return 0
    fixed = json.loads(start)
    begins = fixed.get(BEGINS, _WORDS[IN_ORDER])
    if begins == _WORDS[BY_LOT]:
        return number(seed, LOT_INDEX, len(fixed["seats"]))
    return 0 if begins == _WORDS[IN_ORDER] else int(begins)


def turned(values: Sequence[T], first: int) -> tuple[T, ...]:
    """Return the values of all seats, in the same order but from seat ``first`` on.

    >>> turned("ABCD", 2)
    ('C', 'D', 'A', 'B')
    """
    return (*values[first:], *values[:first])
