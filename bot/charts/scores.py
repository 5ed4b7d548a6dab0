"""The race of a finished game as a picture. Pillow is loaded when the first one is drawn."""

from __future__ import annotations

import asyncio
import io
import itertools
import math
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.games import codec
from bot.i18n.catalogue import Catalogue
from bot.i18n.locales import number, percent
from bot.i18n.say import Say, say
from bot.records.game_log import read_log
from bot.records.score_history import Point, ScoreHistory, SeatScores, score_history_of
from bot.registry import find
from bot.screens.entry import Entry
from bot.screens.model import seat_name
from bot.store.base import GameRow, Store

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont

FONT = Path(__file__).parents[2] / "assets" / "fonts" / "DejaVuSans.ttf"

SIZE = (900, 560)
"""Small enough that its letters can be read on a phone, which shows it at a third."""

# The picture brings its own background, so it looks the same whatever theme it is seen in.
BACKGROUND, TEXT, QUIET, GRID = "#1f232a", "#f4f5f7", "#b3bac6", "#3b424e"
COLOURS = (
    "#5cb8f2",
    "#f0a63c",
    "#3ddc97",
    "#f4e04d",
    "#f79ac8",
    "#ff7f66",
    "#b8a4ff",
    "#ffffff",
    "#8fe3e8",
    "#d3b98c",
)
"""One a seat, up to ten; all at least 6 : 1 against the background. Labels stand at the lines' ends."""

DASHED_FROM = 5
"""From this seat on lines are dashed, so that no two alike colours have lines alike."""

LABEL, SMALL, SMALLEST = 26, 22, 12
TOP, BOTTOM, LEFT, GAP = 24, 98, 94, 26
MAX_LABEL = 350
LINE_HEIGHT = 34
LEGEND = SIZE[1] - 26
MAX_STACKED = 3
LEFT_MARK = "left"
LOSSES = frozenset({"hit", "costs", "lesson"})
FINER = 2
"""Lines are drawn so many times larger and then reduced: the library draws them without smoothing."""


@dataclass(frozen=True, slots=True)
class Caption:
    """What stands at the end of a line. ``name`` is "" where the font has no letters for it."""

    place: str
    name: str
    score: str
    first: bool = False


@dataclass(frozen=True, slots=True)
class Words:
    """All text of the picture in the reader's language; ``marks`` by kind.

    ``shares`` says that the scores are thousandths of a whole, to be written as percent.
    """

    captions: tuple[Caption, ...]
    turns: str
    marks: Mapping[str, str]
    locale: str
    shares: bool = False


async def race_picture(store: Store, row: GameRow, catalogue: Catalogue) -> bytes:
    """The picture of a finished game, as PNG. Raises what reading a damaged game raises."""
    entry = find(row.game)
    options, log = await read_log(store, entry, row)
    return await aside(_picture, entry, options, row, log, catalogue)


_thread = ThreadPoolExecutor(1, "charts")


async def aside(drawing: Callable[..., bytes], *args: Any) -> bytes:
    """Call ``drawing`` in the one thread for pictures: every further thread would keep memory for itself."""
    return await asyncio.get_running_loop().run_in_executor(_thread, drawing, *args)


def _picture(entry: Entry, options: Any, row: GameRow, log: Sequence[Any], catalogue: Catalogue) -> bytes:
    race = score_history_of(entry, options, row, log)
    result = entry.rules.result(entry.rules.state_from_json(codec.loads(row.state or "null")))
    assert result is not None
    captions = []
    for seat, place in enumerate(result.places()):
        who = seat_name(row.seats, seat)
        name = catalogue.text(row.locale, who) if isinstance(who, Say) else str(getattr(who, "text", who))
        score = number(row.locale, result.scores[seat])
        captions.append(Caption(f"{place}.", drawable(name), score, place == 1))
    kinds = sorted({kind for lane in race.lanes for _, kind in lane.marks}, key=_rank)
    if any(lane.left is not None for lane in race.lanes):
        kinds.append(LEFT_MARK)
    words = Words(
        tuple(captions),
        catalogue.text(row.locale, say("race-turns")),
        {kind: catalogue.text(row.locale, say(f"race-mark-{kind}")) for kind in kinds},
        row.locale,
    )
    return draw(race, words)


