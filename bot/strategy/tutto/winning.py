"""The winning chance of each seat between turns, and as the stakes of the present turn.

For two players, it comes from the table of the two-player game, which is exact except that each card is drawn
from a fresh deck. For more players, each pair is looked up as if they were alone, and the pairs' chances are
combined as if their odds were independent (Luce's axiom): a seat that beats each rival ``r`` with odds of
``w_r`` to ``1 - w_r`` wins with ``1 / (1 + sum((1 - w_r) / w_r))``. In the last round, only a Plus/Minus
Tutto changes the scores of seats that have played, and a seat wins if no later one beats it, so the chances
are multiplied. What people are shown of more than two players is corrected by
:mod:`~bot.strategy.tutto.learned`.
benchmarks/tutto_strength.md compares this with other methods.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from math import inf, log, prod

from bot.games.tutto.cards import CARDS, FULL_DECK, Card
from bot.games.tutto.scoring import PLUS_MINUS_POINTS
from bot.games.tutto.state import NUMBER_OF_DICE, Edition, Phase, State
from bot.strategy.tutto import tables
from bot.strategy.tutto.chances import tutto_chance
from bot.strategy.tutto.horizon import stop_totals
from bot.strategy.tutto.learned import corrected
from bot.strategy.tutto.pairs import Basis, Pairs, from_log_odds, log_odds, two_player_chances
from bot.strategy.tutto.patterns import STEP
from bot.strategy.tutto.position import Position, deducted
from bot.strategy.tutto.turn import MIN_TUTTO, MINUS_STEPS, Deck, Level, Stakes, Turn

_LEVELS_OF_TWO = 5
_LEVELS_OF_MANY = 2
"""How many Plus/Minus Tuttos of one turn are told apart. More are rare: one card in forty leads to one."""

_ANCHORS = 10
_BEYOND = (4, 10, 20, 40)
"""The turn totals for which chances are corrected exactly, in steps: those around a jump, these beyond
what it must reach and, before the last round, each tenth one up to it."""

_EXCESS = 350
"""Typical excess of a turn that beats the best score, in points."""

PLUS_MINUS_TUTTO = FULL_DECK[CARDS.index(Card.PLUS_MINUS)] / sum(FULL_DECK) * tutto_chance(NUMBER_OF_DICE)
"""The chance that the first card of a turn is a Plus/Minus card and brings a Tutto."""

_GRAIN = 20
_FINE = 4
"""The lowest total to solve a turn for is rounded down to a multiple of the first, the highest one up to a
multiple of the second, in steps, so that the decisions of one turn share a solution."""


def odds_ratio(chances: Iterable[float]) -> float:
    """Combine as if the odds of the pairs were independent; among ``n`` equal seats it gives ``1 / n``.

    >>> round(odds_ratio([0.5, 0.5, 0.5]), 3)
    0.25
    """
    total = 1.0
    for chance in chances:
        if chance <= 0.0:
            return 0.0
        total += (1.0 - chance) / chance
    return 1.0 / total


def product(chances: Iterable[float]) -> float:
    """Combine as if beating each rival were independent of the others."""
    return prod(chances)


def stakes(position: Position, *, shown: bool = False) -> tuple[Stakes, Basis]:
    """Return the winning chances of the seat to move as the stakes of its turn.

    With ``shown``, those of more than two players are corrected, which takes longer and changes hardly any
    choice.
    """
    pairs, basis = two_player_chances(position)
    found: list[Level] = []
    here, several = position, basis is Basis.PAIRS
    while True:
        level = _level(here, pairs)
        if shown and several and (corrections := _corrections(here, pairs, len(found))):
            level, basis = _with_corrections(level, corrections), Basis.LEARNED
        found.append(level)
        lower = deducted(here)
        if lower == here.scores:
            break
        here = replace(here, scores=lower)
        if len(found) == (_LEVELS_OF_TWO if len(position.seats) == 2 else _LEVELS_OF_MANY):
            break
    most = max(1.0, *(max(level.banked) for level in found))
    return Stakes(tuple(found), won=1.0, most=most), basis


def _level(position: Position, pairs: Pairs) -> Level:
    own, target = position.scores[position.seat], position.options.target
    classic = position.options.edition is Edition.CLASSIC
    best = max(position.scores[seat] for seat in position.seats)
    # Beyond this nothing changes: the game is over, or the lead is the largest one in the tables.
    end = target if classic else max(target, best + STEP)
    if not classic and position.seat != position.seats[-1]:
        end += tables.BEYOND
    if not position.last_round and own + tables.BEYOND < target:
        # Hardly any turn gains more than that.
        end = own + tables.BEYOND
    banked = _after(position, pairs, range(own, max(own, end) + STEP, STEP))
    while len(banked) > 1 and banked[-1] == banked[-2]:
        banked.pop()
    return Level(banked[0], tuple(banked), position.misses)


def _corrections(position: Position, pairs: Pairs, minus: int) -> list[tuple[int, float]]:
    """Return by how much corrected chances differ in log odds, at some turn totals in steps, ascending.

    These are nothing and what can follow ``minus`` Plus/Minus Tuttos, which ``position`` is after.
    """
    own, least = position.scores[position.seat], minus * MINUS_STEPS
    needs, jumps = _jumps(position)
    need, anchors = (max(needs) - own) // STEP, _ANCHORS
    if minus and not position.last_round:
        # Few turns have a Plus/Minus Tutto, so that less is enough.
        jumps, anchors = needs, 3 * _ANCHORS
    totals = {0, *(need + more for more in _BEYOND)}
    totals |= {(score - own) // STEP + more for score in jumps for more in (-1, 0, 1)}
    if not position.last_round:
        totals |= {*range(least, need, anchors)}
    found = []
    for total in sorted(total for total in totals if total == 0 or total >= least):
        score = own + total * STEP
        position_after = _next(position, score)
        if position_after is None:
            found.append((total, 0.0))
            continue
        better = _standing(position_after)
        if better is None:
            return []
        (chance,) = _after(position, pairs, range(score, score + STEP, STEP))
        found.append((total, log_odds(better[position.seat]) - log_odds(chance)))
    return found


def _jumps(position: Position) -> tuple[set[int], set[int]]:
    """Return the scores that a turn must reach, and all from which on it is worth much more, or less."""
    me, scores = position.seat, position.scores
    sides = [[scores[seat] for seat in position.seats if seat < me]]
    sides += [[scores[seat] for seat in position.seats if seat > me]]
    bests = {max(side) for side in sides if side}
    # Somebody's Plus/Minus Tutto takes no larger lead away, and brings nobody ahead who is so far behind.
    far = {best + PLUS_MINUS_POINTS for best in bests}
    if not position.last_round:
        target = position.options.target
        return {target}, {target, *(score for score in far if score > target)}
    # It can leave this as the best score.
    lower = deducted(position)
    return bests, bests | far | {max(lower[seat] for seat in position.seats if seat != me)}


def _next(position: Position, own: int) -> Position | None:
    """Return the position after a turn that ends with the score ``own``, or None if the game is over then."""
    seats, scores = position.seats, list(position.scores)
    scores[position.seat] = own
    last = position.last_round or own >= position.options.target
    if last and position.options.edition is Edition.CLASSIC:
        return None
    place = seats.index(position.seat) + 1
    if place == len(seats) and last:
        return None
    return replace(position, scores=tuple(scores), seat=seats[place % len(seats)], last_round=last)


def _with_corrections(level: Level, corrections: Sequence[tuple[int, float]]) -> Level:
    """Return a level with its chances corrected; between the totals given, corrections are interpolated."""
    banked, place = [], 0
    for total, chance in enumerate(level.banked):
        while place + 1 < len(corrections) and corrections[place + 1][0] <= total:
            place += 1
        low, more = corrections[place]
        if place + 1 < len(corrections) and total > low:
            high, next_more = corrections[place + 1]
            more += (next_more - more) * (total - low) / (high - low)
        banked.append(from_log_odds(log_odds(chance) + more) if more else chance)
    return Level(banked[0], tuple(banked), level.misses)


def _after(position: Position, pairs: Pairs, scores: range) -> list[float]:
    """Return the winning chances of the seat to move after its turn, by its score then, in steps of 50."""
    options, me = position.options, position.seat
    rivals = [(seat > me, position.scores[seat]) for seat in position.seats if seat != me]
    done = [score for later, score in rivals if not later]
    coming = [score for later, score in rivals if later]
    best_done = max(done, default=None)
    lower = 0 if position.last_round else len(range(scores.start, options.target, STEP))
    found: list[float] = []
    if below := scores[:lower]:
        # In each pair, the rival plays next, as the second of the round if its seat is later.
        known = {rival: pairs.wins(*rival, below) for rival in set(rivals)}
        for each in zip(*(known[rival] for rival in rivals), strict=True):
            found.append(odds_ratio([1.0 - chance for chance in each]))
    reached = scores[lower:]
    if options.edition is Edition.CLASSIC:
        return found + [1.0] * len(reached)
    beaten = {score: pairs.beats(score, reached) for score in set(coming)}
    for place, own in enumerate(reached):
        if best_done is not None and own < best_done:
            found.append(0.0)
        else:
            share = 1.0 / (1 + done.count(own))
            found.append(share * prod([1.0 - beaten[score][place] for score in coming]))
    return found


def chances(state: State) -> tuple[tuple[float, ...], Basis]:
    """Return the winning chances by seat before a turn, or at its very beginning; they add up to 1.

    A shared win counts as its share. The basis is TABLE for a game that is over.
    """
    if state.phase is Phase.OVER:
        share = 1.0 / len(state.winners)
        return tuple(
            share if seat in state.winners else 0.0 for seat in range(len(state.scores))
        ), Basis.TABLE
    position = Position.of(state)
    found, crowd, basis = _from_pairs(position)
    better = _better(position, found, crowd, basis)
    if better is not None:
        return better, Basis.LEARNED
    return tuple(found.get(seat, 0.0) for seat in range(len(position.scores))), basis


def _standing(position: Position) -> tuple[float, ...] | None:
    """Return the corrected chances by seat of more than two players, or None if there are none."""
    return _better(position, *_from_pairs(position))


def _better(
    position: Position, found: Mapping[int, float], crowd: Sequence[float], basis: Basis
) -> tuple[float, ...] | None:
    """Return what :func:`_standing` does, from what :func:`_from_pairs` has found."""
    better = corrected(position, list(found.values()), crowd) if basis is Basis.PAIRS else None
    if better is None:
        return None
    by_seat = dict(zip(found, better, strict=True))
    return tuple(by_seat.get(seat, 0.0) for seat in range(len(position.scores)))


def _from_pairs(position: Position) -> tuple[dict[int, float], list[float], Basis]:
    """Return the chances before a turn by seat, for the seats that are still in the game.

    Also return the ``crowd`` of :func:`~bot.strategy.tutto.learned.corrected`.
    """
    pairs, basis = two_player_chances(position)
    seats = position.seats
    if len(seats) == 1:
        return {seats[0]: 1.0}, [0.0], basis
    crowd = [0.0] * len(seats)
    if position.last_round:
        raw = {seat: _in_last_round(position, seat, pairs) for seat in seats}
    else:
        each = {seat: list(_against_each(position, seat, pairs)) for seat in seats}
        raw = {seat: odds_ratio(chances) for seat, chances in each.items()}
        crowd = [_crowd(chances) for chances in each.values()]
    total = sum(raw.values()) or 1.0
    return {seat: chance / total for seat, chance in raw.items()}, crowd, basis


def _crowd(chances: Sequence[float]) -> float:
    """Return by how much the two ways to combine a seat's chances differ, as a logarithm."""
    alone = product(chances)
    return log(odds_ratio(chances) / alone) if alone > 0.0 else inf


