"""A chart with a line per seat over the turns of a game, with captions at the ends and a legend below."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.charts.canvas import (
    BACKGROUND,
    COLOURS,
    GRID,
    QUIET,
    SCALE,
    TEXT,
    XY,
    dashes,
    disc,
    line,
    step_of,
    ticks,
)
from bot.charts.letters import font, length, write
from bot.i18n.locales import number, percent
from bot.records.score_history import Point, ScoreHistory, SeatScores

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

SIZE = (900, 560)
"""Small enough that the letters can be read on a phone, which shows the image at a third of its size."""

DASHED_FROM = 5
"""Lines are dashed from this seat on, so that similar colours don't have the same kind of line."""

LABEL, SMALL, SMALLEST = 26, 22, 12
TOP, BOTTOM, LEFT, GAP = 24, 98, 94, 26
MAX_LABEL = 350
LINE_HEIGHT = 34
LEGEND = SIZE[1] - 26
MAX_STACKED = 3
LEFT_MARK = "left"
LOSSES = frozenset({"hit", "costs", "lesson"})


@dataclass(frozen=True, slots=True)
class Caption:
    """The text at the end of a line."""

    place: str
    name: str
    score: str
    first: bool = False


@dataclass(frozen=True, slots=True)
class Labels:
    """All text of the chart in the reader's language; ``marks`` explains each kind of mark.

    With ``percent_of_1000`` the values are thousandths, written as percent.
    """

    captions: tuple[Caption, ...]
    turns: str
    marks: Mapping[str, str]
    locale: str
    percent_of_1000: bool = False


def draw(history: ScoreHistory, labels: Labels) -> bytes:
    """Draw the chart as PNG. This takes tens of milliseconds, mostly without the interpreter's lock."""
    from PIL import Image, ImageDraw

    right = LEFT + max(_width(labels), 200)
    axes, (small, legend) = _Axes(history, right, labels.percent_of_1000), _legend(labels)
    canvas = Image.new("RGB", (SIZE[0] * SCALE, SIZE[1] * SCALE), BACKGROUND)
    pen = ImageDraw.Draw(canvas)
    values = ticks(axes.low, axes.high, 6)
    for value in values:
        y = axes.y(value)
        line(pen, [(LEFT, y), (right, y)], QUIET if value == 0 else GRID, 1.5 if value == 0 else 1)
    places = _spread([axes.y(scores.points[-1][1]) for scores in history.seats])
    # Draw the winners' lines last, so that they are on top.
    order = sorted(range(len(history.seats)), key=lambda seat: labels.captions[seat].first)
    for seat in order:
        _draw_seat(pen, axes, history.seats[seat], seat, labels.captions[seat].first)
        end = axes.y(history.seats[seat].points[-1][1])
        line(pen, [(right + 7, end), (right + GAP - 6, places[seat])], COLOURS[seat % len(COLOURS)], 1.5)
    for seat in order:
        _draw_marks(pen, axes, history.seats[seat], seat)
    for x, kind, _ in legend:
        if kind:
            _draw_mark(pen, x, LEGEND, kind, QUIET)
    picture = canvas.reduce(SCALE)
    pen = ImageDraw.Draw(picture)
    for value in values:
        text = (
            percent(labels.locale, value / 1000, 0)
            if labels.percent_of_1000
            else number(labels.locale, value)
        )
        pen.text((LEFT - 12, axes.y(value)), text, QUIET, font(SMALL), anchor="rm")
    base = SIZE[1] - BOTTOM
    for turn in ticks(0, history.turns, 8):
        pen.text((axes.x(turn), base + 10), number(labels.locale, turn), QUIET, font(SMALL), anchor="ma")
    for seat, caption in enumerate(labels.captions):
        _caption(pen, (right + GAP, places[seat]), caption, COLOURS[seat % len(COLOURS)])
    for x, kind, text in legend:
        pen.text((x + 18 * bool(kind), LEGEND), text, QUIET, font(small), anchor="lm")
    file = io.BytesIO()
    picture.quantize(96).save(file, "PNG")
    return file.getvalue()