def _rank(kind: str) -> tuple[bool, str]:
    """Marks of what someone gains are explained before those of what someone loses."""
    return kind in LOSSES, kind


def drawable(name: str) -> str:
    """The name as far as the font can draw it; "" if letters of it would be missing.

    >>> drawable("Анна 🎲"), drawable("山田")
    ('Анна', '')
    """
    kept = []
    for character in name:
        if _has(character):
            kept.append(character)
        elif unicodedata.category(character)[0] == "L":
            return ""
    text = " ".join("".join(kept).split())
    return text if any(unicodedata.category(character)[0] in "LNPS" for character in text) else ""


@lru_cache(maxsize=4096)
def _has(character: str) -> bool:
    """Whether the font has a picture of a character: what it lacks looks like what no font has."""
    font = _font(LABEL)
    return bytes(font.getmask(character)) != bytes(font.getmask("\U0010ffff"))


@lru_cache(maxsize=16)
def _font(size: int) -> FreeTypeFont:
    from PIL import ImageFont

    return ImageFont.truetype(str(FONT), size)


def draw(race: ScoreHistory, words: Words) -> bytes:
    """Draw a race. Takes tens of milliseconds and no other thread's time: the library works unlocked."""
    from PIL import Image, ImageDraw

    right = LEFT + max(_width(race, words), 200)
    frame, (small, legend) = _Frame(race, right, words.shares), _legend(words)
    canvas = Image.new("RGB", (SIZE[0] * FINER, SIZE[1] * FINER), BACKGROUND)
    pen = ImageDraw.Draw(canvas)
    ticks = _ticks(frame.low, frame.high, 6)
    for value in ticks:
        y = frame.y(value)
        _line(pen, [(LEFT, y), (right, y)], QUIET if value == 0 else GRID, 1.5 if value == 0 else 1)
    places = _spread([frame.y(lane.points[-1][1]) for lane in race.lanes])
    # The winners' lines come last and lie on top.
    order = sorted(range(len(race.lanes)), key=lambda seat: words.captions[seat].first)
    for seat in order:
        _lane(pen, frame, race.lanes[seat], seat, words.captions[seat].first)
        end = frame.y(race.lanes[seat].points[-1][1])
        _line(pen, [(right + 7, end), (right + GAP - 6, places[seat])], COLOURS[seat % len(COLOURS)], 1.5)
    for seat in order:
        _marks(pen, frame, race.lanes[seat], seat)
    for x, kind, _ in legend:
        if kind:
            _mark(pen, x, LEGEND, kind, QUIET)
    picture = canvas.reduce(FINER)
    pen = ImageDraw.Draw(picture)
    for value in ticks:
        text = percent(words.locale, value / 1000, 0) if words.shares else number(words.locale, value)
        pen.text((LEFT - 12, frame.y(value)), text, QUIET, _font(SMALL), anchor="rm")
    base = SIZE[1] - BOTTOM
    for turn in _ticks(0, race.turns, 8):
        pen.text((frame.x(turn), base + 10), number(words.locale, turn), QUIET, _font(SMALL), anchor="ma")
    for seat, caption in enumerate(words.captions):
        _caption(pen, (right + GAP, places[seat]), caption, COLOURS[seat % len(COLOURS)])
    for x, kind, text in legend:
        pen.text((x + 18 * bool(kind), LEGEND), text, QUIET, _font(small), anchor="lm")
    file = io.BytesIO()
    picture.quantize(96).save(file, "PNG")
    return file.getvalue()


