"""What stood out in a finished game, from its log and its review."""

from __future__ import annotations

from collections.abc import Sequence

from bot.games.seats import Seat
from bot.records.game_log import GameLog
from bot.screens.advice import Report
from bot.screens.entry import Entry
from bot.screens.highlights import Highlights, TurnOfGame


def highlights_of(entry: Entry, log: GameLog, seats: Sequence[Seat], report: Report | None) -> Highlights:
    """Return the turn of the game, and the best decision that a person has made.

    ``report`` is the review of the game, or None if it has none. Raises as :func:`turn_of_game`.
    """
    if report is None:
        return Highlights(turn_of_game(entry, log))
    best = [one for one in report.best_decisions if seats[one.seat].human]
    decision = max(best, key=lambda one: one.gain, default=None)
    return Highlights(turn_of_game(entry, log, report.chances), decision)


def turn_of_game(
    entry: Entry, log: GameLog, chances: Sequence[Sequence[float]] | None = None
) -> TurnOfGame | None:
    """Return the turn that changed the winning chance of the seat that played it most, or None.

    ``chances[n]`` are the winning chances by seat after ``n`` turns. Without them it is the turn that brought
    the most points. Of equal ones it is the last. Raises :class:`~bot.games.core.GameError` for a damaged
    log.
    """
    rules = entry.rules
    opening, *rest = log.replay()
    state, found, most = opening.state, None, 0.0
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
        if change > 0 and change >= most:
            lines = entry.screen.narrate((), events)
            pieces = next((entry.screen.outcome(line) for line in lines if line.seat == seat), ())
            known = (chances[number][seat], chances[number + 1][seat]) if chances is not None else None
            found, most = TurnOfGame(seat, number + 1, pieces, known), change
        scores, events = after, []
    return found
