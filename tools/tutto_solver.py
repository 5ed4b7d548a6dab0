"""Solves the two-player game: the chance to win from every pair of scores, by value iteration.

Needs numpy and numba (the extra ``solver``); only the command ``python -m tools.solve_tutto`` imports it.
The bot itself reads the tables that come out.

The model: cards are drawn as if from a fresh deck each time, everything else is the rules. One step of the
iteration is one whole turn, solved exactly from the largest turn totals down, with the table as it stands at
its ends; the pairs of scores are taken from the highest down, so that news travels through the whole table
in one sweep and only lost turns and Plus/Minus point backwards.

Arrays are indexed by steps of 50 points. A score's index is ``score / 50 + floor``, ``floor`` being the room
for scores below zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeVar

from bot.games.tutto.cards import BONUS, CARDS, FULL_DECK, Card
from bot.games.tutto.scoring import PLUS_MINUS_POINTS, STRAIGHT_POINTS
from bot.games.tutto.state import NUMBER_OF_DICE, Edition
from bot.strategy.tutto.chances import clover_chance, fireworks, null_chance, straight_chance, tutto_chance
from bot.strategy.tutto.patterns import STEP, patterns
from bot.strategy.tutto.tables import Shape

np: Any = import_module("numpy")
numba: Any = import_module("numba")

F = TypeVar("F", bound=Callable[..., Any])
Progress = Callable[[int, float], None]
"""Called after each sweep with its number, from 1, and the largest change it made."""

FIRST, SECOND, LAST = range(3)
"""Who is to move: the one who began the round, the other, or the other with no turn to follow."""

_MINUS = PLUS_MINUS_POINTS // STEP
_STRAIGHT = STRAIGHT_POINTS // STEP
_CARDS = sum(FULL_DECK)
_MARGIN = 24  # steps that five dice bring at most: 1,1,1 and two more 1s
_TRIES = 200
_LOOK = 8
RELAX = 1.15
"""How far a step overshoots: two lost turns lead back to where they began, which a plain step is slow to
settle (29 sweeps at a target of 3000 instead of 16). In classic it doesn't help."""


def _compiled(function: F) -> F:
    """Compile with numba, keeping the type checker's view of the function."""
    compiled: F = numba.njit(cache=True, fastmath=False)(function)
    return compiled


@dataclass(frozen=True, slots=True)
class Solution:
    """What :func:`solve` found. ``wins[role][own][other]`` is the chance of the player to move, ``role``
    being FIRST or SECOND (the same array twice in ``classic``, where seats make no difference).
    ``beats[own][other]`` is the chance to win with the last turn of the game, None in ``classic``.
    ``residual`` is the largest difference that one more step would make anywhere.
    """

    shape: Shape
    wins: Any
    beats: Any
    sweeps: int
    residual: float


def solve(edition: Edition, target: int, tolerance: float, progress: Progress) -> Solution:
    """Iterate until a further step changes no chance by more than ``tolerance``.

    Raises :class:`ArithmeticError` if that isn't reached, which would be a bug.
    """
    shape = Shape.of(edition, target)
    floor, goal, cap = shape.floor, target // STEP + shape.floor, shape.cap // STEP + shape.floor
    rules = np.array(
        [floor, goal, cap, edition is Edition.CLASSIC, 0 if edition is Edition.CURRENT else 1], dtype=np.int64
    )
    table = _patterns()
    chances = _chances()
    burst = np.array(fireworks(), dtype=np.float64)
    room = cap + 1
    wins = np.full((2, goal, goal), 0.5)
    beats = np.zeros((goal, cap + 1))
    # The value of a Tutto by role, scores and turn total, of the latest visit: what a deduction leads to.
    after = np.zeros((2, goal, goal, room), dtype=np.float64)
    # From which total on nobody turned another card at the latest visit. A step looks only a little beyond
    # it, which is three times as fast; whether that was right is seen when the residual is taken.
    ends = np.full((2, goal, goal), room, dtype=np.int64)

    if edition is not Edition.CLASSIC:
        for own in range(goal):
            _last_turns(own, rules, table, chances, burst, wins, beats)
    relax = 1.0 if edition is Edition.CLASSIC else RELAX
    look = _LOOK
    for sweep in range(1, _TRIES + 1):
        arrays = (rules, table, chances, burst, wins, beats, after, ends)
        change = max(_sweep(high, relax, look, *arrays) for high in range(goal - 1, -1, -1))
        progress(sweep, change)
        if change <= tolerance / 2:
            residual = max(_sweep(high, 0.0, room, *arrays) for high in range(goal - 1, -1, -1))
            if residual <= tolerance:
                return Solution(shape, wins, beats if shape.last else None, sweep, residual)
            look = room
    raise ArithmeticError(f"no convergence in {_TRIES} sweeps")


