"""Exact chances that depend on the dice alone, each by dynamic programming over all rolls."""

from __future__ import annotations

from functools import cache
from math import comb

from bot.games.dice import FACES, rolls
from bot.games.tutto.cards import Card
from bot.games.tutto.scoring import points, valid_dice
from bot.games.tutto.state import NUMBER_OF_DICE
from bot.strategy.tutto.patterns import STEP, null_weight, patterns

SIDES = len(FACES)
NEGLIGIBLE = 1e-13
"""Longer Fireworks are ignored once their total probability is below this."""


@cache
def null_chance(dice: int) -> float:
    """Return the chance that a roll of ``dice`` (0 to 6) is a null; with 0 dice it is 0.

    >>> null_chance(3) == 5 / 18
    True
    """
    return null_weight(dice) / SIDES**dice if dice else 0.0


@cache
def tutto_chance(dice: int) -> float:
    """Return the best chance to put all dice aside, before a roll of ``dice``.

    >>> round(tutto_chance(6), 6)
    0.270998
    """
    if dice == 0:
        return 1.0
    hits = sum(
        pattern.weight * max(tutto_chance(dice - kept) for kept, _ in pattern.keeps)
        for pattern in patterns(dice)
    )
    return float(hits / SIDES**dice)


@cache
def straight_null_chance(missing: int) -> float:
    """Return the chance that none of ``missing`` dice shows one of the ``missing`` numbers of a Straight."""
    return ((SIDES - missing) / SIDES) ** missing if missing else 0.0


@cache
def straight_chance(missing: int) -> float:
    """Return the best chance to complete a Straight from which ``missing`` numbers are missing.

    Putting aside as many dice as possible reaches only 0.162763: with two to five numbers missing
    the chances are 0.1389, 0.1547, 0.1716 and 0.1843, since more missing numbers mean more dice to find them.
    It is best to keep one number at a time, and more only to complete the Straight or, with three or four
    missing, to leave only one (0.1667).

    >>> round(straight_chance(6), 6)
    0.196902
    """
    if missing == 0:
        return 1.0
    return sum(
        _showing(missing, shown) * max(straight_chance(missing - kept) for kept in range(1, shown + 1))
        for shown in range(1, missing + 1)
    )


def _showing(missing: int, shown: int) -> float:
    """Return the chance that ``missing`` dice show exactly ``shown`` of the missing numbers."""
    # Inclusion and exclusion over the missing numbers that are shown.
    ways = sum(
        (-1) ** out * comb(shown, out) * (SIDES - missing + shown - out) ** missing
        for out in range(shown + 1)
    )
    return float(comb(missing, shown) * ways / SIDES**missing)


@cache
def clover_chance(tuttos: int) -> float:
    """Return the best chance to win with a Cloverleaf before a roll of six dice, after 0 or 1 ``tuttos``.

    >>> round(clover_chance(0), 6)
    0.07344
    """
    return tutto_chance(NUMBER_OF_DICE) ** (2 - tuttos)


@cache
def fireworks(dice: int = NUMBER_OF_DICE) -> tuple[float, ...]:
    """Return the chance of each number of steps that a Fireworks still scores from a roll of ``dice``.

    A Fireworks has no choices. Its tail below :data:`NEGLIGIBLE` is cut off.
    """
    falls = {
        number: [
            (len(valid), points(valid) // STEP, weight / SIDES**number) for valid, weight in _valid(number)
        ]
        for number in range(1, NUMBER_OF_DICE + 1)
    }
    ends: dict[int, float] = {}
    # Totals only grow, so the probability of the smallest open one is final.
    open_: dict[int, list[float]] = {0: [0.0] * (NUMBER_OF_DICE + 1)}
    open_[0][dice] = 1.0
    left = 1.0
    while open_:
        steps = min(open_)
        waiting = open_.pop(steps)
        if left < NEGLIGIBLE:
            break
        for number in range(1, NUMBER_OF_DICE + 1):
            if not waiting[number]:
                continue
            over = waiting[number] * null_chance(number)
            ends[steps] = ends.get(steps, 0.0) + over
            left -= over
            for kept, gained, chance in falls[number]:
                row = open_.setdefault(steps + gained, [0.0] * (NUMBER_OF_DICE + 1))
                row[number - kept or NUMBER_OF_DICE] += waiting[number] * chance
    return tuple(ends.get(steps, 0.0) for steps in range(max(ends) + 1))


@cache
def fireworks_mean(dice: int = NUMBER_OF_DICE) -> float:
    """Return the average points that a Fireworks still brings before a roll of ``dice``.

    >>> round(fireworks_mean(), 3)
    622.638
    """
    return STEP * sum(steps * chance for steps, chance in enumerate(fireworks(dice)))


def _valid(dice: int) -> list[tuple[tuple[int, ...], int]]:
    found = ((valid_dice(roll, Card.FIREWORKS, ()), weight) for roll, weight in rolls(dice))
    return [(valid, weight) for valid, weight in found if valid]
