"""What stood out in a finished game, from its log and its review."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from bot.games.core import AnyGame, Leave
from bot.records.game_log import GameLog
from bot.screens.advice import Report
from bot.screens.entry import Entry
from bot.screens.highlights import Highlights, TurnOfGame
from bot.store.base import Damaged, GameRow


def seats_played_by_one_person(row: GameRow) -> frozenset[int]:
    """Return the seats of a finished game that one person has played from the beginning to the end, with a
    move of their own in each turn. The log does not say who made a move, so elsewhere it may be another's."""
    handed = {former.seat for former in row.former if former.handed}
    # Games of earlier versions have no stats.
    stats = () if isinstance(row.stats, Damaged) else row.stats
    absent = {
        seat
        for seat, (own_turns, counted) in enumerate(zip(row.own_turns, stats, strict=False))
        if own_turns < counted.turns
    }
    people = {index for index, seat in enumerate(row.seats) if seat.human}
    return frozenset(people - handed - absent)


def highlights_of(entry: Entry, log: GameLog, praised: Collection[int], report: Report | None) -> Highlights:
    """Return the turn of the game, and the best decision that one of the ``praised`` seats has made.

    ``report`` is the review of the game, or None if it has none. Raises as :func:`turn_of_game`.
    """
    if report is None:
        return Highlights(turn_of_game(entry, log))
    candidates = [decision for decision in report.best_decisions if decision.seat in praised]
    best = max(candidates, key=lambda decision: decision.gain, default=None)
    return Highlights(turn_of_game(entry, log, report.chances), best)


def turn_of_game(
    entry: Entry, log: GameLog, chances: Sequence[Sequence[float]] | None = None
) -> TurnOfGame | None:
    """Return the turn that most changed the winning chance of the seat that played it, or None.

    ``chances[n]`` are the winning chances by seat after ``n`` turns. Without them, return the turn that
    brought the most points. Of several equal turns, the last one counts. A turn during or after which
    somebody left doesn't count, because that has changed the chances too. Raises
    :class:`~bot.games.core.GameError` for a damaged log.
    """
    rules = entry.rules
    opening, *rest = log.replay()
    left = _turns_with_leavers(rules, log, [opening.state, *(played.state for played in rest)])
    state, best, greatest = opening.state, None, 0.0
    scores, events = rules.scores(state), list[object]()
    for played in rest:
        finished, seat = rules.turns(state), rules.turn_seat(state)
        state = played.state
        events += played.events
        if rules.turns(state) == finished:
            continue
        after = rules.scores(state)
        if chances is None:
            change: float = after[seat] - scores[seat]
        else:
            change = abs(chances[finished + 1][seat] - chances[finished][seat])
        if change > 0 and change >= greatest and finished not in left:
            lines = entry.screen.narrate((), events)
            pieces = next((entry.screen.outcome(line) for line in lines if line.seat == seat), ())
            before_after = None
            if chances is not None:
                before_after = chances[finished][seat], chances[finished + 1][seat]
            best, greatest = TurnOfGame(seat, finished + 1, pieces, before_after), change
        scores, events = after, []
    return best


def _turns_with_leavers(rules: AnyGame, log: GameLog, states: Sequence[Any]) -> set[int]:
    """Return the indices of turns that ended because somebody left, or after which somebody left out of turn.

    ``states`` has the state before each move, and the last one.
    """
    turns = set()
    for move, before, after in zip(log.moves, states, states[1:], strict=False):
        if isinstance(move.action, Leave):
            finished = rules.turns(before)
            turns.add(finished if rules.turns(after) > finished else finished - 1)
    return turns
