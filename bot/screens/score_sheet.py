"""The private page with the score sheet of a game: a line for each turn, and a file with all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.games.seats import Seat
from bot.i18n.say import Argument, Say, nested, say
from bot.screens.model import File, Screen, Text, signed_points
from bot.screens.seat_names import short_names_of


@dataclass(frozen=True, slots=True)
class SheetLine:
    """A finished turn: the ``seat`` whose turn it was, by how much each seat's score has changed since the
    turn before, and the ``scores`` now."""

    seat: int
    changes: tuple[int, ...]
    scores: tuple[int, ...]


def score_sheet(lines: Sequence[SheetLine], seats: Sequence[Seat], file: str) -> Screen:
    """Show who has scored what in each turn; if there are too many turns, the last ones. ``file`` is the name
    of the file with all of them."""
    if not lines:
        return Screen.of(Text.of(say("more-no-story")))
    names = short_names_of(seats)
    told = [_line(number, line, names) for number, line in enumerate(lines, 1)]
    return Screen.of(Text.of(say("sheet-title")), Text.of(*told, spare=True), File(file))


def _line(number: int, line: SheetLine, names: Sequence[Argument]) -> Say:
    """Return a turn in words, with what it has changed for others."""
    seat = line.seat
    points, score = signed_points(line.changes[seat]), line.scores[seat]
    own = say("sheet-line", number=number, name=names[seat], points=points, score=score)
    others = [
        say("sheet-other", name=names[other], points=signed_points(change))
        for other, change in enumerate(line.changes)
        if change and other != seat
    ]
    return nested([own, *others], "facts-joined")
