"""A chart with a line per seat over the turns of a game, with captions at the ends and a legend below."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.charts.canvas import (
    BACKGROUND,
    COLOURS,
    FONT_SIZE,
    GRID,
    QUIET,
    SCALE,
    WIDTH,
    XY,
    dashes,
    disc,
    line,
    png,
)
from bot.charts.letters import font, width_of, write
from bot.i18n.locales import number, percent
from bot.records.score_history import Point, ScoreHistory, SeatScores

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

DASHED_FROM = 5
"""The lines from this seat on are dashed, to tell them from earlier ones of a similar colour."""

TOP, GAP, EDGE = 26, 28, 12
"""Pixels above the lines, between them and the captions, and beside everything."""

MAX_CAPTION = 270
"""The most pixels that a caption may be wide."""

LINE_HEIGHT = 44
"""The pixels from one line of text to the next."""

MIN_HEIGHT, MAX_TICKS = 320, 5
"""The least height of the part with the lines, and into how many parts at most an axis is divided."""

MARK, MARK_WIDTH = 13, 36
"""The radius of a mark, and how far right of the mark's left edge its explanation begins."""

MAX_STACKED = 3
"""How many marks of one point are drawn one above the other; further ones lie on the last."""

LEFT_MARK = "left"
"""The mark where a seat left the game."""

LOSSES = frozenset({"hit", "costs", "lesson"})
"""The marks that are bad for their seat; their shape points down."""


@dataclass(frozen=True, slots=True)
class Caption:
    """The text at the end of a line, without the score, which stands above the chart.

    ``first`` is whether the seat is in first place.
    """

    place: str
    name: str
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

    axes, legend = _Axes(history, labels), _legend(labels)
    right, base = axes.right, axes.base
    height = base + LINE_HEIGHT + LINE_HEIGHT * len(legend) + EDGE
    canvas = Image.new("RGB", (WIDTH * SCALE, height * SCALE), BACKGROUND)
    pen = ImageDraw.Draw(canvas)
    for value in axes.values:
        y = axes.y(value)
        line(pen, [(axes.left, y), (right, y)], QUIET if value == 0 else GRID, 2 if value == 0 else 1.5)
    places = _spread([axes.y(scores.points[-1][1]) for scores in history.seats], base)
    # Draw the winners' lines last, so that they are on top.
    order = sorted(range(len(history.seats)), key=lambda seat: labels.captions[seat].first)
    for seat in order:
        _draw_seat(pen, axes, history.seats[seat], seat, labels.captions[seat].first)
        end = axes.y(history.seats[seat].points[-1][1])
        line(pen, [(right + 9, end), (right + GAP - 6, places[seat])], COLOURS[seat % len(COLOURS)], 2)
    for seat in order:
        _draw_marks(pen, axes, history.seats[seat], seat)
    rows = [(base + LINE_HEIGHT * (row + 1.6), parts) for row, parts in enumerate(legend)]
    for y, parts in rows:
        for x, kind, _ in parts:
            _draw_mark(pen, x + MARK, y, kind, QUIET)
    picture = canvas.reduce(SCALE)
    pen, letters = ImageDraw.Draw(picture), font(FONT_SIZE)
    for value in axes.values:
        pen.text((axes.left - EDGE, axes.y(value)), axes.text(value), QUIET, letters, anchor="rm")
    for turn in _ticks(0, history.turns):
        pen.text((axes.x(turn), base + 8), number(labels.locale, turn), QUIET, letters, anchor="ma")
    pen.text((WIDTH - EDGE, base + 8), _name_of_axis(labels), QUIET, letters, anchor="ra")
    for seat, caption in enumerate(labels.captions):
        _caption(pen, (right + GAP, places[seat]), caption, COLOURS[seat % len(COLOURS)])
    for y, parts in rows:
        for x, _, text in parts:
            pen.text((x + MARK_WIDTH, y), text, QUIET, letters, anchor="lm")
    return png(picture)


