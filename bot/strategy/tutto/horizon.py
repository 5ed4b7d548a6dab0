"""A bound on the turn total from which on stopping beats turning another card, without solving the turn.

The fewer totals have to be solved, the faster the solution. At a total ``t``, take the flattest straight line
through the value of banking ``t`` that lies on or above the values of banking more. If banked points had the
values on this line, going on would be worth at least as much as it really is. On a line the calculation is
simple: let ``u`` be the value at stake in steps along the line, above that of a lost turn. Best play after
turning a card with which the player may stop is worth at most ``SURVIVE * u`` steps plus a gain that shrinks
as ``u`` grows. If the sum over all cards is less than ``u``, so it is for all larger totals on the line. Then
nobody goes on, and a Tutto is worth as much as stopping.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from bot.games.tutto.cards import CARDS, FULL_DECK, Card, pile
from bot.games.tutto.scoring import PLUS_MINUS_POINTS, STRAIGHT_POINTS
from bot.games.tutto.state import NUMBER_OF_DICE
from bot.strategy.tutto.chances import (
    clover_chance,
    fireworks_mean,
    null_chance,
    straight_chance,
    tutto_chance,
)
from bot.strategy.tutto.patterns import STEP
from bot.strategy.tutto.turn import SCORING, Deck, Level, Stakes, Turn

SURVIVE = 1.0 - null_chance(NUMBER_OF_DICE)
MIN_STEPS = 15
"""Steps at stake from which on the gains are known. With fewer, stopping is never better."""


def highs(stakes: Stakes, *decks: Deck) -> tuple[int, ...]:
    """Return, by level, the total in steps from which on stopping is better than turning a card.

    The card is drawn from any of ``decks`` or from a fresh one.
    """
    found: list[int] = []
    levels = stakes.levels
    piles = [_Pile.of(deck) for deck in {FULL_DECK, *map(pile, decks)}]
    for number in range(len(levels) - 1, -1, -1):
        below = min(number + 1, len(levels) - 1)
        # The last level leads to itself; its larger totals have already been handled.
        high_below = found[-1] if found else 0
        found.append(_high(stakes, levels[number], levels[below], high_below, piles))
    return tuple(reversed(found))


@dataclass(frozen=True, slots=True)
class _Pile:
    """Coefficients of the upper bound of the value of turning a card from a pile."""

    survive: float  # per step at stake
    gain: float  # per step of slope
    double: float
    straight: float
    minus: float
    clover: float

    @classmethod
    def of(cls, deck: Deck) -> _Pile:
        share = {card: number / sum(deck) for card, number in zip(CARDS, deck, strict=True)}
        scoring = sum(share[card] for card in SCORING)
        gains = sum(share[card] * gain for card, gain in _gains().items())
        return cls(
            survive=scoring * SURVIVE + share[Card.FIREWORKS],
            gain=gains + share[Card.FIREWORKS] * fireworks_mean() / STEP,
            double=share[Card.X2] * tutto_chance(NUMBER_OF_DICE),
            straight=share[Card.STRAIGHT] * straight_chance(NUMBER_OF_DICE),
            minus=share[Card.PLUS_MINUS] * tutto_chance(NUMBER_OF_DICE),
            clover=share[Card.CLOVERLEAF] * clover_chance(0),
        )


def _high(stakes: Stakes, level: Level, below: Level, high_below: int, piles: Sequence[_Pile]) -> int:
    banked, lost, most = level.banked, level.lost, stakes.most
    if most is None:
        return len(banked)
    last = len(banked) - 1
    hull = [last]
    slope = 0.0
    for t in range(last, -1, -1):
        here = banked[t]
        if t < last:
            # The upper hull of the values at larger totals.
            slope = (banked[hull[-1]] - here) / (hull[-1] - t)
            while len(hull) > 1 and (steeper := (banked[hull[-2]] - here) / (hull[-2] - t)) >= slope:
                slope = steeper
                hull.pop()
            hull.append(t)
            slope = max(slope, 0.0)
        at_stake = here - lost
        if at_stake < MIN_STEPS * slope:
            return t + 1
        # X2 may double more points than are at stake.
        double = max(0.0, t * slope - at_stake)
        straight = banked[min(t + _STRAIGHT, last)] - lost
        minus = most
        if t + _MINUS >= high_below:
            minus = below.banked[min(t + _MINUS, len(below.banked) - 1)]
        for each in piles:
            gained = (
                each.survive * at_stake
                + each.gain * slope
                + each.double * double
                + each.straight * straight
                + each.minus * (minus - lost)
                + each.clover * (stakes.won - lost)
            )
            if gained > at_stake:
                return t + 1
    return 0


_MINUS = PLUS_MINUS_POINTS // STEP
_STRAIGHT = STRAIGHT_POINTS // STEP


@cache
def _gains() -> Mapping[Card, float]:
    """Return, by scoring card, its largest gain in steps over surviving the first roll, from MIN_STEPS on."""
    level = Level(0.0, tuple(map(float, range(MIN_STEPS + 100))), slope=1.0)
    solved = Turn(Stakes((level,), won=0.0, most=None), MIN_STEPS, (MIN_STEPS + 40,))
    return {card: solved.scoring_card(card, MIN_STEPS) - SURVIVE * MIN_STEPS for card in SCORING}
