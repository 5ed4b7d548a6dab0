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
from bot.records.seeds import drawn_number

IN_ORDER, BY_LOT = -1, -2
"""Who begins: the first at the table, or one drawn by lot. Any other number is the seat that begins."""

LOT_INDEX = (1 << 64) - 1
"""The index of the lot among the outcomes of the seed; no game draws so many."""

BEGINS = "begins"
"""The part of the start that says who begins; games of earlier versions lack it."""

_WORDS = {IN_ORDER: "table", BY_LOT: "lot"}
"""How these are written in the start."""

T = TypeVar("T")


def begins_to_json(begins: int) -> Json:
    """Return how the start says it: ``"table"``, ``"lot"``, or the number of the seat."""
    return _WORDS.get(begins, begins)


def is_begins(raw: Json, seats: int) -> bool:
    """Return whether :func:`begins_to_json` can return this for a game with so many seats."""
    if isinstance(raw, str):
        return seats > 0 and raw in _WORDS.values()
    return type(raw) is int and 0 <= raw < seats


@lru_cache(maxsize=2048)
def is_by_lot(start: str) -> bool:
    """Return whether a start says that a lot decides who begins."""
    return bool(start) and json.loads(start).get(BEGINS) == _WORDS[BY_LOT]


@lru_cache(maxsize=2048)
def first_seat(start: str, seed: bytes) -> int:
    """Return which seat of a start begins. The lot is drawn from the ``seed`` of the dice."""
    if not start:
        return 0
    parts = json.loads(start)
    begins = parts.get(BEGINS, _WORDS[IN_ORDER])
    if begins == _WORDS[BY_LOT]:
        return drawn_number(seed, LOT_INDEX, len(parts["seats"]))
    return 0 if begins == _WORDS[IN_ORDER] else int(begins)


def turned(values: Sequence[T], first: int) -> tuple[T, ...]:
    """Return one value per seat in the same order, but starting with seat ``first``.

    >>> turned("ABCD", 2)
    ('C', 'D', 'A', 'B')
    """
    return (*values[first:], *values[:first])