def _name_of_axis(labels: Labels) -> str:
    return f"{labels.turns} →"


def _step(span: int) -> int:
    """Return the smallest of 1, 2, 5, 10, 20, … of which at most :data:`MAX_TICKS` fit into ``span``."""
    exact = max(span / MAX_TICKS, 1)
    power = 10 ** math.floor(math.log10(exact))
    return int(next(power * factor for factor in (1, 2, 5, 10) if power * factor >= exact))


def _ticks(low: int, high: int) -> range:
    """Return the numbers to write along an axis: from ``low`` to ``high`` in equal round steps."""
    return range(low, high + 1, _step(high - low))


class _Axes:
    """Where turns and scores are in the image, in pixels, and the ``values`` of its grid."""

    def __init__(self, history: ScoreHistory, labels: Labels) -> None:
        scores = [score for seat in history.seats for _, score in seat.points]
        low, high = min(0, *scores), max(1, *scores)
        step = _step(high - low)
        # Whole steps below zero, so that zero has a grid line; some space above.
        self.low, self.high = math.floor(low / step) * step, high + max(1, (high - low) // 12)
        if labels.percent_of_1000:
            self.low, self.high = 0, 1000
        self._labels = labels
        self.values = _ticks(self.low, self.high)
        self.left = 2 * EDGE + math.ceil(
            max(font(FONT_SIZE).getlength(self.text(value)) for value in self.values)
        )
        captions = max((sum(_parts(caption)[1]) for caption in labels.captions), default=0)
        self.turns = history.turns
        # However short the captions are, the last number must not touch the name of the axis beside it.
        number_width = font(FONT_SIZE).getlength(number(labels.locale, _ticks(0, self.turns)[-1]))
        below = font(FONT_SIZE).getlength(_name_of_axis(labels)) + number_width / 2
        self.right = WIDTH - GAP - EDGE - math.ceil(max(captions, below))
        self.base = TOP + max(MIN_HEIGHT, LINE_HEIGHT * len(labels.captions))
        """The height of the lowest value."""

    def x(self, turn: float) -> float:
        return self.left + (self.right - self.left) * turn / self.turns

    def y(self, score: float) -> float:
        return self.base - (self.base - TOP) * (score - self.low) / (self.high - self.low)

    def text(self, value: int) -> str:
        locale = self._labels.locale
        return percent(locale, value / 1000, 0) if self._labels.percent_of_1000 else number(locale, value)


def _spread(wished: Sequence[float], base: float) -> list[float]:
    """Return heights near those ``wished``, above ``base``, far enough apart for lines of text."""
    order = sorted(range(len(wished)), key=lambda index: wished[index])
    placed = list(wished)
    above = -math.inf
    for index in order:
        above = placed[index] = max(wished[index], above + LINE_HEIGHT, TOP)
    # The name of the axis stands below.
    below = base - EDGE
    for index in reversed(order):
        below = placed[index] = min(placed[index], below)
        below -= LINE_HEIGHT
    return placed


def _draw_seat(pen: ImageDraw, axes: _Axes, scores: SeatScores, seat: int, first: bool) -> None:
    """Draw a seat's line; after the seat has left the game it continues as dots."""
    colour, width = COLOURS[seat % len(COLOURS)], 7.0 if first else 4.5
    end = axes.turns if scores.left is None else scores.left
    played = [(axes.x(turn), axes.y(score)) for turn, score in _until(scores.points, end)]
    if seat >= DASHED_FROM:
        for dash in dashes(played, 18, 11):
            line(pen, dash, colour, width)
    else:
        line(pen, played, colour, width)
        for x, y in played:
            disc(pen, x, y, width / 2, colour)
    x, y = played[-1]
    if scores.left is None:
        disc(pen, x, y, 8 if first else 7, colour)
        return
    _draw_mark(pen, x, y, LEFT_MARK, colour)
    rest = [(x, y), (axes.right, axes.y(scores.points[-1][1]))]
    for (dot_x, dot_y), _ in dashes(rest, 1, 12):
        disc(pen, dot_x, dot_y, 2, colour)


def _until(points: Sequence[Point], end: int) -> list[Point]:
    kept = [point for point in points if point[0] <= end]
    return kept if kept[-1][0] == end else [*kept, (end, kept[-1][1])]


def _draw_marks(pen: ImageDraw, axes: _Axes, scores: SeatScores, seat: int) -> None:
    stacked: dict[Point, int] = {}
    for point, kind in scores.marks:
        above = stacked[point] = min(stacked.get(point, -1) + 1, MAX_STACKED - 1)
        y = max(axes.y(point[1]) - 2.2 * MARK * above, MARK)
        _draw_mark(pen, axes.x(point[0]), y, kind, COLOURS[seat % len(COLOURS)])


def _draw_mark(pen: ImageDraw, x: float, y: float, kind: str, colour: str) -> None:
    """Draw a mark. Its shape shows the kind, its colour the seat."""
    x, y, radius = x * SCALE, y * SCALE, MARK * SCALE
    match kind:
        case "tutto":
            corners = 10
            radii = (radius * 1.2, radius * 0.52)
        case "plus-minus":
            disc(pen, x / SCALE, y / SCALE, MARK + 1, BACKGROUND, colour)
            arm = 7 * SCALE
            pen.line([(x - arm, y), (x + arm, y)], fill=colour, width=2 * SCALE + 1)
            pen.line([(x, y - arm), (x, y + arm)], fill=colour, width=2 * SCALE + 1)
            return
        case "left":
            arm = 9 * SCALE
            for ends in ([(x - arm, y - arm), (x + arm, y + arm)], [(x - arm, y + arm), (x + arm, y - arm)]):
                pen.line(ends, fill=colour, width=4 * SCALE)
            return
        case _ if kind in LOSSES:
            down = [(x - radius, y - radius * 0.7), (x + radius, y - radius * 0.7), (x, y + radius)]
            pen.polygon(down, fill=BACKGROUND, outline=colour, width=round(3.5 * SCALE))
            return
        case _:
            corners = 4
            radii = (radius, radius)
    turn = 2 * math.pi / corners
    star = [
        (x + radii[i % 2] * math.sin(i * turn), y - radii[i % 2] * math.cos(i * turn)) for i in range(corners)
    ]
    pen.polygon(star, fill=colour, outline=BACKGROUND, width=SCALE)


def _parts(caption: Caption) -> tuple[tuple[str, str], tuple[float, float]]:
    """Return place and name of a caption, and their widths. A name that is too long is cut."""
    place, name = f"{caption.place} " if caption.place else "", caption.name

    def width(text: str) -> float:
        return width_of(text, FONT_SIZE) + 2 * caption.first * bool(text)

    room = MAX_CAPTION - width(place)
    if width(name) > room:
        while name and width(f"{name}…") > room:
            name = name[:-1].rstrip()
        name = f"{name}…"
    return (place, name), (width(place), width(name))


def _caption(pen: ImageDraw, at: XY, caption: Caption, colour: str) -> None:
    """Draw a caption part by part, so that a name in a right-to-left script does not reorder the rest."""
    x, y = at
    for part, width in zip(*_parts(caption), strict=True):
        write(pen, (x, y), part, colour, FONT_SIZE, 1 if caption.first else 0)
        x += width


def _legend(labels: Labels) -> list[list[tuple[float, str, str]]]:
    """Lay out the lines below the chart that explain the marks: for each mark its x, kind and text."""
    rows: list[list[tuple[float, str, str]]] = []
    x = float(WIDTH)
    for kind, text in labels.marks.items():
        width = MARK_WIDTH + font(FONT_SIZE).getlength(text)
        if x + width > WIDTH - EDGE:
            rows.append([])
            x = float(EDGE)
        rows[-1].append((x, kind, text))
        x += width + FONT_SIZE
    return rows
