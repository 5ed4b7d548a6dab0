"""Solve one turn exactly: the value of every action in it, given the values of its ends.

The values of the ends are :class:`Stakes`: points for a player who wants points, chances
to win for one who wants to win. Turn totals are in steps of 50. A turn total only ever grows, so the values
are computed from the largest total down, each exactly once. A Plus/Minus Tutto changes the scores and with
them the stakes; each such change is a *level* of its own.

The inner loop is unrolled: :func:`_row` is a function written out from the patterns of rolls, once, when
this module is imported. It is pure Python so that the bot needs neither a compiler nor numpy; written out it
takes 20 microseconds a row, as a loop over the patterns 70.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import mul

from bot.games.tutto.cards import BONUS, FULL_DECK, INDEX, Card, pile
from bot.games.tutto.scoring import PLUS_MINUS_POINTS, STRAIGHT_POINTS
from bot.games.tutto.state import NUMBER_OF_DICE
from bot.strategy.tutto.chances import (
    clover_chance,
    fireworks,
    null_chance,
    straight_chance,
    tutto_chance,
)
from bot.strategy.tutto.patterns import STEP, patterns

Deck = tuple[int, ...]

MAX_FROM_FIVE = 24
"""Steps that five dice bring at most: 1,1,1 and two more 1s."""
MAX_FROM_SIX = 40
"""Steps that six dice bring at most: six 1s."""
MIN_TUTTO = 10
"""The smallest turn total, in steps, after a Tutto: six single 5s with Bonus 200."""

_MINUS = PLUS_MINUS_POINTS // STEP
_STRAIGHT = STRAIGHT_POINTS // STEP
SCORING = (*BONUS, Card.X2)
"""Cards whose dice score and that let the player stop."""


@dataclass(frozen=True, slots=True)
class Level:
    """The stakes after some number of Plus/Minus Tuttos in this turn.

    ``lost`` is the value of ending the turn with nothing, ``banked[t]`` of banking ``t`` steps; the last
    value of ``banked`` holds for all larger totals, plus ``slope`` for each step. With ``misses`` a
    Plus/Minus card ends the turn.
    """

    lost: float
    banked: tuple[float, ...]
    misses: bool = False
    slope: float = 0.0


@dataclass(frozen=True, slots=True)
class Stakes:
    """What the end of a turn is worth: a :class:`Level` for 0, 1, ... Plus/Minus Tuttos made from now on.

    The last level holds for all further ones as well. ``won`` is the value of a Cloverleaf win and ``most``
    what nothing can exceed; ``most`` is None if values grow with the points without end.
    """

    levels: tuple[Level, ...]
    won: float
    most: float | None


def _row_source(most_dice: int) -> str:
    """Return the source of a function for one row: the values of rolling 1 to ``most_dice`` dice."""
    loads: dict[str, str] = {}
    lines: list[str] = []

    def load(name: str, array: str, steps: int) -> str:
        return loads.setdefault(f"{array}[t+{steps}]", f"{name}_{steps}")

    for dice in range(1, most_dice + 1):
        lines.append(f"total = {null_chance(dice) * NUMBER_OF_DICE**dice!r} * lost")
        for index, pattern in enumerate(patterns(dice)):
            left = dice - pattern.dice
            value = (
                load(f"roll{left}", f"roll{left}", pattern.steps) if left else load("p", "pay", pattern.steps)
            )
            # Every pattern's best value of rolling on is kept for the patterns it is a part of.
            lines.append(f"best{index} = {value}")
            lines += [f"if best{part} > best{index}: best{index} = best{part}" for part in pattern.parts]
            if left:
                stop = load("s", "stop", pattern.steps)
                lines.append(f"total += {pattern.weight} * (best{index} if best{index} > {stop} else {stop})")
            else:
                lines.append(f"total += {pattern.weight} * best{index}")
        lines.append(f"roll{dice}[t] = total / {NUMBER_OF_DICE**dice}")
        # The arrays of fewer dice are read at larger totals only, so all loads may come first.
    head = [f"{name} = {source}" for source, name in loads.items()]
    arguments = ", ".join(f"roll{dice}" for dice in range(1, NUMBER_OF_DICE + 1))
    body = "\n    ".join(head + lines)
    return f"def row(stop, pay, {arguments}, t, lost):\n    {body}\n"


def _row(most_dice: int) -> Callable[..., None]:
    namespace: dict[str, Callable[..., None]] = {}
    exec(compile(_row_source(most_dice), f"<row of {most_dice} dice>", "exec"), namespace)
    return namespace["row"]


_ROWS = [_row(dice) for dice in (6, 5, 5, 4, 4)] + [_row(3)] * (MAX_FROM_FIVE - 4)
"""By the steps gathered since six dice were rolled: a row of the most dice that can then be left. One die
brings at most 2 steps and two bring 4; three may bring 20."""


class _Solved:
    """One level's values for all ``low <= t < high``.

    ``stop[t]``: banking; ``tutto[t]``: a Tutto just made, later cards drawn as if from a fresh deck;
    ``cards[card][t]``, ``fire[t]``: having turned that scoring card, or Fireworks.
    """

    __slots__ = ("cards", "fire", "high", "level", "low", "stop", "tutto")

    def __init__(self, level: Level, low: int, high: int, reach: int) -> None:
        self.level = level
        self.low, self.high = low, high
        known = level.banked
        rest = reach - len(known)
        last = known[-1]
        self.stop = [*known, *(last + level.slope * step for step in range(1, rest + 1))]
        self.tutto = self.stop[:]
        self.cards: dict[Card, list[float]] = {}
        self.fire = [0.0] * high


class Turn:
    """One turn, solved for all totals from ``low`` steps on.

    ``highs`` are the totals, by level, from which on turning another card is out of the question (see
    :func:`~bot.strategy.tutto.horizon.highs`).
    """

    def __init__(self, stakes: Stakes, low: int, highs: Sequence[int]) -> None:
        self.stakes = stakes
        self.low = low
        solved: list[_Solved] = []
        most_minus = _MINUS * len(stakes.levels)
        reach = 2 * (max(*highs, low + most_minus) + MAX_FROM_FIVE + MAX_FROM_SIX) + len(fireworks())
        for number in range(len(stakes.levels) - 1, -1, -1):
            # Each Plus/Minus Tutto on the way has brought 1000 points; the first may be the open card's.
            start = max(0, low - MIN_TUTTO) + _MINUS * number if number else low
            level = _Solved(stakes.levels[number], start, highs[number], reach)
            self._solve(level, solved[-1] if solved else level)
            solved.append(level)
        self._levels = solved[::-1]

    def _solve(self, solved: _Solved, below: _Solved) -> None:
        """Fill the arrays from the top down; ``below`` is the level that a Plus/Minus Tutto leads to."""
        if solved.high <= solved.low:
            return
        stop, tutto, lost = solved.stop, solved.tutto, solved.level.lost
        top, low = solved.high + MAX_FROM_FIVE - 1, solved.low
        size = top + MAX_FROM_SIX + 1
        rolls: dict[Card, list[list[float]]] = {}
        pays: dict[Card, list[float]] = {}
        for card in SCORING:
            # Beyond the top a Tutto is followed by stopping.
            pays[card] = stop[: 2 * size : 2] if card is Card.X2 else stop[paid(card, 0) : paid(card, size)]
            rolls[card] = [[0.0] * size for _ in range(NUMBER_OF_DICE)]
            solved.cards[card] = rolls[card][-1]
        burst = fireworks()
        work = [(card, pays[card], rolls[card]) for card in SCORING]
        for t in range(top, low - 1, -1):
            # The last total at which six dice are rolled is high - 1.
            row = _ROWS[max(0, t - solved.high + 1)]
            for card, pay, roll in work:
                pay[t + 1] = tutto[paid(card, t + 1)]
                row(stop, pay, *roll, t, lost)
            if t < solved.high:
                solved.fire[t] = sum(map(mul, burst, stop[t : t + len(burst)]))
                value = self._draw(solved, below, t, FULL_DECK)
                if value > stop[t]:
                    tutto[t] = value

    def _draw(self, solved: _Solved, below: _Solved, t: int, deck: Deck) -> float:
        cards = pile(deck)
        lost = solved.level.lost
        total = cards[_STOP] * lost
        for card, values in solved.cards.items():
            total += cards[INDEX[card]] * values[t]
        for card in (Card.CLOVERLEAF, Card.FIREWORKS, Card.STRAIGHT, Card.PLUS_MINUS):
            if cards[INDEX[card]]:
                total += cards[INDEX[card]] * self._special(solved, below, t, card)
        return total / sum(cards)

    def _special(self, solved: _Solved, below: _Solved, t: int, card: Card) -> float:
        """Return the value of having turned ``card``, whose dice score nothing or leave no choice."""
        lost = solved.level.lost
        if card is Card.FIREWORKS:
            return solved.fire[t]
        if card is Card.STRAIGHT:
            return lost + straight_chance(NUMBER_OF_DICE) * (solved.tutto[t + _STRAIGHT] - lost)
        if card is Card.CLOVERLEAF:
            return lost + clover_chance(0) * (self.stakes.won - lost)
        if solved.level.misses:
            return lost
        return lost + tutto_chance(NUMBER_OF_DICE) * (below.tutto[t + _MINUS] - lost)

    def _below(self, level: int) -> int:
        return min(level + 1, len(self._levels) - 1)

    def lost(self) -> float:
        """Return the value of a null or a Stop card."""
        return self._levels[0].level.lost

    def stop(self, t: int, level: int = 0) -> float:
        """Return the value of banking ``t`` steps."""
        solved = self._levels[level]
        level_ = solved.level
        last = len(level_.banked) - 1
        return level_.banked[t] if t <= last else level_.banked[last] + level_.slope * (t - last)

    def scoring_card(self, card: Card, t: int) -> float:
        """Return the value of having turned a scoring card with ``t`` steps gathered, low <= t < high."""
        return self._levels[0].cards[card][t]

    def turn_card(self, t: int, deck: Deck, level: int = 0) -> float | None:
        """Return the value of a card from ``deck`` with ``t`` steps; later ones are from a fresh deck.

        None where stopping is known to be better."""
        solved = self._levels[level]
        if not solved.low <= t < solved.high:
            assert t >= solved.low, "the turn was solved for larger totals"
            return None
        return self._draw(solved, self._levels[self._below(level)], t, deck)

    def tutto(self, t: int, deck: Deck, level: int = 0) -> float:
        """Return the value of a Tutto with turn total ``t``: the better of stopping and going on."""
        value = self.turn_card(t, deck, level)
        stop = self.stop(t, level)
        return stop if value is None or value < stop else value

    def rolling(self, card: Card, t: int, deck: Deck) -> Rolling:
        """Return the values of rolling with scoring ``card``, for the totals that can follow ``t``."""
        return Rolling(self, card, t, deck)

    def special(self, card: Card, t: int, deck: Deck, dice: int, clover: int = 0) -> float:
        """Return the value of rolling ``dice`` dice with a card that isn't a scoring one, and total ``t``.

        With a Straight, ``dice`` is how many numbers are missing; 0 is the Tutto. ``clover`` counts the
        Cloverleaf's Tuttos."""
        lost = self.lost()
        if card is Card.FIREWORKS:
            burst = fireworks(dice)
            return sum(chance * self.stop(t + steps) for steps, chance in enumerate(burst))
        if card is Card.CLOVERLEAF:
            chance = tutto_chance(dice) * (clover_chance(clover + 1) if clover < 1 else 1.0)
            return lost + chance * (self.stakes.won - lost)
        if card is Card.STRAIGHT:
            return lost + straight_chance(dice) * (self.tutto(t + _STRAIGHT, deck) - lost)
        # Where a leader's Plus/Minus ends the turn there are never dice to choose from.
        return lost + tutto_chance(dice) * (self.tutto(t + _MINUS, deck, self._below(0)) - lost)


