"""Solves one turn exactly: the value of each action in it, given the values of its ends.

The values of the ends are :class:`Stakes`: points for a player who plays for points, winning chances for one
who plays to win. Turn totals are in steps of 50 points. A turn total only grows, so values are computed from
the largest total down, each once. A Plus/Minus Tutto changes the scores and with them the stakes; each such
change is a *level* of its own.

The inner loop is unrolled: when this module is imported, functions are generated from the patterns of rolls.
It is pure Python, so that the bot needs neither a compiler nor numpy. A card and a total take 7 microseconds,
where a loop over the patterns takes 130. If more points are never worth less, much is saved too:

- At most totals it is best to stop before few dice would be rolled. Then the value of a roll is that of
  taking all valid dice and stopping, which all cards share, and a few gains of rolling on
  (:func:`_few_source`).
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
from typing import Any

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
FEW = 3
"""The most dice that count as few: with more points than a few hundred, hardly anybody would roll them."""

MINUS_STEPS = PLUS_MINUS_POINTS // STEP
STRAIGHT_STEPS = STRAIGHT_POINTS // STEP
SCORING = (*BONUS, Card.X2)
"""Cards whose dice score, and with which the player may stop."""
_LEAST_BONUS, _MOST_BONUS = min(BONUS.values()) // STEP, max(BONUS.values()) // STEP
_ROLLS = ", ".join(f"roll{dice}" for dice in range(1, NUMBER_OF_DICE + 1))


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
    """Return the source of a function that fills one total: the values of rolling up to ``most_dice`` dice.

    ``pay[u + steps]`` is the value of a Tutto with so many steps. The function returns whether rolling few
    dice is worth more than stopping.

    >>> print(_source(1))
    def generated(stop, pay, u, roll1, roll2, roll3, roll4, roll5, roll6, t, lost):
        p_1 = pay[u+1]
        p_2 = pay[u+2]
        total1 = 4.0 * lost
        best0 = p_1
        total1 += best0
        best1 = p_2
        total1 += best1
        total1 /= 6.0
        roll1[t] = total1
        return total1 > stop[t]
    <BLANKLINE>
    """
    loads: dict[str, str] = {}
    lines: list[str] = []

    def load(name: str, place: str) -> str:
        return loads.setdefault(place, name)

    for dice in range(1, most_dice + 1):
        lines.append(f"total{dice} = {null_chance(dice) * SIDES**dice!r} * lost")
        for index, pattern in enumerate(patterns(dice)):
            # A whole number would be converted in each multiplication.
            times = "" if pattern.weight == 1 else f"{float(pattern.weight)} * "
            left, steps = dice - pattern.dice, pattern.steps
            value = (
                load(f"roll{left}_{steps}", f"roll{left}[t+{steps}]")
                if left
                else load(f"p_{steps}", f"pay[u+{steps}]")
            )
            # The best value of rolling on is stored, because other patterns include this one.
            lines.append(f"best{index} = {value}")
            lines += [f"if best{part} > best{index}: best{index} = best{part}" for part in pattern.parts]
            if left:
                stop = load(f"s_{steps}", f"stop[t+{steps}]")
                lines.append(f"total{dice} += {times}(best{index} if best{index} > {stop} else {stop})")
            else:
                lines.append(f"total{dice} += {times}best{index}")
        lines += [f"total{dice} /= {float(SIDES**dice)}", f"roll{dice}[t] = total{dice}"]
        # Arrays of fewer dice are read only at larger totals, so all loads can come first.
    head = [f"{name} = {place}" for place, name in loads.items()]
    return _function(f"stop, pay, u, {_ROLLS}, t, lost", [*head, *lines, _few_useful(most_dice)])


def _few_source(most_dice: int) -> str:
    """Return the source of the same where rolling few dice is never worth more than stopping.

    ``stops`` and ``tuttos`` are what taking all valid dice is worth (:func:`_once_source`). To this are added
    the gains of rolling more dice. More points must never be worth less.

    >>> print(*_few_source(5).split("\\n")[9:14], sep="\\n")
        total5 = stops[4] + tuttos[4]
        best = roll4[t+1]
        if best > stop[t+1]:
         total5 += 0.13117283950617284 * (best - stop[t+1])
         if best > stop[t+2]:
    """
    lines = []
    for dice in range(1, most_dice + 1):
        lines.append(f"total{dice} = stops[{dice - 1}] + tuttos[{dice - 1}]")
        ends: dict[tuple[tuple[int, int], ...], dict[tuple[int, bool], int]] = {}
        for pattern in patterns(dice):
            # Of as many dice, the last ones have most points.
            choices = {dice - kept: steps for kept, steps in pattern.keeps if dice - kept > FEW}
            weights = ends.setdefault(tuple(choices.items()), {})
            end = pattern.steps, pattern.dice == dice
            weights[end] = weights.get(end, 0) + pattern.weight
        ends.pop((), None)
        for keeps, weights in ends.items():
            first, *others = (f"roll{left}[t+{steps}]" for left, steps in keeps)
            lines.append(f"best = {first}")
            lines += [f"if {other} > best: best = {other}" for other in others]
            indent = ""
            for (steps, tutto), weight in sorted(weights.items()):
                end_value = f"pay[u+{steps}]" if tutto else f"stop[t+{steps}]"
                gain = f"total{dice} += {weight / SIDES**dice!r} * (best - {end_value})"
                if tutto:
                    lines.append(f"{indent}if best > {end_value}: {gain}")
                else:
                    # If it isn't better than stopping, it isn't so with more points either.
                    lines += [f"{indent}if best > {end_value}:", f"{indent} {gain}"]
                    indent += " "
        lines.append(f"roll{dice}[t] = total{dice}")
    return _function(f"stops, tuttos, stop, pay, u, {_ROLLS}, t", [*lines, _few_useful(most_dice)])


def _few_useful(most_dice: int) -> str:
    return "return " + " or ".join(f"total{dice} > stop[t]" for dice in range(1, min(FEW, most_dice) + 1))


def _once_source(most_dice: int, tutto: bool) -> str:
    """Return the source of a function that returns, by dice, a part of what taking all valid dice is worth.

    With ``tutto`` it is the part with a Tutto, of which ``ends`` are the values, otherwise that of stopping
    and of the null.

    >>> print(_once_source(1, tutto=True) + _once_source(1, tutto=False))
    def generated(ends, t, lost):
        e_1 = ends[t+1]
        e_2 = ends[t+2]
        return 0.16666666666666666 * e_1 + 0.16666666666666666 * e_2,
    def generated(ends, t, lost):
        return 0.6666666666666666 * lost,
    <BLANKLINE>
    """
    loads: dict[str, str] = {}
    values = []
    for dice in range(1, most_dice + 1):
        weights: dict[int, int] = {}
        for pattern in patterns(dice):
            if (pattern.dice == dice) is tutto:
                weights[pattern.steps] = weights.get(pattern.steps, 0) + pattern.weight
        terms = [] if tutto else [f"{null_chance(dice)!r} * lost"]
        for steps, weight in weights.items():
            name = loads.setdefault(f"ends[t+{steps}]", f"e_{steps}")
            terms.append(f"{weight / SIDES**dice!r} * {name}")
        values.append(" + ".join(terms))
    head = [f"{name} = {place}" for place, name in loads.items()]
    return _function("ends, t, lost", [*head, f"return {', '.join(values)},"])


def _function(arguments: str, lines: Sequence[str]) -> str:
    body = "\n    ".join(lines)
    return f"def generated({arguments}):\n    {body}\n"


def _by_gain(source: Callable[[int], str]) -> list[Callable[..., Any]]:
    """Return, by steps gained since six dice were rolled, the function for the most dice that can be left.

    One die brings at most 2 steps, two bring 4, and three bring 20.
    """
    found = {}
    for dice in range(3, NUMBER_OF_DICE + 1):
        namespace: dict[str, Callable[..., Any]] = {}
        exec(compile(source(dice), f"<total of {dice} dice>", "exec"), namespace)
        found[dice] = namespace["generated"]
    return [found[dice] for dice in (6, 5, 5, 4, 4, *(3,) * (MAX_FROM_FIVE - 4))]


_FILL_TOTAL = _by_gain(_source)
_FILL_FEW = _by_gain(_few_source)
_STOPS_ONCE = _by_gain(lambda dice: _once_source(dice, tutto=False))
_TUTTOS_ONCE = _by_gain(lambda dice: _once_source(dice, tutto=True))


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
            _TUTTOS_ONCE[-1](tutto, u, lost) if u > top + _LEAST_BONUS else ()
            for u in range(top + _MOST_BONUS + 1)
        ]
        burst, more = fireworks(), _more_fireworks()
        # From here on, stopping is always worth the same.
        flat = len(stop) if solved.level.slope else len(solved.level.banked)
        draw = self._drawing(solved, below, FULL_DECK)
        for t in range(top, low - 1, -1):
            # The last total at which six dice are rolled is high - 1.
            gained = max(0, t - solved.high + 1)
            fill_total, fill_few = _FILL_TOTAL[gained], _FILL_FEW[gained]
            stops = _STOPS_ONCE[gained](stop, t, lost)
            # The card with the largest bonus needs this at the smallest total, with most dice.
            dice_then = max(0, gained + _LEAST_BONUS - _MOST_BONUS)
            tuttos[t + _LEAST_BONUS] = _TUTTOS_ONCE[dice_then](tutto, t + _LEAST_BONUS, lost)
            twice[t + 1] = tutto[2 * (t + 1)]
            for rolled in work:
                rolls, u = rolled.rolls, t + rolled.bonus
                if rolled.bonus > _LEAST_BONUS and u - _LEAST_BONUS < vain:
                    rolls[-1][t] = least_bonus[u - _LEAST_BONUS]
                    continue
                pay = tutto if rolled.bonus else twice
                if t >= solved.rising and rolled.few > t + MAX_FROM_FIVE:
                    taken = tuttos[u] if rolled.bonus else _TUTTOS_ONCE[gained](twice, t, lost)
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
        _FILL_TOTAL[step](stop, pay, step, *rolls, step, lost)
    return rolls


def paid(card: Card, t: int) -> int:
    """Return the turn total after a Tutto with a scoring card, in steps."""
    return 2 * t if card is Card.X2 else t + card.bonus // STEP


_STOP = INDEX[Card.STOP]
