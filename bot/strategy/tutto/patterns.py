"""Rolls grouped by their choices.

For the value of a turn, only the number of dice and the points of a legal set matter, and two rolls are
equivalent if they offer the same sets. This reduces the 923 rolls of one to six dice to 167 patterns. Points
are in steps of 50, because every score in Tutto is a multiple of 50.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from bot.games.dice import rolls
from bot.games.tutto.cards import Card
from bot.games.tutto.scoring import keepable, points, valid_dice
from bot.games.tutto.state import NUMBER_OF_DICE

STEP = 50
"""Points per step."""

_ANY_SCORING_CARD = Card.X2
# The same dice are valid with all cards except the Straight.


@dataclass(frozen=True, slots=True)
class Pattern:
    """A class of equivalent rolls. ``weight`` of all ways to roll belong to it.

    ``dice`` and ``steps`` are the number and the points of all its valid dice, ``keeps`` those of each legal
    set. ``parts`` are indices of earlier patterns of as many dice, whose sets together are all sets of this
    pattern but the largest.
    """

    weight: int
    dice: int
    steps: int
    keeps: tuple[tuple[int, int], ...]
    parts: tuple[int, ...]


@cache
def null_weight(dice: int) -> int:
    """Return how many of the ``6**dice`` ways to roll have no valid die.

    >>> [null_weight(dice) for dice in range(1, 4)]
    [4, 16, 60]
    """
    return sum(weight for roll, weight in rolls(dice) if not valid_dice(roll, _ANY_SCORING_CARD, ()))


@cache
def patterns(dice: int) -> tuple[Pattern, ...]:
    """Return all patterns of 1 to 6 ``dice`` except the null, those with fewer choices first.

    >>> [len(patterns(dice)) for dice in range(1, 7)]
    [2, 5, 13, 26, 44, 77]
    """
    assert 1 <= dice <= NUMBER_OF_DICE
    weights: dict[tuple[int, int, frozenset[tuple[int, int]]], int] = {}
    for roll, weight in rolls(dice):
        valid = valid_dice(roll, _ANY_SCORING_CARD, ())
        if valid:
            keeps = frozenset(
                (len(kept), points(kept) // STEP) for kept in keepable(roll, _ANY_SCORING_CARD, ())
            )
            key = (len(valid), points(valid) // STEP, keeps)
            weights[key] = weights.get(key, 0) + weight
    found: list[Pattern] = []
    for number, steps, keeps in sorted(weights, key=lambda key: (len(key[2]), key[0], key[1])):
        parts = _parts(keeps - {(number, steps)}, found)
        found.append(Pattern(weights[number, steps, keeps], number, steps, tuple(sorted(keeps)), parts))
    return tuple(found)


def _parts(keeps: frozenset[tuple[int, int]], earlier: list[Pattern]) -> tuple[int, ...]:
    """Return patterns whose choices together are exactly ``keeps``, large ones first."""
    parts: list[int] = []
    missing = set(keeps)
    for index in sorted(range(len(earlier)), key=lambda index: -len(earlier[index].keeps)):
        choices = set(earlier[index].keeps)
        if choices <= keeps and choices & missing:
            parts.append(index)
            missing -= choices
    assert not missing, "each set is the largest one of an earlier pattern"
    return tuple(parts)