def _against_each(position: Position, seat: int, pairs: Pairs) -> Iterable[float]:
    """Yield the chances of a seat against each rival as if the two were alone."""
    seats, scores = position.seats, position.scores
    start = seats.index(position.seat)
    order = seats[start:] + seats[:start]
    for rival in seats:
        if rival != seat:
            if order.index(seat) < order.index(rival):
                yield pairs.win(seat > rival, scores[seat], scores[rival])
            else:
                yield 1.0 - pairs.win(rival > seat, scores[rival], scores[seat])


def _in_last_round(position: Position, seat: int, pairs: Pairs) -> float:
    """Return the winning chance of a seat in the last round, not yet scaled so that all add up to 1."""
    scores = position.scores
    waiting = [other for other in position.seats if other >= position.seat]
    best = max(scores[other] for other in position.seats)
    later = [scores[other] for other in waiting if other > seat]
    if seat not in waiting:
        if scores[seat] == best:
            return _unbeaten(position, waiting, pairs)
        # Another score counts only once a later seat has taken points away from the best one, and that seat
        # isn't ahead with the points this brings. One that is level with them shares the win, if it wins.
        behind = {other: scores[seat] - scores[other] - PLUS_MINUS_POINTS for other in waiting}
        deducers = [other for other in waiting if behind[other] >= 0]
        if not deducers:
            return 0.0
        lower = deducted(replace(position, seat=deducers[0]))
        if lower[seat] < max(lower[other] for other in position.seats):
            return 0.0
        kept = prod(1.0 - PLUS_MINUS_TUTTO * (1.0 if behind[other] else 0.5) for other in deducers)
        return (1.0 - kept) * _unbeaten(replace(position, scores=lower), waiting, pairs)
    rivals_best = max(scores[other] for other in position.seats if other != seat)
    return pairs.beat(scores[seat], rivals_best) * prod(
        1.0 - pairs.beat(score, rivals_best + _EXCESS) for score in later
    )