class _Axes:
    """Where turns and scores are in the image, in pixels."""

    def __init__(self, history: ScoreHistory, right: float, percent_of_1000: bool = False) -> None:
        values = [score for scores in history.seats for _, score in scores.points]
        low, high = min(0, *values), max(1, *values)
        step = step_of(high - low, 6)
        # Whole steps below zero, so that zero has a grid line; some space above.
        self.low, self.high = math.floor(low / step) * step, high + max(1, (high - low) // 12)
        if percent_of_1000:
            self.low, self.high = 0, 1000
        self.turns = history.turns
        self.right = right

    def x(self, turn: float) -> float:
        return LEFT + (self.right - LEFT) * turn / self.turns

    def y(self, score: float) -> float:
        return SIZE[1] - BOTTOM - (SIZE[1] - BOTTOM - TOP) * (score - self.low) / (self.high - self.low)


def _spread(wished: Sequence[float]) -> list[float]:
    """Return heights close to ``wished`` with room for a line of text between any two."""
    order = sorted(range(len(wished)), key=lambda index: wished[index])
    placed = list(wished)
    above = -math.inf
    for index in order:
        above = placed[index] = max(wished[index], above + LINE_HEIGHT, TOP)
    below = SIZE[1] - BOTTOM + LINE_HEIGHT / 2
    for index in reversed(order):
        below = placed[index] = min(placed[index], below)
        below -= LINE_HEIGHT
    return placed


def _draw_seat(pen: ImageDraw, axes: _Axes, scores: SeatScores, seat: int, first: bool) -> None:
    """Draw a seat's line; after the seat has left the game it continues as dots."""
    colour, width = COLOURS[seat % len(COLOURS)], 5.0 if first else 3.2
    end = axes.turns if scores.left is None else scores.left
    played = [(axes.x(turn), axes.y(score)) for turn, score in _until(scores.points, end)]
    if seat >= DASHED_FROM:
        for dash in dashes(played, 13, 8):
            line(pen, dash, colour, width)
    else:
        line(pen, played, colour, width)
        for x, y in played:
            disc(pen, x, y, width / 2, colour)
    x, y = played[-1]
    if scores.left is None:
        disc(pen, x, y, 6 if first else 5, colour)
        return
    _draw_mark(pen, x, y, LEFT_MARK, colour)
    rest = [(x, y), (axes.right, axes.y(scores.points[-1][1]))]
    for (dot_x, dot_y), _ in dashes(rest, 1, 9):
        disc(pen, dot_x, dot_y, 1.5, colour)


def _until(points: Sequence[Point], end: int) -> list[Point]:
    kept = [point for point in points if point[0] <= end]
    return kept if kept[-1][0] == end else [*kept, (end, kept[-1][1])]


def _draw_marks(pen: ImageDraw, axes: _Axes, scores: SeatScores, seat: int) -> None:
    stacked: dict[Point, int] = {}
    for point, kind in scores.marks:
        above = stacked[point] = min(stacked.get(point, -1) + 1, MAX_STACKED - 1)
        y = max(axes.y(point[1]) - 20 * above, 12)
        _draw_mark(pen, axes.x(point[0]), y, kind, COLOURS[seat % len(COLOURS)])


def _draw_mark(pen: ImageDraw, x: float, y: float, kind: str, colour: str) -> None:
    """Draw a mark. Its shape shows the kind, its colour the seat."""
    x, y, radius = x * SCALE, y * SCALE, 9 * SCALE
    match kind:
        case "tutto":
            corners = 10
            radii = (radius * 1.2, radius * 0.52)
        case "plus-minus":
            disc(pen, x / SCALE, y / SCALE, 10, BACKGROUND, colour)
            arm = 5 * SCALE
            pen.line([(x - arm, y), (x + arm, y)], fill=colour, width=2 * SCALE + 1)
            pen.line([(x, y - arm), (x, y + arm)], fill=colour, width=2 * SCALE + 1)
            return
        case "left":
            arm = 6 * SCALE
            for ends in ([(x - arm, y - arm), (x + arm, y + arm)], [(x - arm, y + arm), (x + arm, y - arm)]):
                pen.line(ends, fill=colour, width=3 * SCALE)
            return
        case _ if kind in LOSSES:
            down = [(x - radius, y - radius * 0.7), (x + radius, y - radius * 0.7), (x, y + radius)]
            pen.polygon(down, fill=BACKGROUND, outline=colour, width=round(2.5 * SCALE))
            return
        case _:
            corners = 4
            radii = (radius, radius)
    turn = 2 * math.pi / corners
    star = [
        (x + radii[i % 2] * math.sin(i * turn), y - radii[i % 2] * math.cos(i * turn)) for i in range(corners)
    ]
    pen.polygon(star, fill=colour, outline=BACKGROUND, width=SCALE)


def _width(labels: Labels) -> int:
    """Return the width of the lines that leaves room for the captions, in pixels."""
    longest = max(sum(_parts(caption)[1]) for caption in labels.captions)
    return SIZE[0] - LEFT - GAP - 14 - math.ceil(min(longest, MAX_LABEL))


def _parts(caption: Caption) -> tuple[tuple[str, str, str], tuple[float, float, float]]:
    """Return the parts of a caption and their widths; a name that is too long is cut."""
    bold = 1 if caption.first else 0
    place, name, score = (
        f"{caption.place} ",
        caption.name,
        f"  {caption.score}" if caption.name else caption.score,
    )

    def wide(text: str) -> float:
        return length(text, LABEL) + 2 * bold * bool(text)

    room = MAX_LABEL - wide(place) - wide(score)
    if wide(name) > room:
        while name and wide(f"{name}…") > room:
            name = name[:-1].rstrip()
        name = f"{name}…"
    return (place, name, score), (wide(place), wide(name), wide(score))


def _caption(pen: ImageDraw, at: XY, caption: Caption, colour: str) -> None:
    """Draw a caption part by part, so that a name in a right-to-left script does not reorder the rest."""
    x, y = at
    for part, width in zip(*_parts(caption), strict=True):
        shade = TEXT if part.strip() == caption.score else colour
        write(pen, (x, y), part, shade, LABEL, 0.6 if caption.first else 0)
        x += width


def _legend(labels: Labels) -> tuple[int, list[tuple[float, str, str]]]:
    """Lay out the line below the chart that explains the axis and the marks.

    Returns its font size, and for each part its x, its kind of mark ("" for none) and its text.
    """
    for size in range(SMALL, SMALLEST - 1, -1):
        letters, turns = font(size), f"{labels.turns} →"
        parts, x = [(float(LEFT), "", turns)], LEFT + letters.getlength(turns) + 2 * size
        for kind, text in labels.marks.items():
            parts.append((x, kind, text))
            x += letters.getlength(text) + 2.4 * size
        if x - size <= SIZE[0]:
            break
    return size, parts
