"""A bound on the turn total from which on stopping beats turning another card, without solving the turn.

The fewer totals have to be solved, the faster the solution. At a total ``t``, take the flattest straight line
through the value of banking ``t`` that lies on or above the values of banking more. If banked points had the
values on this line, going on would be worth at least as much as it really is. On a line the calculation is
simple: let ``u`` be the value at stake in steps along the line, above that of a lost turn. Best play after
turning a card with which the player may stop is worth at most ``SURVIVE * u`` steps plus a gain that shrinks
as ``u`` grows. If the sum over all cards is less than ``u``, so it is for all larger totals on the line. Then
nobody goes on, and a Tutto is worth as much as stopping.

Where a win needs a large gain, no line fits. There, the step from ``k`` more to ``k + 1`` more adds value
only if a card brings more than ``k`` steps. So its extra value, times the largest chance of that, summed over
all ``k``, is a bound as well; no play reaches all these chances at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate, pairwise
from operator import mul

from bot.games.tutto.cards import BONUS, CARDS, FULL_DECK, Card, pile
from bot.games.tutto.state import NUMBER_OF_DICE
from bot.strategy.tutto.chances import (
    clover_chance,
    fireworks,
    fireworks_mean,
    null_chance,
    straight_chance,
    tutto_chance,
)
from bot.strategy.tutto.patterns import STEP
from bot.strategy.tutto.turn import (
    MAX_FROM_SIX,
    MINUS_STEPS,
    SCORING,
    STRAIGHT_STEPS,
    Deck,
    Level,
    Stakes,
    Turn,
    paid,
    rolling,
)
from bot.strategy.tutto.unrolled import MAX_FROM_FIVE

SURVIVE = 1.0 - null_chance(NUMBER_OF_DICE)
MIN_STEPS = 15
"""Steps at stake from which on the gains are known. With fewer, stopping is never better."""


def stop_totals(stakes: Stakes, *decks: Deck) -> tuple[int, ...]:
    """Return, by level, the total in steps from which on stopping is better than turning a card.

    The card is drawn from any of ``decks`` or from a fresh one.
    """
    totals: list[int] = []
    levels = stakes.levels
    piles = [_Pile.of(deck) for deck in {FULL_DECK, *map(pile, decks)}]
    for number in range(len(levels) - 1, -1, -1):
        below = min(number + 1, len(levels) - 1)
        # The last level leads to itself; its larger totals have already been handled.
        total_below = totals[-1] if totals else 0
        totals.append(_stop_total(stakes, levels[number], levels[below], total_below, piles))
    return tuple(reversed(totals))


@dataclass(frozen=True, slots=True)
class _Pile:
    """Coefficients of the upper bound of the value of turning a card from a pile."""

    survive: float  # per step at stake
    gain: float  # per step of slope
    # The chances that the card is of this kind and completed:
    double: float
    straight: float
    minus: float
    clover: float
    more: Sequence[float]  # by k, the chance to gain more than k steps that can still be banked

    @classmethod
    @lru_cache(maxsize=16)
    def of(cls, deck: Deck) -> _Pile:
        share = {card: number / sum(deck) for card, number in zip(CARDS, deck, strict=True)}
        scoring = sum(share[card] for card in SCORING)
        gains = sum(share[card] * gain for card, gain in _gains().items())
        tails = [[share[card] * chance for chance in tail] for card, tail in _tails().items()]
        return cls(
            survive=scoring * SURVIVE + share[Card.FIREWORKS],
            gain=gains + share[Card.FIREWORKS] * fireworks_mean() / STEP,
            double=share[Card.X2] * tutto_chance(NUMBER_OF_DICE),
            straight=share[Card.STRAIGHT] * straight_chance(NUMBER_OF_DICE),
            minus=share[Card.PLUS_MINUS] * tutto_chance(NUMBER_OF_DICE),
            clover=share[Card.CLOVERLEAF] * clover_chance(0),
            more=list(map(sum, zip(*tails, strict=True))),
        )


Special = Sequence[tuple[_Pile, Sequence[float]]]
"""By pile and total: the value, above a lost turn, of cards whose dice score nothing, times their chance."""


def _stop_total(stakes: Stakes, level: Level, below: Level, total_below: int, piles: Sequence[_Pile]) -> int:
    """Return the total of one level. ``below`` is the level after a Plus/Minus Tutto, with its total."""
    banked, lost, most = level.banked, level.lost, stakes.most
    if most is None:
        return len(banked)
    straights = [value - lost for value in (*banked[STRAIGHT_STEPS:], *banked[-1:] * STRAIGHT_STEPS)]
    # Below this total, going on may be better.
    unknown = max(0, total_below - MINUS_STEPS)
    minuses = [most - lost] * unknown
    minuses += [value - lost for value in below.banked[unknown + MINUS_STEPS :]]
    minuses += [below.banked[-1] - lost] * (len(banked) - len(minuses))
    special = []
    for cards in piles:
        clover = cards.clover * (stakes.won - lost)
        pairs = zip(straights, minuses, strict=False)
        special.append((cards, [cards.straight * one + cards.minus * other + clover for one, other in pairs]))
    return _by_steps(_by_lines(level, special), level, special)


def _by_lines(level: Level, special: Special) -> int:
    """Return the total from which on the lines through the values show that stopping is best."""
    banked, lost = level.banked, level.lost

    def stopping_is_best(t: int, slope: float) -> bool:
        """Return whether turning a card at ``t`` is worth less than stopping on the line with this slope."""
        at_stake = banked[t] - lost
        if at_stake < MIN_STEPS * slope:
            return False
        # X2 may double more points than are at stake.
        double = max(0.0, t * slope - at_stake)
        for cards, others in special:
            gained = cards.survive * at_stake + cards.gain * slope + cards.double * double
            if gained + others[t] > at_stake:
                return False
        return True

    total, slope = len(banked), 0.0
    hull = [total - 1]
    while stopping_is_best(total - 1, slope):
        total -= 1
        t = total - 1
        if t < 0:
            return 0
        # The upper hull of the values at larger totals.
        slope = (banked[hull[-1]] - banked[t]) / (hull[-1] - t)
        while len(hull) > 1 and (steeper := (banked[hull[-2]] - banked[t]) / (hull[-2] - t)) >= slope:
            slope = steeper
            hull.pop()
        hull.append(t)
        slope = max(slope, 0.0)
    return total


def _by_steps(total: int, level: Level, special: Special) -> int:
    """Return the total, at most ``total``, from which on the sum over steps shows that stopping is best."""
    banked, lost = level.banked, level.lost
    best = [value - lost for value in accumulate(banked, max)]
    rises = [larger - smaller for smaller, larger in pairwise(best)]
    for t in range(total - 1, -1, -1):
        ahead, beyond = rises[t : t + _REACH], best[-1] - best[min(t + _REACH, len(best) - 1)]
        for cards, others in special:
            gained = cards.survive * best[t] + sum(map(mul, cards.more, ahead)) + cards.more[-1] * beyond
            if gained + others[t] > banked[t] - lost:
                return t + 1
    return 0


@cache
def _gains() -> Mapping[Card, float]:
    """Return, by scoring card, its largest gain in steps over surviving the first roll, from MIN_STEPS on."""
    level = Level(0.0, tuple(map(float, range(MIN_STEPS + 100))), slope=1.0)
    solved = Turn(Stakes((level,), won=0.0, most=None), MIN_STEPS, (MIN_STEPS + 40,))
    return {card: solved.scoring_card(card, MIN_STEPS) - SURVIVE * MIN_STEPS for card in SCORING}


_REACH = MAX_FROM_SIX + max(BONUS.values()) // STEP + 1
"""Steps beyond which only X2 and Fireworks bring more with one card."""


@cache
def _tails() -> Mapping[Card, Sequence[float]]:
    """Return, by card and ``k``, the largest chance to gain more than ``k`` steps. With X2 any Tutto does."""
    size = MAX_FROM_FIVE + MAX_FROM_SIX + 1
    tails: dict[Card, Sequence[float]] = {}
    for card in SCORING:
        chances = []
        for steps in range(_REACH):
            stop = [float(gained > steps) for gained in range(size)]
            pay = [float(card is Card.X2 or paid(card, gained) > steps) for gained in range(size)]
            chances.append(rolling(stop, pay, 0.0)[-1][0])
        tails[card] = chances
    tails[Card.FIREWORKS] = [sum(fireworks()[steps + 1 :]) for steps in range(_REACH)]
    return tails
