"""Plays Tutto among several grandmasters a turn at a time, thousands of games a second.

Needs numpy and numba (the extra ``solver``). A grandmaster solves each turn for its own stakes, which takes
too long for millions of games. Here it picks the best of some :class:`Menu` of ways to play a turn, each of
which was solved for the stakes of some position, and whose results are known exactly: how often it brings how
many points, with how many Plus/Minus Tuttos. Cards are drawn as from a fresh deck each time.

Scores and turn totals are in steps of 50 points.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeVar

from bot.games.tutto.cards import BONUS, CARDS, FULL_DECK, Card
from bot.games.tutto.scoring import PLUS_MINUS_POINTS, STRAIGHT_POINTS
from bot.games.tutto.state import NUMBER_OF_DICE, Edition, Options
from bot.strategy.tutto import learned, tables
from bot.strategy.tutto.chances import clover_chance, fireworks, null_chance, straight_chance, tutto_chance
from bot.strategy.tutto.pairs import two_player_chances
from bot.strategy.tutto.patterns import STEP, patterns
from bot.strategy.tutto.position import Position
from bot.strategy.tutto.winning import PLUS_MINUS_TUTTO

np: Any = import_module("numpy")
numba: Any = import_module("numba")

F = TypeVar("F", bound=Callable[..., Any])

SPAN = 140
"""Turn totals from here on (7000 points) count alike."""
MOST_AT_ONCE = 80
"""Some ways to play are made to reach fewer steps than these (4000 points) at once."""
_SIZE = 2 * SPAN + 120
_MINUS = PLUS_MINUS_POINTS // STEP
_STRAIGHT = STRAIGHT_POINTS // STEP
MAX_MINUS = 2
"""More Plus/Minus Tuttos in one turn than this count as this many."""
WON = SPAN * (MAX_MINUS + 1)
"""The place of a Cloverleaf win in the results of a way to play; the others are ``minus * SPAN + gained``."""
RESULTS = WON + 1
FAR = 60
"""While all are so many steps (3000 points) from the target, everybody plays for points."""
KEEP = (0.15, 0.5)
"""The share of the positions of a game that are kept to learn from, in normal rounds and in the last one.

