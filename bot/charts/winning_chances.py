"""The chart of the winning chances in a finished game, turn by turn."""

from __future__ import annotations

from collections.abc import Sequence

from bot.charts.lines import Caption, Labels, draw
from bot.charts.names import drawn_name
from bot.games.seats import Seat
from bot.i18n.catalogue import Catalogue
from bot.i18n.say import say
from bot.records.score_history import Point, ScoreHistory, SeatScores
from bot.screens.advice import Report

THOUSAND = 1000
"""Chances are drawn in thousandths."""

LESSON = "lesson"
"""The mark of a costly decision."""


def winning_chances_chart(report: Report, seats: Sequence[Seat], catalogue: Catalogue, locale: str) -> bytes:
    """Draw a line per seat and a mark for each costly decision, as PNG. Takes tens of milliseconds."""
    seats_scores = []
    for seat in range(len(seats)):
        points = tuple((turn, round(THOUSAND * chances[seat])) for turn, chances in enumerate(report.chances))
        marks: list[tuple[Point, str]] = [
            # A turn in which the game ended because another seat left has no point of its own.
            (points[min(lesson.turn, len(points) - 1)], LESSON)
            for lesson in report.lessons
            if lesson.seat == seat
        ]
        seats_scores.append(SeatScores(points, tuple(marks)))
    last = report.chances[-1]
    captions = (
        Caption("", drawn_name(catalogue, locale, seats, seat), first=chance == max(last))
        for seat, chance in enumerate(last)
    )
    labels = Labels(
        tuple(captions),
        catalogue.text(locale, say("chart-turns")),
        {LESSON: catalogue.text(locale, say("chart-mark-lesson"))} if report.lessons else {},
        locale,
        percent_of_1000=True,
    )
    return draw(ScoreHistory(tuple(seats_scores), max(1, len(report.chances) - 1)), labels)
