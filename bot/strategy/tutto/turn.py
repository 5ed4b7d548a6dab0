"""Solves one turn exactly: the value of each action in it, given the values of its ends.

The values of the ends are :class:`Stakes`: points for a player who plays for points, winning chances for one
who plays to win. Turn totals are in steps of 50 points. A turn total only grows, so values are computed from
the largest total down, each once. A Plus/Minus Tutto changes the scores and with them the stakes; each such
change is a *level* of its own.

The inner loop is unrolled (:mod:`bot.strategy.tutto.unrolled`): a card and a total take 7 microseconds, where
a loop over the patterns takes 130. If more points are never worth less, much is saved too:

- At most totals it is best to stop before few dice would be rolled. Then the value of a roll is that of
  taking all valid dice and stopping, which all cards share, and a few gains of rolling on.
- As long as stopping is worthless, all that counts of a Bonus card is the total after its Tutto, so that one
  card serves for all.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise
from operator import mul

from bot.games.tutto.cards import BONUS, FULL_DECK, INDEX, Card, pile
from bot.games.tutto.scoring import PLUS_MINUS_POINTS, STRAIGHT_POINTS
from bot.games.tutto.state import NUMBER_OF_DICE
from bot.strategy.tutto.chances import clover_chance, fireworks, straight_chance, tutto_chance
from bot.strategy.tutto.patterns import STEP
from bot.strategy.tutto.unrolled import FILL_FEW, FILL_TOTAL, MAX_FROM_FIVE, STOPS_ONCE, TUTTOS_ONCE

Deck = tuple[int, ...]

MAX_FROM_SIX = 40
"""The most steps that six dice bring: six 1s."""
MIN_TUTTO = 10
"""The smallest turn total, in steps, after a Tutto: six single 5s with Bonus 200."""

MINUS_STEPS = PLUS_MINUS_POINTS // STEP
STRAIGHT_STEPS = STRAIGHT_POINTS // STEP
SCORING = (*BONUS, Card.X2)
"""Cards whose dice score, and with which the player may stop."""
_LEAST_BONUS, _MOST_BONUS = min(BONUS.values()) // STEP, max(BONUS.values()) // STEP


@dataclass(frozen=True, slots=True)
class Level:
    """The stakes after some number of Plus/Minus Tuttos in this turn.

    ``lost`` is the value of losing the turn, ``banked[t]`` that of banking ``t`` steps. For larger totals it
    is the last value plus ``slope`` per step. With ``misses``, a Plus/Minus card ends the turn.
    """

    lost: float
    banked: tuple[float, ...]
    misses: bool = False
    slope: float = 0.0


@dataclass(frozen=True, slots=True)
class Stakes:
    """The values of a turn's ends: a :class:`Level` for each number (0, 1, …) of further Plus/Minus Tuttos.

    The last level also holds for larger numbers. ``won`` is the value of a Cloverleaf win, ``most`` an upper
    bound of all values, or None if they grow without bound.
    """

    levels: tuple[Level, ...]
    won: float
    most: float | None


@cache
def _more_fireworks() -> Sequence[float]:
    """Return, by steps, the chance that a Fireworks scores as many or more."""
    return list(accumulate((0.0, *reversed(fireworks()))))[::-1]


@dataclass(slots=True)
class _Rolled:
    """A scoring card that is being solved: its bonus in steps, and the values of rolling by dice and total.

    ``few`` is the latest total at which rolling few dice was worth more than stopping.
    """

    bonus: int
    rolls: list[list[float]]
    few: int


class _Solved:
    """The values of one level for all totals ``low <= t < high``.

    ``stop[t]`` is the value of banking, ``tutto[t]`` that of a Tutto, with later cards from a fresh deck.
    ``cards[card][t]`` and ``fire[t]`` are the values after turning that scoring card, or Fireworks. From
    ``rising`` on, more points are never worth less.
    """

    __slots__ = ("cards", "fire", "high", "level", "low", "rising", "stop", "tutto")

    def __init__(self, level: Level, low: int, high: int, reach: int) -> None:
        self.level = level
        self.low, self.high = low, high
        banked = level.banked
        rest = reach - len(banked)
        last = banked[-1]
        self.stop = [*banked, *(last + level.slope * step for step in range(1, rest + 1))]
        self.tutto = self.stop[:]
        self.cards: dict[Card, list[float]] = {}
        self.fire = [0.0] * high
        dips = [t for t, (fewer, more) in enumerate(pairwise(banked)) if more < fewer]
        self.rising = dips[-1] + 1 if dips else 0


class Turn:
    """One turn, solved for all totals from ``low`` steps on.

    ``highs`` are, by level, the totals from which on stopping is always better than turning another card (see
    :func:`~bot.strategy.tutto.horizon.stop_totals`).
    """

    def __init__(self, stakes: Stakes, low: int, highs: Sequence[int]) -> None:
        self.stakes = stakes
        self.low = low
        # The latest ones, as before a roll and after it the same values are asked for. Threads may share a
        # turn, so each is kept in one tuple with what it is for.
        self._drawn: tuple[tuple[int, Deck], Callable[[int], float]] | None = None
        self._rolled: tuple[tuple[Card, int, Deck], Rolling] | None = None
        self._least = min(stakes.won, *(min(level.lost, *level.banked) for level in stakes.levels))
        """No end is worth less."""
        from_last: list[_Solved] = []
        most_minus = MINUS_STEPS * len(stakes.levels)
        reach = 2 * (max(*highs, low + most_minus) + MAX_FROM_FIVE + MAX_FROM_SIX) + len(fireworks())
        for number in range(len(stakes.levels) - 1, -1, -1):
            # Each Plus/Minus Tutto has brought 1000 points; the first one may be that of the open card.
            start = max(0, low - MIN_TUTTO) + MINUS_STEPS * number if number else low
            solved = _Solved(stakes.levels[number], start, highs[number], reach)
            below = from_last[-1] if from_last else solved
            solved.rising = max(solved.rising, below.rising - MINUS_STEPS)
            self._solve(solved, below)
            from_last.append(solved)
        self._solved = from_last[::-1]
        """By number of the level."""

    def _solve(self, solved: _Solved, below: _Solved) -> None:
        """Fill the arrays from the top down; ``below`` is the level that a Plus/Minus Tutto leads to."""
        if solved.high <= solved.low:
            return
        stop, tutto, lost = solved.stop, solved.tutto, solved.level.lost
        top, low = solved.high + MAX_FROM_FIVE - 1, solved.low
        size = top + MAX_FROM_SIX + 1
        work = []
        for card in SCORING:
            rolls = [[0.0] * size for _ in range(NUMBER_OF_DICE)]
            solved.cards[card] = rolls[-1]
            work.append(_Rolled(card.bonus // STEP, rolls, size))
        # Below this total, stopping is worthless until the Tutto.
        vain = low
        if solved.rising <= low:
            vain = min(solved.high, bisect_right(stop, self._least) - MAX_FROM_FIVE)
        least_bonus = next(rolled.rolls[-1] for rolled in work if rolled.bonus == _LEAST_BONUS)
        # The value of a Tutto with X2. Beyond the top, the player stops after it.
        twice = stop[: 2 * size : 2]
        tuttos = [
            TUTTOS_ONCE[-1](tutto, u, lost) if u > top + _LEAST_BONUS else ()
            for u in range(top + _MOST_BONUS + 1)
        ]
        burst, more = fireworks(), _more_fireworks()
        # From here on, stopping is always worth the same.
        flat = len(stop) if solved.level.slope else len(solved.level.banked)
        draw = self._drawing(solved, below, FULL_DECK)
        for t in range(top, low - 1, -1):
            # The last total at which six dice are rolled is high - 1.
            gained = max(0, t - solved.high + 1)
            fill_total, fill_few = FILL_TOTAL[gained], FILL_FEW[gained]
            stops = STOPS_ONCE[gained](stop, t, lost)
            # The card with the largest bonus needs this at the smallest total, with most dice.
            dice_then = max(0, gained + _LEAST_BONUS - _MOST_BONUS)
            tuttos[t + _LEAST_BONUS] = TUTTOS_ONCE[dice_then](tutto, t + _LEAST_BONUS, lost)
            twice[t + 1] = tutto[2 * (t + 1)]
            for rolled in work:
                rolls, u = rolled.rolls, t + rolled.bonus
                if rolled.bonus > _LEAST_BONUS and u - _LEAST_BONUS < vain:
                    rolls[-1][t] = least_bonus[u - _LEAST_BONUS]
                    continue
                pay = tutto if rolled.bonus else twice
                if t >= solved.rising and rolled.few > t + MAX_FROM_FIVE:
                    taken = tuttos[u] if rolled.bonus else TUTTOS_ONCE[gained](twice, t, lost)
                    few = fill_few(stops, taken, stop, pay, u, *rolls, t)
                else:
                    few = fill_total(stop, pay, u, *rolls, t, lost)
                if few:
                    rolled.few = t
            if t < solved.high:
                beyond = more[min(max(flat - t, 0), len(burst))]
                solved.fire[t] = sum(map(mul, burst, stop[t:flat])) + beyond * stop[-1]
                value = draw(t)
                if value > stop[t]:
                    tutto[t] = value

    def _drawing(self, solved: _Solved, below: _Solved, deck: Deck) -> Callable[[int], float]:
        """Return a function from a total to the value of turning a card from ``deck``."""
        cards = [float(number) for number in pile(deck)]
        lost, fire, tutto, lower = solved.level.lost, solved.fire, solved.tutto, below.tutto
        scoring = [(cards[INDEX[card]], values) for card, values in solved.cards.items()]
        stops = cards[_STOP] * lost
        clovers = cards[INDEX[Card.CLOVERLEAF]] * (lost + clover_chance(0) * (self.stakes.won - lost))
        straight = straight_chance(NUMBER_OF_DICE)
        minus = 0.0 if solved.level.misses else tutto_chance(NUMBER_OF_DICE)
        fires, straights, minuses = (
            cards[INDEX[card]] for card in (Card.FIREWORKS, Card.STRAIGHT, Card.PLUS_MINUS)
        )
        in_pile = sum(cards)

        def draw(t: int) -> float:
            total = stops
            for times, values in scoring:
                total += times * values[t]
            total += clovers
            total += fires * fire[t]
            total += straights * (lost + straight * (tutto[t + STRAIGHT_STEPS] - lost))
            total += minuses * (lost + minus * (lower[t + MINUS_STEPS] - lost))
            return total / in_pile

        return draw

    def _below(self, number: int) -> int:
        return min(number + 1, len(self._solved) - 1)

    def lost(self) -> float:
        """Return the value of a null or a Stop card."""
        return self._solved[0].level.lost

    def stop(self, t: int, number: int = 0) -> float:
        """Return the value of banking ``t`` steps at the level with this ``number``."""
        level = self._solved[number].level
        last = len(level.banked) - 1
        return level.banked[t] if t <= last else level.banked[last] + level.slope * (t - last)

    def scoring_card(self, card: Card, t: int) -> float:
        """Return the value after turning a scoring card at a total of ``t`` steps, low <= t < high."""
        return self._solved[0].cards[card][t]

    def turn_card(self, t: int, deck: Deck, number: int = 0) -> float | None:
        """Return the value of turning a card from ``deck`` at ``t`` steps; later cards are from a fresh deck.

        Return None where stopping is known to be better.
        """
        solved = self._solved[number]
        if not solved.low <= t < solved.high:
            assert t >= solved.low, "the turn was solved for larger totals"
            return None
        drawn = self._drawn
        if drawn is None or drawn[0] != (number, deck):
            draw = self._drawing(solved, self._solved[self._below(number)], deck)
            drawn = self._drawn = (number, deck), draw
        return drawn[1](t)

    def tutto(self, t: int, deck: Deck, number: int = 0) -> float:
        """Return the value of a Tutto with turn total ``t``: the better of stopping and going on."""
        value = self.turn_card(t, deck, number)
        stop = self.stop(t, number)
        return stop if value is None or value < stop else value

    def rolling(self, card: Card, t: int, deck: Deck) -> Rolling:
        """Return the values of rolling with scoring ``card``, for the totals that can follow ``t``."""
        key, rolled = (card, t, deck), self._rolled
        if rolled is None or rolled[0] != key:
            rolled = self._rolled = key, Rolling(self, *key)
        return rolled[1]

    def special(self, card: Card, t: int, deck: Deck, dice: int, clover: int = 0) -> float:
        """Return the value of rolling ``dice`` dice with a card that isn't a scoring one, and total ``t``.

        With a Straight, ``dice`` is how many numbers are missing; 0 is the Tutto. ``clover`` counts the
        Cloverleaf's Tuttos.
        """
        lost = self.lost()
        if card is Card.FIREWORKS:
            burst = fireworks(dice)
            return sum(chance * self.stop(t + steps) for steps, chance in enumerate(burst))
        if card is Card.CLOVERLEAF:
            chance = tutto_chance(dice) * (clover_chance(clover + 1) if clover < 1 else 1.0)
            return lost + chance * (self.stakes.won - lost)
        if card is Card.STRAIGHT:
            return lost + straight_chance(dice) * (self.tutto(t + STRAIGHT_STEPS, deck) - lost)
        # If a leader's Plus/Minus ends the turn, it never comes to a choice.
        return lost + tutto_chance(dice) * (self.tutto(t + MINUS_STEPS, deck, self._below(0)) - lost)


class Rolling:
    """The values of rolling with the open scoring card, from turn total ``t`` on."""

    def __init__(self, turn: Turn, card: Card, t: int, deck: Deck) -> None:
        self._turn, self._card, self._deck, self._start = turn, card, deck, t
        size = MAX_FROM_FIVE + MAX_FROM_SIX + 1
        stop = [turn.stop(t + step) for step in range(size)]
        pay = [0.0] * size
        for step in range(1, size):
            # No Tutto has a smaller total.
            if paid(card, t + step) >= turn.low:
                pay[step] = self.tutto(t + step)
        self._rolls = rolling(stop, pay, turn.lost())

    def tutto(self, t: int) -> float:
        """Return the value of a Tutto with total ``t`` before the card pays."""
        return self._turn.tutto(paid(self._card, t), self._deck)

    def roll(self, dice: int, t: int) -> float:
        """Return the value of rolling ``dice`` dice with total ``t``."""
        return self._rolls[dice - 1][t - self._start]


def rolling(stop: Sequence[float], pay: Sequence[float], lost: float) -> list[list[float]]:
    """Return the values of rolling 1 to 6 dice by the steps gained with a card, six dice at 0 only.

    ``stop`` is the value of banking by the steps gained, ``pay`` that of a Tutto.
    """
    rolls = [[0.0] * len(stop) for _ in range(NUMBER_OF_DICE)]
    for step in range(MAX_FROM_FIVE, -1, -1):
        FILL_TOTAL[step](stop, pay, step, *rolls, step, lost)
    return rolls


def paid(card: Card, t: int) -> int:
    """Return the turn total after a Tutto with a scoring card, in steps."""
    return 2 * t if card is Card.X2 else t + card.bonus // STEP


_STOP = INDEX[Card.STOP]
