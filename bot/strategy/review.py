"""The review of a finished game: the winning chances, the accuracy of each seat, the costliest decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from typing import Generic

from bot.strategy.account import EQUAL, A, Account, Decision, S

MAX_COSTLY = 3
"""How many costly decisions the review lists."""

MIN_COST = 0.001
"""A decision is costly only if it cost so much winning chance; less is shown as no difference."""

MIN_GAIN = 0.01
"""A decision is good only if it gained so much winning chance."""

STRETCH = 5.0
"""How much more a lost percent of winning chance weighs here than in chess; see :func:`accuracy`."""


@dataclass(frozen=True, slots=True)
class Review(Generic[S, A]):
    """The review of a game.

    ``accuracy`` is by seat, from 0 to 100, or None for a seat that never had a choice. ``costliest`` are the
    worst decisions, worst first. ``best`` are decisions without a fault that most people would have made
    otherwise: of each seat that has made one, the one that gained most by that.
    """

    account: Account[S, A]
    accuracy: tuple[float | None, ...]
    costliest: tuple[Decision[S, A], ...]
    best: tuple[Decision[S, A], ...]


def review(account: Account[S, A]) -> Review[S, A]:
    """Review a game from its account."""
    seats = len(account.gap)
    costly = sorted((one for one in account.decisions if one.cost >= MIN_COST), key=lambda each: -each.cost)
    return Review(
        account=account,
        accuracy=tuple(
            accuracy([each.cost for each in account.decisions if each.seat == seat]) for seat in range(seats)
        ),
        costliest=tuple(costly[:MAX_COSTLY]),
        best=_best(account.decisions),
    )


def _best(decisions: Sequence[Decision[S, A]]) -> tuple[Decision[S, A], ...]:
    best: dict[int, Decision[S, A]] = {}
    for one in decisions:
        faultless = one.cost <= EQUAL and one.gain >= MIN_GAIN
        if faultless and (one.seat not in best or one.gain > best[one.seat].gain):
            best[one.seat] = one
    return tuple(best.values())


def accuracy(costs: Sequence[float]) -> float | None:
    """Return a player's accuracy from 0 to 100, from the winning chances (0 to 1) that the choices cost.

    As on chess sites, a choice scores ``103.1669 * exp(-0.04354 * lost) - 3.1669``, between 0 and 100, where
    ``lost`` is its cost in percent, and the accuracy is the mean of the scores. A wrong choice costs less in
    dice games than in chess, so the cost is first multiplied by :data:`STRETCH`. Return None for no choices.
    """
    if not costs:
        return None
    marks = (103.1669 * exp(-4.354 * STRETCH * max(0.0, cost)) - 3.1669 for cost in costs)
    return sum(min(100.0, max(0.0, mark)) for mark in marks) / len(costs)
