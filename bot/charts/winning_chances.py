"""How the chances to win went in a finished game, as a picture."""

from __future__ import annotations

from collections.abc import Sequence

from bot.charts.scores import Caption, Words, draw, drawable
from bot.games.seats import Seat
from bot.i18n.catalogue import Catalogue
from bot.i18n.say import Name, say
from bot.records.score_history import Point, ScoreHistory, SeatScores
from bot.screens.advice import Report
from bot.screens.model import seat_name

WHOLE = 1000
"""Chances are drawn in thousandths."""

LESSON = "lesson"


def draw_course(report: Report, seats: Sequence[Seat], catalogue: Catalogue, locale: str) -> bytes:
    """The picture as PNG: a line a seat, and a sign for each costly decision. Takes tens of milliseconds."""
    lanes = []
    for seat in range(len(seats)):
        points = tuple((turn, round(WHOLE * chances[seat])) for turn, chances in enumerate(report.chances))
        marks: list[tuple[Point, str]] = [
            (points[lesson.turn], LESSON) for lesson in report.lessons if lesson.seat == seat
        ]
        lanes.append(SeatScores(points, tuple(marks)))
    last = report.chances[-1]
    places = [1 + sum(other > chance for other in last) for chance in last]
    captions = []
    for seat in range(len(seats)):
        who = seat_name(seats, seat)
        name = who.text if isinstance(who, Name) else catalogue.text(locale, who)  # type: ignore[arg-type]
        captions.append(Caption("", drawable(name), "", places[seat] == 1))
    words = Words(
        tuple(captions),
        catalogue.text(locale, say("race-turns")),
        {LESSON: catalogue.text(locale, say("race-mark-lesson"))} if report.lessons else {},
        locale,
        shares=True,
    )
    return draw(ScoreHistory(tuple(lanes), max(1, len(report.chances) - 1)), words)
