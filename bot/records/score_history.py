"""Every seat's score turn by turn, and the notable events of the game, from its log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.records.game_log import GameLog
from bot.screens.entry import Entry
from bot.screens.model import Mark

Point = tuple[int, int]
"""The number of finished turns, and the score after them."""


@dataclass(frozen=True, slots=True)
class SeatScores:
    """One seat's scores as the corners of a line, and its notable events as points with a kind.

    ``left`` is the turn in which the seat left the game, or None if it stayed.
    """

    points: tuple[Point, ...]
    marks: tuple[tuple[Point, str], ...] = ()
    left: int | None = None


@dataclass(frozen=True, slots=True)
class ScoreHistory:
    """All seats of a game; ``turns`` counts those of all seats together."""

    seats: tuple[SeatScores, ...]
    turns: int


def score_history_of(entry: Entry, log: GameLog) -> ScoreHistory:
    """Replay a game. Raises :class:`~bot.games.core.GameError` for a damaged log."""
    rules = entry.rules
    opening, *rest = log.replay()
    scores = rules.scores(opening.state)
    lines = [[(0, score)] for score in scores]
    marks: list[tuple[int, Mark]] = []
    left: dict[int, int] = {}
    before = opening.state
    for played in rest:
        finished = rules.turns(played.state)
        # Events within a turn are shown at its end.
        at = finished if finished > rules.turns(before) else finished + 1
        marks += ((at, mark) for mark in entry.screen.marks(played.events))
        for seat in rules.left(played.state):
            left.setdefault(seat, at)
        ended = rules.turn_seat(before) if at == finished else None
        after = rules.scores(played.state)
        for seat, score in enumerate(after):
            if seat == ended:
                _extend(lines[seat], at, score)
            elif score != scores[seat]:
                # The score changed in another seat's turn; keep the line level until then.
                _extend(lines[seat], at - 1, scores[seat])
                _extend(lines[seat], at, score)
        scores, before = after, played.state
    turns = max(1, rules.turns(before), *(at for at, _ in marks), *left.values())
    for line, score in zip(lines, scores, strict=True):
        _extend(line, turns, score)
    return ScoreHistory(
        tuple(
            SeatScores(
                tuple(line),
                tuple(((at, _score(line, at)), mark.kind) for at, mark in marks if mark.seat == seat),
                left.get(seat),
            )
            for seat, line in enumerate(lines)
        ),
        turns,
    )


def _extend(line: list[Point], at: int, score: int) -> None:
    """Add a point to a line, or replace the last one if it belongs to the same turn."""
    if line[-1][0] < at:
        line.append((at, score))
    elif line[-1][0] == at:
        line[-1] = (at, score)


def _score(line: Sequence[Point], at: int) -> int:
    """Return the score at a turn; a line is level between its points."""
    return next(score for turn, score in reversed(line) if turn <= at)