class _Frame:
    """Where turns and scores lie in the picture."""

    def __init__(self, race: ScoreHistory, right: float, shares: bool = False) -> None:
        scores = [score for lane in race.lanes for _, score in lane.points]
        low, high = min(0, *scores), max(1, *scores)
        step = _step(high - low, 6)
        # A full step below zero, so that its line is there; a little air above.
        self.low, self.high = math.floor(low / step) * step, high + max(1, (high - low) // 12)
        if shares:
            self.low, self.high = 0, 1000
        self.turns = race.turns
        self.right = right

    def x(self, turn: float) -> float:
        return LEFT + (self.right - LEFT) * turn / self.turns

    def y(self, score: float) -> float:
        return SIZE[1] - BOTTOM - (SIZE[1] - BOTTOM - TOP) * (score - self.low) / (self.high - self.low)


def _step(span: int, most: int) -> int:
    """The smallest of 1, 2, 5, 10, 20, … that divides ``span`` into at most so many parts."""
    exact = max(span / most, 1)
    power = 10 ** math.floor(math.log10(exact))
    return int(next(power * factor for factor in (1, 2, 5, 10) if power * factor >= exact))


def _ticks(low: int, high: int, most: int) -> range:
    return range(low, high + 1, _step(high - low, most))


def _spread(wished: Sequence[float]) -> list[float]:
    """Heights close to the wished ones with room for a line of text between any two."""
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


def _line(pen: ImageDraw, points: Sequence[tuple[float, float]], colour: str, width: float) -> None:
    fine = [(x * FINER, y * FINER) for x, y in points]
    pen.line(fine, fill=colour, width=round(width * FINER), joint="curve")


def _disc(pen: ImageDraw, x: float, y: float, radius: float, colour: str, edge: str | None = None) -> None:
    box = [(x - radius) * FINER, (y - radius) * FINER, (x + radius) * FINER, (y + radius) * FINER]
    pen.ellipse(box, fill=colour, outline=edge, width=2 * FINER if edge else 1)


def _lane(pen: ImageDraw, frame: _Frame, lane: SeatScores, seat: int, first: bool) -> None:
    """A seat's line. Where it has left the game, it goes on as dots."""
    colour, width = COLOURS[seat % len(COLOURS)], 5.0 if first else 3.2
    end = frame.turns if lane.left is None else lane.left
    played = [(frame.x(turn), frame.y(score)) for turn, score in _until(lane.points, end)]
    if seat >= DASHED_FROM:
        for dash in _pieces(played, 13, 8):
            _line(pen, dash, colour, width)
    else:
        _line(pen, played, colour, width)
        for x, y in played:
            _disc(pen, x, y, width / 2, colour)
    x, y = played[-1]
    if lane.left is None:
        _disc(pen, x, y, 6 if first else 5, colour)
        return
    _mark(pen, x, y, LEFT_MARK, colour)
    rest = [(x, y), (frame.right, frame.y(lane.points[-1][1]))]
    for (dot_x, dot_y), _ in _pieces(rest, 1, 9):
        _disc(pen, dot_x, dot_y, 1.5, colour)


def _until(points: Sequence[Point], end: int) -> list[Point]:
    kept = [point for point in points if point[0] <= end]
    return kept if kept[-1][0] == end else [*kept, (end, kept[-1][1])]


def _pieces(
    points: Sequence[tuple[float, float]], length: float, space: float
) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """Dashes along a line."""
    left, dash = length, True
    for (x, y), (to_x, to_y) in itertools.pairwise(points):
        whole = math.hypot(to_x - x, to_y - y)
        done = 0.0
        while done < whole:
            step = min(left, whole - done)
            if dash:
                ends = (done / whole, (done + step) / whole)
                start, end = ((x + (to_x - x) * part, y + (to_y - y) * part) for part in ends)
                yield start, end
            done, left = done + step, left - step
            if left <= 0:
                dash = not dash
                left = length if dash else space


def _marks(pen: ImageDraw, frame: _Frame, lane: SeatScores, seat: int) -> None:
    stacked: dict[Point, int] = {}
    for point, kind in lane.marks:
        above = stacked[point] = min(stacked.get(point, -1) + 1, MAX_STACKED - 1)
        y = max(frame.y(point[1]) - 20 * above, 12)
        _mark(pen, frame.x(point[0]), y, kind, COLOURS[seat % len(COLOURS)])


def _mark(pen: ImageDraw, x: float, y: float, kind: str, colour: str) -> None:
    """A sign whose form says what it is; its colour only says whose."""
    x, y, radius = x * FINER, y * FINER, 9 * FINER
    match kind:
        case "tutto":
            corners = 10
            radii = (radius * 1.2, radius * 0.52)
        case "plus-minus":
            _disc(pen, x / FINER, y / FINER, 10, BACKGROUND, colour)
            arm = 5 * FINER
            pen.line([(x - arm, y), (x + arm, y)], fill=colour, width=2 * FINER + 1)
            pen.line([(x, y - arm), (x, y + arm)], fill=colour, width=2 * FINER + 1)
            return
        case "left":
            arm = 6 * FINER
            for ends in ([(x - arm, y - arm), (x + arm, y + arm)], [(x - arm, y + arm), (x + arm, y - arm)]):
                pen.line(ends, fill=colour, width=3 * FINER)
            return
        case _ if kind in LOSSES:
            down = [(x - radius, y - radius * 0.7), (x + radius, y - radius * 0.7), (x, y + radius)]
            pen.polygon(down, fill=BACKGROUND, outline=colour, width=round(2.5 * FINER))
            return
        case _:
            corners = 4
            radii = (radius, radius)
    turn = 2 * math.pi / corners
    star = [
        (x + radii[i % 2] * math.sin(i * turn), y - radii[i % 2] * math.cos(i * turn)) for i in range(corners)
    ]
    pen.polygon(star, fill=colour, outline=BACKGROUND, width=FINER)


def _width(race: ScoreHistory, words: Words) -> int:
    """How wide the lines may run so that their captions have room."""
    longest = max(sum(_parts(caption)[1]) for caption in words.captions)
    return SIZE[0] - LEFT - GAP - 14 - math.ceil(min(longest, MAX_LABEL))


def _parts(caption: Caption) -> tuple[tuple[str, str, str], tuple[float, float, float]]:
    """The parts of a caption and their widths; the name is cut where it is too long."""
    font, bold = _font(LABEL), 1 if caption.first else 0
    place, name, score = (
        f"{caption.place} ",
        caption.name,
        f"  {caption.score}" if caption.name else caption.score,
    )

    def wide(text: str) -> float:
        return float(font.getlength(text)) + 2 * bold * bool(text)

    room = MAX_LABEL - wide(place) - wide(score)
    if wide(name) > room:
        while name and wide(f"{name}…") > room:
            name = name[:-1].rstrip()
        name = f"{name}…"
    return (place, name, score), (wide(place), wide(name), wide(score))


def _caption(pen: ImageDraw, at: tuple[float, float], caption: Caption, colour: str) -> None:
    """Part by part, so that a name from right to left does not turn the rest around."""
    x, y = at
    for part, width in zip(*_parts(caption), strict=True):
        pen.text(
            (x, y),
            _visual(part),
            TEXT if part.strip() == caption.score else colour,
            _font(LABEL),
            anchor="lm",
            stroke_width=0.6 if caption.first else 0,
        )
        x += width


def _visual(text: str) -> str:
    """The text in the order in which it is drawn, where the library can't see to that itself."""
    from PIL import features

    right_to_left = any(unicodedata.bidirectional(character) in ("R", "AL") for character in text)
    return text[::-1] if right_to_left and not features.check("raqm") else text


def _legend(words: Words) -> tuple[int, list[tuple[float, str, str]]]:
    """One line at the foot that explains numbers and signs: its size; where, which sign, what text."""
    for size in range(SMALL, SMALLEST - 1, -1):
        font, turns = _font(size), f"{words.turns} →"
        parts, x = [(float(LEFT), "", turns)], LEFT + font.getlength(turns) + 2 * size
        for kind, text in words.marks.items():
            parts.append((x, kind, text))
            x += font.getlength(text) + 2.4 * size
        if x - size <= SIZE[0]:
            break
    return size, parts
