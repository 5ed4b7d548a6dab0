"""Rolls of dice as sorted faces, with their exact weights. :mod:`bot.records.seeds` draws a game's rolls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations_with_replacement
from math import factorial, prod

from bot.games.core import Json, Unreadable

FACES = (1, 2, 3, 4, 5, 6)

Dice = tuple[int, ...]
"""Faces of some dice in ascending order, e.g. ``(1, 4, 4, 6)``. The order of dice never matters."""

Counts = tuple[int, int, int, int, int, int]
"""How many dice show 1, 2, …, 6."""


@cache
def rolls(number: int) -> tuple[tuple[Dice, int], ...]:
    """Return all rolls of ``number`` dice with the number of ways to roll each, in total ``6**number``.

    >>> rolls(2)[:2]
    (((1, 1), 1), ((1, 2), 2))
    >>> len(rolls(6)), sum(weight for _, weight in rolls(6)) == 6**6
    (462, True)
    """
    ways = factorial(number)
    return tuple(
        (dice, ways // prod(factorial(count) for count in counts(dice)))
        for dice in combinations_with_replacement(FACES, number)
    )


@cache
def counts(dice: Dice) -> Counts:
    """Count how often each face occurs.

    >>> counts((1, 4, 4, 6))
    (1, 0, 0, 2, 0, 1)
    """
    return (
        dice.count(1),
        dice.count(2),
        dice.count(3),
        dice.count(4),
        dice.count(5),
        dice.count(6),
    )


def from_counts(numbers: Iterable[int]) -> Dice:
    """Return the dice with these :func:`counts`.

    >>> from_counts((1, 0, 0, 2, 0, 1))
    (1, 4, 4, 6)
    """
    return tuple(face for face, number in zip(FACES, numbers, strict=True) for _ in range(number))


def minus(dice: Dice, taken: Sequence[int]) -> Dice:
    """Return ``dice`` without ``taken``, which must all be among them."""
    rest = list(dice)
    for face in taken:
        rest.remove(face)
    return tuple(rest)


def dice_from_json(raw: Json, most: int) -> Dice:
    """Read a list of at most ``most`` faces, and sort it. Raises :class:`Unreadable`."""
    if not isinstance(raw, list) or len(raw) > most:
        raise Unreadable("error-unreadable")
    for face in raw:
        if type(face) is not int or face not in FACES:
            raise Unreadable("error-unreadable")
    return tuple(sorted(raw))
