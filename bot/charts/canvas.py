"""Colours, lines and discs of all charts.

Shapes are drawn :data:`SCALE` times larger and then reduced, because Pillow draws lines without smoothing.
Pillow is imported when the first chart is drawn.
"""

from __future__ import annotations

import io
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

XY = tuple[float, float]
"""A point in pixels of the finished image."""

BACKGROUND, TEXT, QUIET, GRID = "#1f232a", "#f4f5f7", "#b3bac6", "#3b424e"
"""Colours. With a background of its own, an image looks the same in every theme of Discord."""

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
"""One per seat, up to ten, each with a contrast of at least 6 : 1 to the background."""

SCALE = 2
"""By how much shapes are drawn larger at first."""

WIDTH = 900
"""The width of all charts in pixels."""

FONT_SIZE = 36
"""The size of all letters in pixels: 9.6 on a phone 360 pixels wide, which shows charts about 240 wide."""

TITLE = 46
"""The pixels from the top of a chart up to the middle of its title; the label of the top line needs them."""


def line(pen: ImageDraw, points: Sequence[XY], colour: str, width: float) -> None:
    """Draw a line with rounded corners."""
    scaled = [(x * SCALE, y * SCALE) for x, y in points]
    pen.line(scaled, fill=colour, width=round(width * SCALE), joint="curve")


def disc(pen: ImageDraw, x: float, y: float, radius: float, colour: str, edge: str | None = None) -> None:
    """Draw a disc, with an edge in another colour if ``edge`` is given."""
    box = [(x - radius) * SCALE, (y - radius) * SCALE, (x + radius) * SCALE, (y + radius) * SCALE]
    pen.ellipse(box, fill=colour, outline=edge, width=2 * SCALE if edge else 1)


def png(picture: Image) -> bytes:
    """Return a finished chart as PNG. The few colours of a chart fit into a small palette."""
    file = io.BytesIO()
    picture.quantize(96).save(file, "PNG")
    return file.getvalue()


def dashes(points: Sequence[XY], length: float, space: float) -> Iterator[tuple[XY, XY]]:
    """Yield the ends of dashes of ``length`` with gaps of ``space`` along a line."""
    rest, dash = length, True
    for (x, y), (to_x, to_y) in itertools.pairwise(points):
        whole = math.hypot(to_x - x, to_y - y)
        done = 0.0
        while done < whole:
            step = min(rest, whole - done)
            if dash:
                ends = (done / whole, (done + step) / whole)
                start, end = ((x + (to_x - x) * part, y + (to_y - y) * part) for part in ends)
                yield start, end
            done, rest = done + step, rest - step
            if rest <= 0:
                dash = not dash
                rest = length if dash else space
