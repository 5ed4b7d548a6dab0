"""Solves one turn exactly: the value of each action in it, given the values of its ends.

The values of the ends are :class:`Stakes`: points for a player who plays for points, winning chances for one
who plays to win. Turn totals are in steps of 50 points. A turn total only grows, so values are computed from
the largest total down, each once. A Plus/Minus Tutto changes the scores and with them the stakes; each such
change is a *level* of its own.

The inner loop is unrolled: when this module is imported, :func:`_fill_total` generates a function from the
patterns of rolls. It is pure Python, so that the bot needs neither a compiler nor numpy. A card and a total
take 7 microseconds, with a loop over the patterns they would take 130.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import mul

from bot.games.tutto.cards import BONUS, FULL_DECK, INDEX, Card, pile
from bot.games.tutto.scoring import PLUS_MINUS_POINTS, STRAIGHT_POINTS
from bot.games.tutto.state import NUMBER_OF_DICE
from bot.strategy.tutto.chances import (
    SIDES,
    clover_chance,
    fireworks,
    null_chance,
    straight_chance,
    tutto_chance,
)
from bot.strategy.tutto.patterns import STEP, patterns

Deck = tuple[int, ...]

MAX_FROM_FIVE = 24
"""The most steps that five dice bring: 1,1,1 and two more 1s."""
MAX_FROM_SIX = 40
"""The most steps that six dice bring: six 1s."""
MIN_TUTTO = 10
"""The smallest turn total, in steps, after a Tutto: six single 5s with Bonus 200."""

MINUS_STEPS = PLUS_MINUS_POINTS // STEP
STRAIGHT_STEPS = STRAIGHT_POINTS // STEP
SCORING = (*BONUS, Card.X2)
"""Cards whose dice score, and with which the player may stop."""


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


def _source(most_dice: int) -> str:
    """Return the source of a function that fills one total: the values of rolling 1 to ``most_dice`` dice.

    >>> print(_source(1))
    def fill_total(stop, pay, roll1, roll2, roll3, roll4, roll5, roll6, t, lost):
        p_1 = pay[t+1]
        p_2 = pay[t+2]
        total = 4.0 * lost
        best0 = p_1
        total += best0
        best1 = p_2
        total += best1
        roll1[t] = total / 6.0
    <BLANKLINE>
    """
    loads: dict[str, str] = {}
    lines: list[str] = []

    def load(name: str, array: str, steps: int) -> str:
        return loads.setdefault(f"{array}[t+{steps}]", f"{name}_{steps}")

    for dice in range(1, most_dice + 1):
        lines.append(f"total = {null_chance(dice) * SIDES**dice!r} * lost")
        for index, pattern in enumerate(patterns(dice)):
            # A whole number would be converted in each multiplication.
            times = "" if pattern.weight == 1 else f"{float(pattern.weight)} * "
            left = dice - pattern.dice
            value = (
                load(f"roll{left}", f"roll{left}", pattern.steps) if left else load("p", "pay", pattern.steps)
            )
            # The best value of rolling on is stored, because other patterns include this one.
            lines.append(f"best{index} = {value}")
            lines += [f"if best{part} > best{index}: best{index} = best{part}" for part in pattern.parts]
            if left:
                stop = load("s", "stop", pattern.steps)
                lines.append(f"total += {times}(best{index} if best{index} > {stop} else {stop})")
            else:
                lines.append(f"total += {times}best{index}")
        lines.append(f"roll{dice}[t] = total / {float(SIDES**dice)}")
        # Arrays of fewer dice are read only at larger totals, so all loads can come first.
    head = [f"{name} = {source}" for source, name in loads.items()]
    arguments = ", ".join(f"roll{dice}" for dice in range(1, NUMBER_OF_DICE + 1))
    body = "\n    ".join(head + lines)
    return f"def fill_total(stop, pay, {arguments}, t, lost):\n    {body}\n"


def _fill_total(most_dice: int) -> Callable[..., None]:
    namespace: dict[str, Callable[..., None]] = {}
    exec(compile(_source(most_dice), f"<total of {most_dice} dice>", "exec"), namespace)
    return namespace["fill_total"]


_FILL_TOTAL = [_fill_total(dice) for dice in (6, 5, 5, 4, 4)] + [_fill_total(3)] * (MAX_FROM_FIVE - 4)
"""By steps gained since six dice were rolled: the function for the most dice that can be left then. One die
brings at most 2 steps, two bring 4, and three bring 20."""


class _Solved:
    """The values of one level for all totals ``low <= t < high``.

    ``stop[t]`` is the value of banking, ``tutto[t]`` that of a Tutto, with later cards from a fresh deck.
    ``cards[card][t]`` and ``fire[t]`` are the values after turning that scoring card, or Fireworks.
    """

    __slots__ = ("cards", "fire", "high", "level", "low", "stop", "tutto")

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
        from_last: list[_Solved] = []
        most_minus = MINUS_STEPS * len(stakes.levels)
        reach = 2 * (max(*highs, low + most_minus) + MAX_FROM_FIVE + MAX_FROM_SIX) + len(fireworks())
        for number in range(len(stakes.levels) - 1, -1, -1):
            # Each Plus/Minus Tutto has brought 1000 points; the first one may be that of the open card.
            start = max(0, low - MIN_TUTTO) + MINUS_STEPS * number if number else low
            solved = _Solved(stakes.levels[number], start, highs[number], reach)
            self._solve(solved, from_last[-1] if from_last else solved)
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
            # A Tutto at t pays factor * t + bonus. Beyond the top, the player stops after it.
            bonus = paid(card, 0)
            factor = paid(card, 1) - bonus
            pay = stop[bonus : bonus + factor * size : factor]
            rolls = [[0.0] * size for _ in range(NUMBER_OF_DICE)]
            solved.cards[card] = rolls[-1]
            work.append((factor, bonus, pay, rolls))
        burst = fireworks()
        draw = self._drawing(solved, below, FULL_DECK)
        for t in range(top, low - 1, -1):
            # The last total at which six dice are rolled is high - 1.
            fill_total = _FILL_TOTAL[max(0, t - solved.high + 1)]
            for factor, bonus, pay, rolls in work:
                pay[t + 1] = tutto[factor * (t + 1) + bonus]
                fill_total(stop, pay, *rolls, t, lost)
            if t < solved.high:
                solved.fire[t] = sum(map(mul, burst, stop[t : t + len(burst)]))
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
        _FILL_TOTAL[step](stop, pay, *rolls, step, lost)
    return rolls


def paid(card: Card, t: int) -> int:
    """Return the turn total after a Tutto with a scoring card, in steps."""
    return 2 * t if card is Card.X2 else t + card.bonus // STEP


_STOP = INDEX[Card.STOP]