Neighbours say nearly the same, but there is only one last round in a game.
"""
_EXCESS = 7
NEGLIGIBLE = 5e-7
"""Rarer results of a turn are left out of averages."""
RARE = 0.01
"""What the network says of rarer results of a turn is not used to take luck off."""
INPUTS = 15
"""The number of features of a seat that a network sees."""
PARTS = ("W1", "b1", "W2", "b2", "w3")
THOUSAND = 20.0
"""Steps of 50 points in a thousand."""
FLOORS = np.array(learned.FLOORS)
HORIZON = learned.FAR
_BELOW = np.array([0, 8, 20, 40])
_ABOVE = np.array([-1, 0, 12])
# The results of a turn, in steps below the target and from it, for which the network is asked.


def _compiled(function: F) -> F:
    compiled: F = numba.njit(cache=True, fastmath=True)(function)
    return compiled


def _dice() -> tuple[Any, Any]:
    """Return all patterns (dice, weight, valid dice, their steps, first keep, last keep) and their keeps."""
    rows: list[list[int]] = []
    keeps: list[tuple[int, int]] = []
    for dice in range(1, NUMBER_OF_DICE + 1):
        for pattern in patterns(dice):
            first = len(keeps)
            keeps += pattern.keeps
            rows.append([dice, pattern.weight, pattern.dice, pattern.steps, first, len(keeps)])
    return np.array(rows, dtype=np.int64), np.array(keeps, dtype=np.int64)


_PATTERNS, _KEEPS = _dice()
_NULLS = np.array([null_chance(dice) for dice in range(NUMBER_OF_DICE + 1)])
_BURST = np.array(fireworks())
_TUTTO, _FULL, _CLOVER = tutto_chance(NUMBER_OF_DICE), straight_chance(NUMBER_OF_DICE), clover_chance(0)
_PAYS = np.array([0, *(bonus // STEP for bonus in BONUS.values())], dtype=np.int64)
_SCORING = np.array([FULL_DECK[CARDS.index(Card.X2)], *(FULL_DECK[CARDS.index(card)] for card in BONUS)])
_STOPS, _CLOVERS, _FIREWORKS, _STRAIGHTS, _PLUS_MINUS = (
    FULL_DECK[CARDS.index(card)]
    for card in (Card.STOP, Card.CLOVERLEAF, Card.FIREWORKS, Card.STRAIGHT, Card.PLUS_MINUS)
)
_CARDS = sum(FULL_DECK)


@_compiled
def _chosen(row: int, t: int, card: int, bank: Any, roll: Any, tutto: Any) -> tuple[float, int]:
    """Return the value of the best choice of a pattern, and which keep that is; -1 for stopping."""
    dice = _PATTERNS[row, 0]
    best, into = -1.0, -1
    if _PATTERNS[row, 2] < dice:
        best = bank[t + _PATTERNS[row, 3]]
    for keep in range(_PATTERNS[row, 4], _PATTERNS[row, 5]):
        left, after = dice - _KEEPS[keep, 0], t + _KEEPS[keep, 1]
        if left:
            value = roll[card, left, after]
        else:
            value = tutto[min(_SIZE - 1, after + _PAYS[card] if _PAYS[card] else 2 * after)]
        if value > best:
            best, into = value, keep
    return best, into


@_compiled
def _ended(found: Any, drawing: Any, draws: Any, minus: int, t: int, chance: float) -> None:
    """Count a Tutto with total ``t``: another card is turned, or the turn ends."""
    if t < SPAN and draws[minus, t]:
        drawing[minus, t] += chance
    else:
        found[minus * SPAN + min(t, SPAN - 1)] += chance


@_compiled
def results_of(stops: Any, won: float, misses: bool) -> Any:
    """Return how often the best play for these stakes has each result.

    ``stops[minus, t]`` is the value of banking ``t`` after so many Plus/Minus Tuttos; ``stops[minus, 0]`` is
    also that of a lost turn, and ``stops[minus, SPAN - 1]`` that of all larger totals.
    """
    cards = len(_PAYS)
    bank = np.empty((MAX_MINUS + 1, _SIZE))
    draws = np.zeros((MAX_MINUS + 1, _SIZE), dtype=np.bool_)
    roll = np.zeros((MAX_MINUS + 1, cards, 7, _SIZE))
    tutto = np.empty((MAX_MINUS + 1, _SIZE))
    for level in range(MAX_MINUS, -1, -1):
        lost = stops[level, 0]
        below = min(level + 1, MAX_MINUS)
        for t in range(_SIZE):
            bank[level, t] = tutto[level, t] = stops[level, min(t, SPAN - 1)]
            if t >= SPAN:
                roll[level, :, :, t] = bank[level, t]
        for t in range(SPAN - 1, -1, -1):
            for card in range(cards):
                total, dice = 0.0, 1
                for row in range(len(_PATTERNS) + 1):
                    if row == len(_PATTERNS) or _PATTERNS[row, 0] != dice:
                        roll[level, card, dice, t] = _NULLS[dice] * lost + total / 6.0**dice
                        if row == len(_PATTERNS):
                            break
                        dice, total = _PATTERNS[row, 0], 0.0
                    best, _ = _chosen(row, t, card, bank[level], roll[level], tutto[level])
                    total += _PATTERNS[row, 1] * best
            begun = _STOPS * lost
            for card in range(cards):
                begun += _SCORING[card] * roll[level, card, 6, t]
            for steps in range(len(_BURST)):
                begun += _FIREWORKS * _BURST[steps] * bank[level, min(t + steps, _SIZE - 1)]
            begun += _PLUS_MINUS * (
                lost if misses else (1.0 - _TUTTO) * lost + _TUTTO * tutto[below, t + _MINUS]
            )
            begun += _STRAIGHTS * (lost + _FULL * (tutto[level, t + _STRAIGHT] - lost))
            begun += _CLOVERS * (lost + _CLOVER * (won - lost))
            begun /= _CARDS
            if begun > bank[level, t]:
                tutto[level, t] = begun
                draws[level, t] = True
    # The same again forwards, with the choices that were best.
    found = np.zeros(RESULTS)
    drawing = np.zeros((MAX_MINUS + 1, _SIZE))
    rolling = np.zeros((MAX_MINUS + 1, cards, 7, _SIZE))
    drawing[0, 0] = 1.0
    for t in range(SPAN):
        for minus in range(MAX_MINUS + 1):
            chance = drawing[minus, t] / _CARDS
            base = minus * SPAN
            if chance > 0.0:
                found[base] += chance * _STOPS
                for card in range(cards):
                    rolling[minus, card, 6, t] += chance * _SCORING[card]
                for steps in range(len(_BURST)):
                    found[base + min(t + steps, SPAN - 1)] += chance * _FIREWORKS * _BURST[steps]
                found[WON] += chance * _CLOVERS * _CLOVER
                found[base] += chance * _CLOVERS * (1.0 - _CLOVER) + chance * _STRAIGHTS * (1.0 - _FULL)
                _ended(found, drawing, draws, minus, t + _STRAIGHT, chance * _STRAIGHTS * _FULL)
                if misses:
                    found[base] += chance * _PLUS_MINUS
                else:
                    found[base] += chance * _PLUS_MINUS * (1.0 - _TUTTO)
                    more = min(minus + 1, MAX_MINUS)
                    _ended(found, drawing, draws, more, t + _MINUS, chance * _PLUS_MINUS * _TUTTO)
            for card in range(cards):
                for dice in range(6, 0, -1):
                    chance = rolling[minus, card, dice, t]
                    if chance < 1e-15:
                        continue
                    found[base] += chance * _NULLS[dice]
                    for row in range(len(_PATTERNS)):
                        if _PATTERNS[row, 0] != dice:
                            continue
                        _, into = _chosen(row, t, card, bank[minus], roll[minus], tutto[minus])
                        part = chance * _PATTERNS[row, 1] / 6.0**dice
                        if into < 0:
                            found[base + min(t + _PATTERNS[row, 3], SPAN - 1)] += part
                            continue
                        left, after = dice - _KEEPS[into, 0], t + _KEEPS[into, 1]
                        if left and after < SPAN:
                            rolling[minus, card, left, after] += part
                        elif left:
                            found[base + SPAN - 1] += part
                        else:
                            paid = after + _PAYS[card] if _PAYS[card] else 2 * after
                            _ended(found, drawing, draws, minus, paid, part)
    return found


@dataclass(frozen=True, slots=True)
class Rules:
    """A game as numbers, and the chances of pairs that its grandmasters look up.

    ``rules`` are the place of the score 0, the target and the largest score, all as indices,
    whether a player who reaches the target wins at once, and whether deductions stop at zero.
    """

    rules: Any
    wins: Any
    beats: Any

    @classmethod
    def of(cls, edition: Edition, target: int) -> Rules:
        classic = edition is Edition.CLASSIC
        pairs, _ = two_player_chances(Position(Options(edition, target), (0, 0), (), 0, False))
        below = 0 if edition is Edition.CURRENT else tables.BELOW
        own = range(-below, target, STEP)
        other = range(-below, target + tables.BEYOND + STEP, STEP)
        rules = [below // STEP, len(own), len(other) - 1, classic, edition is Edition.CURRENT]
        wins = np.array([[pairs.wins(second, score, own) for score in own] for second in (False, True)])
        beats = np.zeros((1, 1)) if classic else np.array([pairs.beats(score, other) for score in own])
        return cls(np.array(rules, dtype=np.int64), wins, beats)


@_compiled
def stakes(scores: Any, seat: int, last: bool, rules: Any, wins: Any, beats: Any, stop: Any) -> None:
    """Fill ``stop[t]`` with the chance to win after banking ``t``, combined from pairs as the bot does."""
    goal, cap, classic = rules[1], rules[2], rules[3]
    seats, own = len(scores), scores[seat]
    best_done = -1
    for other in range(seat):
        best_done = max(best_done, scores[other])
    for t in range(SPAN):
        after = own + t
        if after >= goal and classic:
            stop[t] = 1.0
        elif after < goal and not last:
            total = 1.0
            for other in range(seats):
                if other != seat:
                    beaten = 1.0 - wins[1 if other > seat else 0, min(scores[other], goal - 1), after]
                    total += (1.0 - beaten) / max(beaten, 1e-12)
            stop[t] = 1.0 / total
        elif after < best_done:
            stop[t] = 0.0
        else:
            share = 1.0
            for other in range(seat):
                share += scores[other] == after
            value = 1.0 / share
            for other in range(seat + 1, seats):
                value *= 1.0 - beats[min(scores[other], goal - 1), min(after, cap)]
            stop[t] = value
            if after >= cap:
                for rest in range(t + 1, SPAN):
                    stop[rest] = value
                break


@_compiled
def deduct(scores: Any, seat: int, rules: Any) -> None:
    """Take 1000 points from each leader other than ``seat``."""
    floor = rules[0]
    best, any_points = scores[0], False
    for other in range(len(scores)):
        best = max(best, scores[other])
        any_points = any_points or scores[other] != floor
    if not any_points:
        return
    for other in range(len(scores)):
        if other != seat and scores[other] == best:
            if rules[4]:
                scores[other] = max(scores[other] - _MINUS, min(scores[other], floor))
            else:
                scores[other] = max(scores[other] - _MINUS, 0)


@_compiled
def leads(scores: Any, seat: int, rules: Any) -> bool:
    """Return whether ``seat`` is one of the leaders."""
    any_points = False
    for other in range(len(scores)):
        if scores[other] > scores[seat]:
            return False
        any_points = any_points or scores[other] != rules[0]
    return any_points


@_compiled
def all_stakes(
    scores: Any, seat: int, last: bool, rules: Any, wins: Any, beats: Any, lower: Any, stops: Any
) -> None:
    """Fill ``stops[minus]`` with the stakes after so many Plus/Minus Tuttos; ``lower`` is room for scores."""
    lower[:] = scores
    for level in range(MAX_MINUS + 1):
        stakes(lower, seat, last, rules, wins, beats, stops[level])
        deduct(lower, seat, rules)


@_compiled
def choose(
    scores: Any, seat: int, last: bool, rules: Any, wins: Any, beats: Any, menu: Any, lower: Any, stops: Any
) -> tuple[int, int]:
    """Return whether a Plus/Minus card ends the turn (0 or 1), and the way of the menu that is best."""
    misses = 1 if rules[3] and leads(scores, seat, rules) else 0
    if scores.max() < rules[1] - FAR and not last:
        return misses, 0
    all_stakes(scores, seat, last, rules, wins, beats, lower, stops)
    best, way = -1.0, 0
    for each in range(menu.shape[1]):
        total = 0.0
        for t in range(SPAN):
            total += menu[misses, each, t] * stops[0, t] + menu[misses, each, SPAN + t] * stops[1, t]
        if total > best:
            best, way = total, each
    return misses, way


@_compiled
def drawn(scores: Any, seat: int, rules: Any, sums: Any) -> int:
    """Draw the result of a turn, change ``scores``, and return the result's place."""
    at = np.random.random()
    low, high = 0, RESULTS - 1
    while low < high:
        middle = (low + high) // 2
        if sums[middle] > at:
            high = middle
        else:
            low = middle + 1
    if low != WON:
        for _ in range(low // SPAN):
            deduct(scores, seat, rules)
        scores[seat] += low % SPAN
    return low


@_compiled
def against(scores: Any, seat: int, other: int, mover: int, wins: Any) -> float:
    """Return the odds of ``other`` against ``seat`` before a turn of ``mover``."""
    # The one of the two whose turn comes first looks the pair up.
    first = seat < other if (seat >= mover) == (other >= mover) else seat >= mover
    if first:
        beaten = wins[1 if seat > other else 0, scores[seat], scores[other]]
    else:
        beaten = 1.0 - wins[1 if other > seat else 0, scores[other], scores[seat]]
    return float((1.0 - beaten) / max(beaten, 1e-12))


@_compiled
def unbeaten(scores: Any, mover: int, rules: Any, beats: Any) -> float:
    """Return the chance of a seat that has played and has the best score, in the last round."""
    best, ties, chance = scores.max(), 0, 1.0
    for seat in range(mover):
        ties += scores[seat] == best
    for seat in range(mover, len(scores)):
        chance *= 1.0 - beats[min(scores[seat], rules[1] - 1), min(best, rules[2])]
    return float(chance / ties)


@_compiled
def value(
    scores: Any, mover: int, last: bool, rules: Any, wins: Any, beats: Any, out: Any, crowd: Any
) -> None:
    """Fill ``out`` with the chances by seat before a turn, combined from pairs as the bot does.

    Fill ``crowd`` with the logarithm of each chance over the product of its pairs' chances; 0 in the last
    round.
    """
    goal, cap = rules[1], rules[2]
    seats = len(scores)
    total = 0.0
    best = scores.max()
    lower = scores.copy()
    for seat in range(mover, seats):
        if last and scores[seat] < best:
            deduct(lower, seat, rules)
            break
    for seat in range(seats):
        chance = 1.0
        crowd[seat] = 0.0
        if last:
            if seat < mover:
                if scores[seat] == best:
                    chance = unbeaten(scores, mover, rules, beats)
                elif lower[seat] == lower.max():
                    kept = 1.0
                    for other in range(mover, seats):
                        behind = scores[seat] - scores[other] - _MINUS
                        if behind >= 0:
                            kept *= 1.0 - PLUS_MINUS_TUTTO * (1.0 if behind else 0.5)
                    chance = (1.0 - kept) * unbeaten(lower, mover, rules, beats)
                else:
                    chance = 0.0
            else:
                rival = 0
                for other in range(seats):
                    if other != seat:
                        rival = max(rival, scores[other])
                chance = beats[min(scores[seat], goal - 1), min(rival, cap)]
                for other in range(seat + 1, seats):
                    chance *= 1.0 - beats[min(scores[other], goal - 1), min(rival + _EXCESS, cap)]
        else:
            odds, factors = 1.0, 1.0
            for other in range(seats):
                if other != seat:
                    each = against(scores, seat, other, mover, wins)
                    odds += each
                    factors *= 1.0 + each
            chance = 1.0 / odds
            crowd[seat] = np.log(factors / odds)
        out[seat] = chance
        total += chance
    for seat in range(seats):
        out[seat] = out[seat] / total if total > 0.0 else 1.0 / seats


@_compiled
def ended(scores: Any, mover: int, last: bool, rules: Any, out: Any) -> int:
    """Return 0 if the game goes on after a turn of ``mover``, 1 if the last round is on, and 2 if it is over.

    Fill ``out`` with the shares of the win if it is over.
    """
    seats = len(scores)
    if scores[mover] >= rules[1]:
        if rules[3]:
            for seat in range(seats):
                out[seat] = 1.0 if seat == mover else 0.0
            return 2
        last = True
    if not last:
        return 0
    if mover < seats - 1:
        return 1
    best, ties = scores.max(), 0
    for seat in range(seats):
        ties += scores[seat] == best
    for seat in range(seats):
        out[seat] = (scores[seat] == best) / ties
    return 2


@_compiled
def drift(
    scores: Any,
    mover: int,
    last: bool,
    rules: Any,
    wins: Any,
    beats: Any,
    sums: Any,
    lower: Any,
    after: Any,
    part: Any,
    out: Any,
) -> None:
    """Add to ``out`` the chances that a turn played with results ``sums`` leads to on average."""
    seats = len(scores)
    lower[:] = scores
    before = 0.0
    following = (mover + 1) % seats
    others, crowd = np.empty(seats), np.empty(seats)
    for minus in range(MAX_MINUS + 1):
        if minus:
            deduct(lower, mover, rules)
        for seat in range(seats):
            others[seat] = 1.0
            for other in range(seats):
                if not last and seat != mover and other not in (mover, seat):
                    others[seat] += against(lower, seat, other, following, wins)
        for gained in range(SPAN):
            chance = sums[minus * SPAN + gained] - before
            before = sums[minus * SPAN + gained]
            if chance < NEGLIGIBLE:
                continue
            after[:] = lower
            after[mover] += gained
            how = ended(after, mover, last, rules, part)
            if how == 0:
                # Only what concerns the mover is new.
                own, total = 1.0, 0.0
                for seat in range(seats):
                    if seat != mover:
                        odds = against(after, seat, mover, following, wins)
                        own += 1.0 / max(odds, 1e-12)
                        part[seat] = 1.0 / (others[seat] + odds)
                        total += part[seat]
                part[mover] = 1.0 / own
                total += part[mover]
                for seat in range(seats):
                    out[seat] += chance * part[seat] / total
                continue
            if how == 1:
                value(after, following, True, rules, wins, beats, part, crowd)
            for seat in range(seats):
                out[seat] += chance * part[seat]
    out[mover] += sums[WON] - before


@_compiled
def see(scores: Any, mover: int, last: bool, goal: int, base: Any, crowd: Any, out: Any) -> None:
    """Fill ``out`` with what :func:`bot.strategy.tutto.learned.features` returns, a row for each seat."""
    seats, best, leaders, next_best = len(scores), scores.max(), 0, -1
    for seat in range(seats):
        if scores[seat] == best:
            leaders += 1
        else:
            next_best = max(next_best, scores[seat])
    nearest = 0.0 if last else (goal - best) / THOUSAND
    scale = np.sqrt(HORIZON / nearest) if nearest > HORIZON else 1.0
    lead = 0.0 if leaders > 1 else scale * (best - next_best) / THOUSAND
    floor = FLOORS[1 if last else 0]
    for seat in range(seats):
        gap = scale * (best - scores[seat]) / THOUSAND
        away = min(nearest, HORIZON) + gap
        row = out[seat]
        row[0] = away / 3 - 1
        row[1] = np.exp(-away / 0.5)
        row[2] = np.exp(-away / 1.5)
        row[3] = np.exp(-gap / 0.3)
        row[4] = np.exp(-gap)
        row[5] = min(gap, 4.0) / 2 - 1
        row[6] = 1.0 if seat >= mover else 0.0
        row[7] = (seat - mover) % seats / seats
        row[8] = seat / seats
        row[9] = np.log(max(base[seat], floor)) / 3 + 1
        row[10] = min(max((1.05 - gap) / 0.1, 0.0), 1.0)
        row[11] = 1.0 if scores[seat] == best else 0.0
        row[12] = 3 / seats
        row[13] = min(crowd[seat], 6.0) / 2
        row[14] = min(lead, 3.0) if scores[seat] == best else 0.0


@_compiled
def correct(
    scores: Any, mover: int, last: bool, rules: Any, base: Any, crowd: Any, network: Any, room: Any, out: Any
) -> None:
    """Fill ``out`` with what the network of the round adds to the chances from pairs."""
    which = 1 if last else 0
    one, bias, two, second_bias, factors = network[which]
    seats, inputs, count = len(scores), one.shape[0], one.shape[1]
    seen, units = room
    floor = FLOORS[which]
    see(scores, mover, last, rules[1], base, crowd, seen)
    common = second_bias.copy()
    shares = np.zeros((2, count))
    inner = np.empty(count)
    for seat in range(seats):
        inner[:] = bias
        for row in range(inputs):
            by = seen[seat, row]
            for unit in range(count):
                inner[unit] += by * one[row, unit]
        for unit in range(count):
            here = squashed(inner[unit])
            units[seat, unit] = here
            shares[0, unit] += here / seats
            shares[1, unit] += here * base[seat]
    for part in range(2):
        for row in range(count):
            by = shares[part, row]
            for unit in range(count):
                common[unit] += by * two[inputs + count + part * count + row, unit]
    total = 0.0
    for seat in range(seats):
        inner[:] = common
        for row in range(inputs):
            by = seen[seat, row]
            for unit in range(count):
                inner[unit] += by * two[row, unit]
        for row in range(count):
            by = units[seat, row]
            for unit in range(count):
                inner[unit] += by * two[inputs + row, unit]
        shift = 0.0
        for unit in range(count):
            shift += factors[unit] * squashed(inner[unit])
        out[seat] = max(base[seat], floor) * np.exp(shift)
        total += out[seat]
    for seat in range(seats):
        out[seat] = out[seat] / total - base[seat]


@_compiled
def squashed(x: float) -> float:
    """Return tanh within 0.0001, faster."""
    x = min(max(x, -4.97), 4.97)
    y = x * x
    return (
        x
        * (135135.0 + y * (17325.0 + y * (378.0 + y)))
        / (135135.0 + y * (62370.0 + y * (3150.0 + 28.0 * y)))
    )


@_compiled
def correct_drift(
    scores: Any,
    mover: int,
    last: bool,
    game: Any,
    room: Any,
    lower: Any,
    after: Any,
    base: Any,
    crowd: Any,
    grid: Any,
    places: Any,
    expected: Any,
) -> None:
    """Fill ``grid`` with what the network adds after some results of a turn, and ``expected`` with its mean.

    The results are ``places[minus]`` steps; between them :func:`between` interpolates. The mean is exactly
    that of the interpolated values. ``game`` is the rules, the pairs' tables, the turn and the network.
    """
    rules, wins, beats, sums, network = game
    expected[:] = 0.0
    grid[:] = 0.0
    places[:] = 0
    seats = len(scores)
    if last and mover == seats - 1:
        return
    lower[:] = scores
    following = (mover + 1) % seats
    weights = np.zeros(places.shape[1])
    for minus in range(places.shape[0]):
        if minus:
            deduct(lower, mover, rules)
        begin = sums[minus * SPAN - 1] if minus else 0.0
        end = sums[minus * SPAN + SPAN - 1]
        if end - begin < RARE:
            continue
        need = max(max(rules[1], lower.max() if last else 0) - lower[mover], 0)
        count = 0
        for step in range(len(_BELOW) + len(_ABOVE)):
            at = _BELOW[step] if step < len(_BELOW) else need + _ABOVE[step - len(_BELOW)]
            if (step < len(_BELOW) and at >= need - 1) or at < 0 or at >= SPAN:
                continue
            if count and end - sums[minus * SPAN + places[minus, count - 1]] < RARE:
                break
            places[minus, count] = at
            count += 1
        for rest in range(count, places.shape[1]):
            places[minus, rest] = SPAN
        weights[:] = 0.0
        before, place = begin, 0
        for gained in range(SPAN):
            chance = sums[minus * SPAN + gained] - before
            before = sums[minus * SPAN + gained]
            while place + 1 < count and places[minus, place + 1] <= gained:
                place += 1
            if place + 1 < count:
                low, high = places[minus, place], places[minus, place + 1]
                share = (gained - low) / (high - low)
                weights[place] += chance * (1.0 - share)
                weights[place + 1] += chance * share
            else:
                weights[place] += chance
        for place in range(count):
            after[:] = lower
            after[mover] += places[minus, place]
            how = ended(after, mover, last, rules, base)
            if how == 2:
                continue
            value(after, following, how == 1, rules, wins, beats, base, crowd)
            correct(after, following, how == 1, rules, base, crowd, network, room, grid[minus, place])
            for seat in range(seats):
                expected[seat] += weights[place] * grid[minus, place, seat]


@_compiled
def between(result: int, places: Any, grid: Any, out: Any) -> None:
    """Fill ``out`` with what the network adds after the drawn result of a turn, interpolated."""
    minus, gained = result // SPAN, result % SPAN
    if result == WON or minus >= len(places):
        out[:] = 0.0
        return
    place = 0
    while place + 1 < places.shape[1] and places[minus, place + 1] <= gained:
        place += 1
    if place + 1 < places.shape[1] and places[minus, place + 1] < SPAN:
        low, high = places[minus, place], places[minus, place + 1]
        share = (gained - low) / (high - low)
        out[:] = (1.0 - share) * grid[minus, place] + share * grid[minus, place + 1]
    else:
        out[:] = grid[minus, place]


@_compiled
def play_on(
    start: Any,
    seat: int,
    last: bool,
    games: int,
    seed: int,
    rules: Any,
    wins: Any,
    beats: Any,
    menu: Any,
    sums: Any,
    network: Any,
    kept: Any,
    told: Any,
) -> Any:
    """Play ``games`` games on; return the mean chance of each seat and its squared standard error.

    What chance did to the approximate chances of :func:`value` and to their corrections by the network is
    taken off each result, which changes no mean and makes the variance small. Of each game, positions are
    written to ``kept`` (mover, whether it is the last round, scores), and what the rest of the game made of
    them to ``told``, if there is room.
    """
    np.random.seed(seed)
    seats = len(start)
    mean, squares = np.zeros(seats), np.zeros(seats)
    stops = np.empty((MAX_MINUS + 1, SPAN))
    lower, after, scores = start.copy(), start.copy(), start.copy()
    here, part, ahead, total = np.empty(seats), np.empty(seats), np.empty(seats), np.empty(seats)
    crowd, lift = np.empty(seats), np.zeros(seats)
    room = np.empty((seats, INPUTS)), np.empty((seats, max(len(network[0][1]), len(network[1][1]))))
    places = np.zeros((2, len(_BELOW) + len(_ABOVE)), dtype=np.int64)
    grid = np.zeros((2, places.shape[1], seats))
    path = np.empty((2000, seats + 2), dtype=np.int64)
    moved = np.empty((2000, seats))
    values = np.empty((2000, seats))
    rows = 0
    for _ in range(games):
        scores[:] = start
        mover, ending, turns = seat, last, 0
        while True:
            value(scores, mover, ending, rules, wins, beats, here, crowd)
            path[turns, 0], path[turns, 1] = mover, ending
            path[turns, 2:] = scores
            values[turns] = here
            misses, way = choose(scores, mover, ending, rules, wins, beats, menu, lower, stops)
            ahead[:] = 0.0
            drift(scores, mover, ending, rules, wins, beats, sums[misses, way], lower, after, part, ahead)
            moved[turns] = ahead - here
            turn = sums[misses, way]
            game = rules, wins, beats, turn, network
            correct_drift(scores, mover, ending, game, room, lower, after, part, crowd, grid, places, lift)
            moved[turns] += lift
            result = drawn(scores, mover, rules, turn)
            between(result, places, grid, lift)
            moved[turns] -= lift
            turns += 1
            if result == WON:
                break
            how = ended(scores, mover, ending, rules, part)
            if how == 2:
                break
            ending = how == 1
            mover = (mover + 1) % seats
        total[:] = 0.0
        for back in range(turns - 1, -1, -1):
            total += moved[back]
            if rows < len(kept) and np.random.random() < KEEP[path[back, 1]]:
                kept[rows] = path[back]
                told[rows] = values[back] + total
                rows += 1
        here[:] = values[0] + total
        mean += here
        squares += here * here
    mean /= games
    return mean, (squares / games - mean * mean) / games, rows


def menu_of(field: Rules, ways: int, seed: int = 1) -> tuple[Any, Any]:
    """Choose ``ways`` ways to play a turn that together serve all positions well.

    Returns the chance of each banked total (for the choice) and of each result in sums (for drawing), by
    whether a Plus/Minus card ends the turn. The first way plays for points.
    """
    rng = np.random.default_rng(seed)
    floor, goal = int(field.rules[0]), int(field.rules[1])
    samples = np.empty((6000, MAX_MINUS + 1, SPAN))
    for row in samples:
        seats = int(rng.choice([2, 3, 4, 6, 10]))
        top, near = int(rng.integers(max(floor, goal - 70), goal)), rng.choice([5, 20, 60])
        below = [int(rng.exponential(near)) for _ in range(seats)]
        ahead = rng.random() < 0.5
        if ahead:
            # One is near the target and far ahead of all others, who may need many points at once.
            lead = int(rng.exponential(rng.choice([20, 60])))
            top = max(floor, goal - int(rng.integers(1, 31)))
            below = [less + lead for less in below]
            below[int(rng.integers(seats))] = 0
        scores = np.array([max(floor, top - less) for less in below], dtype=np.int64)
        seat = int(rng.integers(seats))
        last = not field.rules[3] and seat > 0 and rng.random() < (0.25 if ahead else 0.5)
        if last:
            best = goal + int(rng.exponential(10)) - (_MINUS if rng.random() < 0.2 else 0)
            scores[int(rng.integers(seat))] = best
        all_stakes(scores, seat, last, field.rules, field.wins, field.beats, scores.copy(), row)
    gained = np.arange(SPAN)
    points = np.tile(gained / SPAN, (MAX_MINUS + 1, 1))
    # Somebody may have to reach a total at once: the target, or a leader, who is nearer after a deduction.
    needs = [
        np.array([gained >= need - _MINUS * minus * nearer for minus in range(MAX_MINUS + 1)], dtype=float)
        for nearer in (0, 1)
        for need in range(1, MOST_AT_ONCE)
    ]
    candidates = np.array([points, *needs, *samples[:1600]])
    found = np.array([results_of(stops, 1.0 if way else 0.0, False) for way, stops in enumerate(candidates)])
    worth = (samples[:, :2].reshape(len(samples), -1) @ _banked(found).T).astype(np.float32)
    most = worth.max(axis=1)
    # What many with a small chance each do wrong adds up, so it counts by its share of their chance.
    worth /= most[:, None] + 0.03
    most = worth.max(axis=1)
    chosen, most_found = [0], worth[:, 0]
    while len(chosen) < ways:
        regret = ((most[:, None] - np.maximum(most_found[:, None], worth)) ** 2).sum(axis=0)
        each = int(regret.argmin())
        chosen.append(each)
        most_found = np.maximum(most_found, worth[:, each])
    menu = [found[chosen]]
    if field.rules[3]:
        missing = [results_of(candidates[way], 1.0 if way else 0.0, True) for way in chosen]
        menu.append(np.array(missing))
    both = np.array(menu)
    return np.ascontiguousarray(_banked(both)), np.ascontiguousarray(both.cumsum(axis=2))


def _banked(found: Any) -> Any:
    """Return the part of the results by which a way to play is chosen."""
    return found[..., : 2 * SPAN]


WAYS = 384


def networks(edition: Edition) -> Any:
    """Return the shipped networks of normal rounds and of the last one; zeros without a file."""
    name = learned.file_of(Edition.CLASSIC if edition is Edition.CLASSIC else Edition.CURRENT)
    if not (tables.DIRECTORY / name).exists():
        return (tuple(map(np.zeros, ((INPUTS, 1), 1, (INPUTS + 3, 1), 1, 1))),) * 2
    raw = json.loads((tables.DIRECTORY / name).read_text("utf-8"))["networks"]
    return tuple(tuple(np.array(one[part]) for part in PARTS) for one in (raw[0], raw[-1]))


class Field:
    """A game for several among grandmasters."""

    def __init__(self, edition: Edition, target: int) -> None:
        self.edition, self.target = edition, target
        self.rules = Rules.of(edition, target)
        self.network = networks(edition)
        self.menu, self.sums = menu_of(self.rules, WAYS)

    @property
    def start(self) -> int:
        """The index of the score 0."""
        return int(self.rules.rules[0])

    @property
    def goal(self) -> int:
        """The index of the target."""
        return int(self.rules.rules[1])

    def on(
        self, scores: Any, seat: int, last: bool, games: int, seed: int, room: int = 0
    ) -> tuple[Any, Any, Any, Any]:
        """Play on; return means, their squared errors, and up to ``room`` positions with their outcomes.

        A position is a row of the mover, whether it is the last round, and the scores.
        """
        seats = len(scores)
        kept, told = np.zeros((room, seats + 2), dtype=np.int64), np.zeros((room, seats))
        one = self.rules
        arrays = one.rules, one.wins, one.beats, self.menu, self.sums, self.network
        mean, errors, rows = play_on(scores, seat, last, games, seed, *arrays, kept, told)
        return mean, np.maximum(errors, 0.0), kept[:rows], told[:rows]

    def values(self, positions: Any) -> tuple[Any, Any]:
        """Return the chances from pairs and :func:`value`'s ``crowd``, by position and seat."""
        found, crowd = np.zeros((2, len(positions), positions.shape[1] - 2))
        one = self.rules
        for row, out, more in zip(positions, found, crowd, strict=True):
            value(row[2:], row[0], row[1] == 1, one.rules, one.wins, one.beats, out, more)
        return found, crowd

    def sample(self, seats: int, seed: int, error: float) -> dict[str, Any]:
        """Return a random position of games from the start, with the chance of each seat played out."""
        rng = np.random.default_rng([seats, seed])
        begin = np.full(seats, self.start, dtype=np.int64)
        kept: Any = ()
        while not len(kept):
            _, _, kept, _ = self.on(begin, 0, False, 6, int(rng.integers(1 << 30)), 4000)
        mover, last, *scores = kept[int(rng.integers(len(kept)))]
        return self._played(np.array(scores, dtype=np.int64), int(mover), bool(last), rng, error, MIN_GAMES)

    def again(self, one: Mapping[str, Any], seed: int, error: float) -> dict[str, Any]:
        """Play a position that :meth:`sample` returned on again, with games that share no chance with its."""
        scores = np.array([score // STEP + self.start for score in one["scores"]], dtype=np.int64)
        rng = np.random.default_rng([len(scores), seed, 1])
        return self._played(scores, one["seat"], one["last"], rng, error, MIN_GAMES_AGAIN)

    def _played(
        self, position: Any, seat: int, last: bool, rng: Any, error: float, fewest: int
    ) -> dict[str, Any]:
        """Play on until no standard error is larger than ``error``, from ``fewest`` to 20,000 games."""
        seats = len(position)
        total, squares, games = np.zeros(seats), np.zeros(seats), 0
        while games < MAX_GAMES:
            mean, errors, _, _ = self.on(position, seat, last, BATCH, int(rng.integers(1 << 30)))
            total += mean * BATCH
            squares += errors * BATCH * BATCH
            games += BATCH
            if games >= fewest and np.sqrt(squares.max()) / games < error:
                break
        return {
            "edition": self.edition.value,
            "target": self.target,
            "scores": [int(score - self.start) * STEP for score in position],
            "seat": seat,
            "last": last,
            "won": [round(float(chance), 5) for chance in total / games],
            "error": round(float(np.sqrt(squares.max()) / games), 5),
            "games": games,
        }


BATCH = 20
MIN_GAMES, MIN_GAMES_AGAIN, MAX_GAMES = 60, 400, 20_000
