"""The fonts of all charts, and text in them. A name may have letters of several fonts.

A fallback font is opened when the first name needs it. ``tools/fallback_fonts.py`` makes them.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont

FONTS = Path(__file__).parents[2] / "assets" / "fonts"
FONT = FONTS / "DejaVuSans.ttf"
FALLBACK_FONTS = FONTS / "fallback"

EAST_ASIAN, EMOJI, THAI = "DroidSansFallback", "NotoEmoji", "NotoSansThai"
"""Names of fallback fonts."""

SCRIPTS: dict[str, tuple[tuple[int, int], ...]] = {
    EAST_ASIAN: (
        (0x3000, 0x30FF),
        (0x3130, 0x318F),
        (0x31F0, 0x31FF),
        (0x4E00, 0x9FFF),
        (0xAC00, 0xD7A3),
        (0xFA0E, 0xFA29),
    ),
    THAI: ((0x0E00, 0x0E7F),),
    "NotoSansDevanagari": ((0x0900, 0x097F),),
    "NotoSansBengali": ((0x0980, 0x09FF),),
    "NotoSansGurmukhi": ((0x0A00, 0x0A7F),),
    "NotoSansGujarati": ((0x0A80, 0x0AFF),),
    "NotoSansOriya": ((0x0B00, 0x0B7F),),
    "NotoSansTamil": ((0x0B80, 0x0BFF),),
    "NotoSansTelugu": ((0x0C00, 0x0C7F),),
    "NotoSansKannada": ((0x0C80, 0x0CFF),),
    "NotoSansMalayalam": ((0x0D00, 0x0D7F),),
    "NotoSansSinhala": ((0x0D80, 0x0DFF),),
    "NotoSansMyanmar": ((0x1000, 0x109F),),
    "NotoSansEthiopic": ((0x1200, 0x139F),),
    "NotoSansKhmer": ((0x1780, 0x17FF),),
    EMOJI: ((0x2600, 0x27BF), (0x1F1E6, 0x1F3FA), (0x1F400, 0x1FAFF)),
}
"""The fallback fonts, each with the first and last character of the blocks that it is used for.

Colours of skin (U+1F3FB to U+1F3FF) are left out: they are not drawn beside their emoji.
"""

UNJOINED = frozenset({EAST_ASIAN, EMOJI, THAI, "NotoSansEthiopic"})
"""Fonts of scripts that can be read if each letter is drawn by itself, without libraqm."""

TAGGED_FLAG = re.compile("\N{WAVING BLACK FLAG}[\U000e0020-\U000e007f]+")
"""A flag such as that of Scotland; all that a font has of it is a black flag."""

BASE = ""
"""The name that stands for :data:`FONT`."""

_SIZE = 26
"""The size, in pixels, at which to look for missing glyphs; any would do."""


@lru_cache(maxsize=32)
def font(size: int, name: str = BASE) -> FreeTypeFont:
    """Open a font; ``size`` is in pixels, ``name`` that of a fallback font."""
    from PIL import ImageFont

    return ImageFont.truetype(str(FALLBACK_FONTS / f"{name}.ttf" if name else FONT), size)


def drawable(name: str) -> str:
    """Return a name without the characters that no font has; "" if one of them is a letter.

    Styled letters, as in mathematics or of full width, become plain ones.

    >>> drawable("Анна 🎲"), drawable("𝓐𝓷𝓷𝓪"), drawable("山田"), drawable("ꦗꦮ")
    ('Анна 🎲', 'Anna', '山田', '')
    """
    kept, before = [], BASE
    for character in _plain(name):
        font_name = _font_name(character, before)
        if font_name is not None:
            kept.append(character)
            before = font_name
        elif unicodedata.category(character)[0] == "L":
            return ""
    text = " ".join("".join(kept).split())
    return text if any(unicodedata.category(character)[0] in "LNPS" for character in text) else ""


def width_of(text: str, size: int) -> float:
    """Return the width of a line of text in pixels."""
    return sum(font(size, name).getlength(part) for name, part in _runs(text))


def write(pen: ImageDraw, at: tuple[float, float], text: str, colour: str, size: int, stroke: float) -> None:
    """Draw a line of text from x on, with its middle at height y, and ``stroke`` pixels bolder."""
    x, y = at
    ascent, descent = font(size).getmetrics()
    # Fonts differ in height, so align them by their base lines and not by their middles.
    base = y + (ascent - descent) / 2
    for name, part in _runs(text):
        letters = font(size, name)
        pen.text((x, base), _in_drawing_order(part), colour, letters, anchor="ls", stroke_width=stroke)
        x += letters.getlength(part)


def _plain(name: str) -> str:
    """Return a name without styles and tagged flags, but with whole marks of Thai and Lao, which NFKC takes
    apart.
    """
    text = unicodedata.normalize("NFKC", TAGGED_FLAG.sub("", name))
    return text.replace("\u0e4d\u0e32", "\u0e33").replace("\u0ecd\u0eb2", "\u0eb3")


def _runs(text: str) -> list[tuple[str, str]]:
    """Return the parts of a line that have one font, from left to right, each with the name of its font."""
    names, before = [], BASE
    for character in text:
        before = _font_name(character, before) or BASE
        names.append(before)
    pairs = itertools.groupby(zip(names, text, strict=True), key=lambda pair: pair[0])
    parts = [(name, "".join(character for _, character in group)) for name, group in pairs]
    directions = map(unicodedata.bidirectional, text)
    first = next((direction for direction in directions if direction in ("L", "R", "AL")), "L")
    return parts if first == "L" else parts[::-1]


def _font_name(character: str, before: str) -> str | None:
    """Return the font of a character that follows one in the font ``before``, or None if no font has it."""
    if before and unicodedata.category(character) in ("Mn", "Mc", "Me", "Cf"):
        # A mark belongs to the letter before it.
        return before if _has_glyph(character, before) else None
    if _has_glyph(character, BASE):
        return BASE
    name = next((name for name, blocks in SCRIPTS.items() if _is_in(character, blocks)), None)
    if name is None or not _has_glyph(character, name):
        return None
    return name if name in UNJOINED or _can_join() else None


def _is_in(character: str, blocks: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= ord(character) <= last for first, last in blocks)


@lru_cache(maxsize=4096)
def _has_glyph(character: str, name: str) -> bool:
    """Return whether a font has a glyph; missing ones look like U+10FFFF, which no font has."""
    letters, missing = _unshaped(name)
    return bytes(letters.getmask(character)) != missing


@lru_cache(maxsize=32)
def _unshaped(name: str) -> tuple[FreeTypeFont, bytes]:
    """Open a font for single glyphs; return it with the look of a missing one.

    Shaping would take some characters apart, and draw two missing glyphs for one.
    """
    from PIL import ImageFont

    letters = font(_SIZE, name).font_variant(layout_engine=ImageFont.Layout.BASIC)
    return letters, bytes(letters.getmask("\U0010ffff"))


def _can_join() -> bool:
    """Return whether Pillow joins and places letters as their script wants it: with libraqm and FriBiDi."""
    from PIL import features

    return bool(features.check("raqm"))


def _in_drawing_order(text: str) -> str:
    """Reverse text that is written from right to left where Pillow can't do so itself."""
    right_to_left = any(unicodedata.bidirectional(character) in ("R", "AL") for character in text)
    return text[::-1] if right_to_left and not _can_join() else text