def _patterns() -> Any:
    """All patterns as one integer array, a row each: dice rolled, weight, dice kept, steps, parts, -1."""
    rows = []
    for dice in range(1, NUMBER_OF_DICE + 1):
        for pattern in patterns(dice):
            rows.append([dice, pattern.weight, pattern.dice, pattern.steps, *pattern.parts])
    width = max(map(len, rows)) + 1
    return np.array([row + [-1] * (width - len(row)) for row in rows], dtype=np.int64)


def _chances() -> Any:
    """Null by number of dice 0..6, then the chances of a Tutto, a Straight and a Cloverleaf."""
    return np.array(
        [null_chance(dice) for dice in range(NUMBER_OF_DICE + 1)]
        + [tutto_chance(NUMBER_OF_DICE), straight_chance(NUMBER_OF_DICE), clover_chance(0)]
    )


# Number of cards whose dice score, and what each pays: 0 stands for x2.
_PAYS = np.array([0, *(bonus // STEP for bonus in BONUS.values())], dtype=np.int64)
_SCORING = np.array([FULL_DECK[CARDS.index(Card.X2)], *(FULL_DECK[CARDS.index(card)] for card in BONUS)])
_STOPS, _CLOVERS, _FIREWORKS, _STRAIGHTS, _PLUS_MINUS = (
    FULL_DECK[CARDS.index(card)]
    for card in (Card.STOP, Card.CLOVERLEAF, Card.FIREWORKS, Card.STRAIGHT, Card.PLUS_MINUS)
)


@_compiled
def _turn(
    stop: Any,
    lost: float,
    misses: bool,
    minus: Any,
    flat: int,
    table: Any,
    chances: Any,
    burst: Any,
    tutto: Any,
    most: int,
) -> tuple[float, int]:
    """The value of a turn about to begin, and from which total on nobody turns another card; ``tutto[t]``
    becomes the value of a Tutto with turn total ``t``.

    ``stop[t]`` is the value of banking ``t``, constant from ``flat`` on, ``lost`` that of gathering nothing.
    ``minus[t]`` is the value of a Plus/Minus Tutto; with ``misses`` the card ends the turn instead. Totals
    from ``most`` on are taken to be banked.
    """
    # Above ``high`` nobody turns another card: at best a card wins, at worst it fails as follows.
    fails = (
        _STOPS
        + chances[6] * _SCORING.sum()
        + (1.0 if misses else 1.0 - chances[7]) * _PLUS_MINUS
        + (1.0 - chances[8]) * _STRAIGHTS
        + (1.0 - chances[9]) * _CLOVERS
    ) / _CARDS
    bound = fails * lost + (1.0 - fails)
    high = flat
    while high > 0 and stop[high - 1] >= bound:
        high -= 1
    high = min(high, most)
    size = len(stop)
    for t in range(size):
        tutto[t] = stop[t]
    roll = np.zeros((len(_PAYS), 7, size))
    pay = np.zeros((len(_PAYS), size))
    for card in range(len(_PAYS)):
        for t in range(high + _MARGIN, high + 2 * _MARGIN + 12):
            pay[card, t] = stop[min(size - 1, t + _PAYS[card] if _PAYS[card] else 2 * t)]
    best = np.zeros(128)
    begun, end = lost, 0
    for t in range(high + _MARGIN, -1, -1):
        # One die brings at most 2 steps and two bring 4, so more dice can't be left.
        top = 6 if t < high else 5 if t < high + 2 else 4 if t < high + 4 else 3
        for card in range(len(_PAYS)):
            pay[card, t + 1] = tutto[min(size - 1, t + 1 + _PAYS[card] if _PAYS[card] else 2 * t + 2)]
            dice, total, first = 1, 0.0, 0
            for row in range(len(table) + 1):
                if row == len(table) or table[row, 0] != dice:
                    roll[card, dice, t] = chances[dice] * lost + total / 6.0**dice
                    if row == len(table) or table[row, 0] > top:
                        break
                    dice, total, first = table[row, 0], 0.0, row
                left, gained = dice - table[row, 2], t + table[row, 3]
                value = roll[card, left, gained] if left else pay[card, gained]
                part = 4
                while table[row, part] >= 0:
                    value = max(value, best[table[row, part]])
                    part += 1
                best[row - first] = value
                if left:
                    value = max(value, stop[gained])
                total += table[row, 1] * value
        if t < high:
            begun = _STOPS * lost
            for card in range(len(_PAYS)):
                begun += _SCORING[card] * roll[card, 6, t]
            spark, spent = 0.0, 0.0
            for steps in range(min(len(burst), flat - t)):
                spark += burst[steps] * stop[t + steps]
                spent += burst[steps]
            begun += _FIREWORKS * (spark + (1.0 - spent) * stop[flat])
            begun += _PLUS_MINUS * (
                lost if misses else lost + chances[7] * (minus[min(size - 1, t + _MINUS)] - lost)
            )
            begun += _STRAIGHTS * (lost + chances[8] * (tutto[min(size - 1, t + _STRAIGHT)] - lost))
            begun += _CLOVERS * (lost + chances[9] * (1.0 - lost))
            begun /= _CARDS
            if begun > stop[t]:
                tutto[t] = begun
                end = max(end, t + 1)
    return begun, end


@_compiled
def _worth(role: int, own: int, other: int, rules: Any, wins: Any, beats: Any) -> float:
    """The chance to win of a player whose turn has just ended with these score indices."""
    goal, cap, classic = rules[1], rules[2], rules[3]
    if role == 2:
        return 1.0 if own > other else 0.5 if own == other else 0.0
    if own < goal:
        return float(1.0 - wins[1 - role, other, own])
    if classic or role == 1:
        return 1.0
    return float(1.0 - beats[other, min(own, cap)])


@_compiled
def _deducted(own: int, other: int, rules: Any) -> int:
    """The other's index after a Plus/Minus Tutto."""
    floor: int = rules[0]
    if other < own or (own == floor and other == floor):
        return other
    if rules[4]:
        return max(other - _MINUS, 0)
    return max(other - _MINUS, min(other, floor))


@_compiled
def _one(
    role: int,
    own: int,
    other: int,
    minus: Any,
    rules: Any,
    table: Any,
    chances: Any,
    burst: Any,
    wins: Any,
    beats: Any,
    stop: Any,
    tutto: Any,
    most: int,
) -> tuple[float, int]:
    """Solve one turn, filling ``stop`` and ``tutto`` on the way; returns what :func:`_turn` does."""
    floor, goal, cap, classic = rules[0], rules[1], rules[2], rules[3]
    if role == 2:
        flat = max(0, other - own + 1)
    elif role == 1 or classic:
        flat = goal - own
    else:
        flat = cap - own
    for t in range(len(stop)):
        stop[t] = _worth(role, own + min(t, flat), other, rules, wins, beats)
    leads = own >= other and not (own == floor and other == floor)
    return _turn(stop, stop[0], classic == 1 and leads, minus, flat, table, chances, burst, tutto, most)


@_compiled
def _last_turns(own: int, rules: Any, table: Any, chances: Any, burst: Any, wins: Any, beats: Any) -> None:
    """Fill ``beats[own]``; deductions lead to a smaller score of the other, so those come first."""
    size = 2 * rules[2] + 200
    stop = np.zeros(size)
    values = np.zeros((rules[2] + 1, size))
    for other in range(rules[2] + 1):
        low = _deducted(own, other, rules)
        into = values[other]
        beats[own, other], _ = _one(
            2, own, other, values[low], rules, table, chances, burst, wins, beats, stop, into, size
        )


@_compiled
def _sweep(
    high: int,
    relax: float,
    look: int,
    rules: Any,
    table: Any,
    chances: Any,
    burst: Any,
    wins: Any,
    beats: Any,
    after: Any,
    ends: Any,
) -> float:
    """Renew all pairs whose higher score is ``high``, both roles; the largest change that made.

    ``relax`` is how much of each change is made; 0 leaves everything as it is.
    """
    size = 2 * rules[2] + 200
    room = after.shape[3]
    stop, tutto, minus = np.zeros(size), np.zeros(size), np.zeros(size)
    change = 0.0
    for low in range(high, -1, -1):
        for turn in range(4):
            role = 1 - turn % 2
            if rules[3] and role == 1:
                continue
            if low == high and turn >= 2:
                continue
            own, other = (high, low) if turn < 2 else (low, high)
            less = _deducted(own, other, rules)
            # A deduction of nothing leads back to the very turn that is being solved.
            leads_to = tutto
            if less != other:
                leads_to = minus
                for t in range(size):
                    minus[t] = after[role, own, less, min(t, room - 1)]
            most = ends[role, own, other] + look
            value, end = _one(
                role, own, other, leads_to, rules, table, chances, burst, wins, beats, stop, tutto, most
            )
            difference = value - wins[role, own, other]
            change = max(change, abs(difference))
            if relax > 0.0:
                wins[role, own, other] += relax * difference
                if rules[3]:
                    wins[1, own, other] = wins[0, own, other]
                ends[role, own, other] = end
                for t in range(room):
                    after[role, own, other, t] = tutto[t]
    return change