class Rolling:
    """The open scoring card: the value of rolling with some dice left, at turn total ``t`` and above."""

    def __init__(self, turn: Turn, card: Card, t: int, deck: Deck) -> None:
        self._turn, self._card, self._deck, self._start = turn, card, deck, t
        size = MAX_FROM_FIVE + MAX_FROM_SIX + 1
        stop = [turn.stop(t + step) for step in range(size)]
        pay = [0.0] * size
        for step in range(1, size):
            # Smaller totals can't be those of a Tutto.
            if paid(card, t + step) >= turn.low:
                pay[step] = self.tutto(t + step)
        self._rolls = [[0.0] * size for _ in range(NUMBER_OF_DICE)]
        lost = turn.lost()
        for step in range(MAX_FROM_FIVE, -1, -1):
            _ROWS[step](stop, pay, *self._rolls, step, lost)

    def tutto(self, t: int) -> float:
        """Return the value of the Tutto that total ``t``, without the card's pay, makes."""
        return self._turn.tutto(paid(self._card, t), self._deck)

    def roll(self, dice: int, t: int) -> float:
        """Return the value of rolling ``dice`` dice with total ``t``."""
        return self._rolls[dice - 1][t - self._start]


def paid(card: Card, t: int) -> int:
    """Return the turn total after a Tutto with a scoring card, in steps."""
    return 2 * t if card is Card.X2 else t + card.bonus // STEP


_STOP = INDEX[Card.STOP]