def _unbeaten(position: Position, waiting: Sequence[int], pairs: Pairs) -> float:
    """Return the chance of a seat that has played and has the best score, in the last round."""
    scores = position.scores
    best = max(scores[seat] for seat in position.seats)
    ties = sum(scores[seat] == best for seat in position.seats if seat not in waiting)
    return prod(1.0 - pairs.beat(scores[seat], best) for seat in waiting) / ties


def turn(state: State, *, low: int | None = None, high: int = 0, shown: bool = False) -> tuple[Turn, Basis]:
    """Return the turn of ``state``, solved for the winning chance, and the basis of that.

    Turning a card is solved for totals from ``low`` steps on, by default for all that can follow the state,
    and at least up to ``high``, even where stopping is better. ``shown`` is that of :func:`stakes`.
    """
    position = Position.of(state)
    _, basis = _stakes(position, shown)
    if low is None:
        low = max(MIN_TUTTO, state.points // STEP // _GRAIN * _GRAIN)
    ends = tuple(-(-max(end, high) // _FINE) * _FINE for end in _highs(position, shown, state.deck))
    return _turn(position, low, ends, shown), basis


@lru_cache(maxsize=64)
def _stakes(position: Position, shown: bool) -> tuple[Stakes, Basis]:
    return stakes(position, shown=shown)


@lru_cache(maxsize=64)
def _highs(position: Position, shown: bool, deck: Deck) -> tuple[int, ...]:
    return stop_totals(_stakes(position, shown)[0], deck)


def _solved(position: Position, low: int, ends: tuple[int, ...], shown: bool) -> Turn:
    return Turn(_stakes(position, shown)[0], low, ends)


_turn = lru_cache(maxsize=64)(_solved)


def cache_turns(turns: int) -> None:
    """Cache ``turns`` solved turns instead of 64, to speed up long simulations; each takes about 75 kB."""
    global _turn
    _turn = lru_cache(maxsize=turns)(_solved)
