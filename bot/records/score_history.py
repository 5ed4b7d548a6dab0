"""The course of a game: every seat's score turn by turn, and what stood out, from the game's log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bot.records.game_log import replay_log
from bot.screens.entry import Entry
from bot.screens.model import Mark
from bot.store.base import GameRow

Point = tuple[int, int]
"""How many turns were finished, and a score then."""


@dataclass(frozen=True, slots=True)
class SeatScores:
    """One seat's way: the corners of its line, and its marks, several of a turn one above the other.

    ``left`` is the turn in which the seat left the game, None if it stayed.
    """

    points: tuple[Point, ...]
    marks: tuple[tuple[Point, str], ...] = ()
    left: int | None = None


@dataclass(frozen=True, slots=True)
class ScoreHistory:
    """``turns`` of all seats together."""

    lanes: tuple[SeatScores, ...]
    turns: int


def score_history_of(
    entry: Entry, options: Any, row: GameRow, log: Sequence[tuple[Any, Any]]
) -> ScoreHistory:
    """Replay a game. Raises :class:`~bot.games.core.GameError` for a damaged log."""
    rules = entry.rules
    opening, *rest = replay_log(entry, options, row, log)
    scores = rules.scores(opening.state)
    lanes = [[(0, score)] for score in scores]
    marks: list[tuple[int, Mark]] = []
    left: dict[int, int] = {}
    before = opening.state
    for played in rest:
        finished = rules.turns(played.state)
        # What happens within a turn is told at its end.
        at = finished if finished > rules.turns(before) else finished + 1
        marks += ((at, mark) for mark in entry.screen.marks(played.events))
        for seat in rules.left(played.state):
            left.setdefault(seat, at)
        own = rules.turn_seat(before) if at == finished else None
        after = rules.scores(played.state)
        for seat, score in enumerate(after):
            if seat == own:
                _extend(lanes[seat], at, score)
            elif score != scores[seat]:
                # Hit in somebody else's turn: the line stays level until then.
                _extend(lanes[seat], at - 1, scores[seat])
                _extend(lanes[seat], at, score)
        scores, before = after, played.state
    turns = max(1, rules.turns(before), *(at for at, _ in marks), *left.values())
    for lane, score in zip(lanes, scores, strict=True):
        _extend(lane, turns, score)
    return ScoreHistory(
        tuple(
            SeatScores(
                tuple(lane),
                tuple(((at, _score(lane, at)), mark.kind) for at, mark in marks if mark.seat == seat),
                left.get(seat),
            )
            for seat, lane in enumerate(lanes)
        ),
        turns,
    )


def _extend(lane: list[Point], at: int, score: int) -> None:
    """Lead a line on to a point; a line does not go back, and stands at one place once."""
    if lane[-1][0] < at:
        lane.append((at, score))
    elif lane[-1][0] == at and at > 0:
        lane[-1] = (at, score)


def _score(lane: Sequence[Point], at: int) -> int:
    """Where a line stands at a turn; level between its points."""
    return next(score for turn, score in reversed(lane) if turn <= at)
