"""What a daily game was worth: the grandmaster's par with the same dice, and what the choices cost.

A game takes as many turns as best play takes on average, plus what the choices cost, minus the luck with
dice and cards, and nothing else. A choice costs as many turns as best play needs more after it, on average,
than after the best choice (see :mod:`bot.strategy.tutto.alone`).
"""

from __future__ import annotations

from random import Random

from bot.daily.choices import read
from bot.daily.play import RULES, START, advance
from bot.strategy.tutto.alone import Alone, choices, turns_left
from bot.strategy.tutto.values import best

AVERAGE = turns_left(0)
"""How many turns best play takes on average."""


def par(seed: bytes) -> int:
    """Return how many turns the grandmaster takes with a day's dice, without knowing them beforehand."""
    grandmaster, rng, at = Alone(), Random(0), START
    while not at.is_over:
        at = advance(seed, at, [grandmaster.choose(at.state, rng)])
    return at.turns


def lost(seed: bytes, text: str) -> float:
    """Return how many turns the choices of a game cost on average, 0 for the best ones.

    Raises one of :data:`~bot.games.core.CORRUPT_DATA_ERRORS` for choices that are damaged.
    """
    cost, at = 0.0, START
    for choice in read(text):
        if len(RULES.legal(at.state)) > 1:
            valued = choices(at.state)
            cost += best(valued).value - next(option.value for option in valued if option.action == choice)
        at = advance(seed, at, [choice])
    return cost


def accuracy(lost: float) -> float:
    """Return the accuracy, from 0 to 1, of choices that cost ``lost`` turns: how many turns a game takes on
    average with best play, divided by how many it takes with play that costs this much.

    >>> accuracy(0.0), round(accuracy(AVERAGE), 2)
    (1.0, 0.5)
    """
    return AVERAGE / (AVERAGE + lost)


def luck(turns: int, lost: float) -> float:
    """Return how many turns the dice and cards of a game saved, compared with the average."""
    return AVERAGE + lost - turns
