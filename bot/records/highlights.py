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


def played_by_one_person(row: GameRow) -> frozenset[int]:
    """Return the seats of a finished game that nobody has taken over, and whose people made a move in each of
    their turns. The log does not say who made a move, so only their decisions are known to be theirs."""
    handed = {one.seat for one in row.former if one.handed}
    # Unknown in games of earlier versions.
    stats = () if isinstance(row.stats, Damaged) else row.stats
    absent = {
        seat for seat, (own, one) in enumerate(zip(row.own_turns, stats, strict=False)) if own < one.turns
    }
    people = {number for number, seat in enumerate(row.seats) if seat.human}
    return frozenset(people - handed - absent)


def highlights_of(entry: Entry, log: GameLog, praised: Collection[int], report: Report | None) -> Highlights:
    """Return the turn of the game, and the best decision that one of the ``praised`` seats has made.

    ``report`` is the review of the game, or None if it has none. Raises as :func:`turn_of_game`.
    """
    if report is None:
        return Highlights(turn_of_game(entry, log))
    best = [one for one in report.best_decisions if one.seat in praised]
    decision = max(best, key=lambda one: one.gain, default=None)
    return Highlights(turn_of_game(entry, log, report.chances), decision)


def turn_of_game(
    entry: Entry, log: GameLog, chances: Sequence[Sequence[float]] | None = None
) -> TurnOfGame | None:
    """Return the turn that most changed the winning chance of the seat that played it, or None.

    ``chances[n]`` are the winning chances by seat after ``n`` turns. Without them, return the turn that
    brought the most points. Of several equal turns, the last one counts. Turns that ended because somebody
    left don't count, nor do those after which somebody left: the chances then show that as well. Raises
    :class:`~bot.games.core.GameError` for a damaged log.
    """
    rules = entry.rules
    opening, *rest = log.replay()
    left = _turns_with_leavers(rules, log, [opening.state, *(played.state for played in rest)])
    state, turn, most = opening.state, None, 0.0
    scores, events = rules.scores(state), list[object]()
    for played in rest:
        number, seat = rules.turns(state), rules.turn_seat(state)
        state = played.state
        events += played.events
        if rules.turns(state) == number:
            continue
        after = rules.scores(state)
        if chances is None:
            change: float = after[seat] - scores[seat]
        else:
            change = abs(chances[number + 1][seat] - chances[number][seat])
        if change > 0 and change >= most and number not in left:
            lines = entry.screen.narrate((), events)
            pieces = next((entry.screen.outcome(line) for line in lines if line.seat == seat), ())
            around = (chances[number][seat], chances[number + 1][seat]) if chances is not None else None
            turn, most = TurnOfGame(seat, number + 1, pieces, around), change
        scores, events = after, []
    return turn


def _turns_with_leavers(rules: AnyGame, log: GameLog, states: Sequence[Any]) -> set[int]:
    """Return the turns that ended because somebody left, or after which somebody left out of turn.

    ``states`` has the state before each move, and the last one.
    """
    numbers = set()
    for move, before, after in zip(log.moves, states, states[1:], strict=False):
        if isinstance(move.action, Leave):
            number = rules.turns(before)
            numbers.add(number if rules.turns(after) > number else number - 1)
    return numbers
