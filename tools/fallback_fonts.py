"""Cut fonts down to what names in charts need: one file for each script that DejaVu Sans lacks.

    make fallback-fonts DROID=DroidSansFallback.ttf

``tools/fallback_fonts.txt`` names the Noto fonts and fontTools. Droid Sans Fallback is in Debian's package
fonts-droid-fallback (``apt-get download``, ``dpkg-deb --extract``). The same sources give the same bytes.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

from bot.charts.letters import EAST_ASIAN, EMOJI, FALLBACK_FONTS, SCRIPTS

DROID_SHA256 = "56d3edfb377a8bc3c4b77f4476405c770173c0e31221ad7c77d0a8e1f3039a3e"

JOINERS = {0x200C, 0x200D}
"""Between letters of some scripts these say whether to join them."""


def cut(source: Path, target: Path, keep: Iterable[int], *, layout: bool = True) -> None:
    """Write the regular weight of a font with the characters of ``keep``.

    Hints and kerning are left out; without ``layout`` also what joins and places letters.
    """
    font = TTFont(source, recalcTimestamp=False)
    if "fvar" in font:
        font = instantiateVariableFont(font, {axis.axisTag: axis.defaultValue for axis in font["fvar"].axes})
    options = Options(hinting=False, notdef_outline=True, glyph_names=False, recalc_timestamp=False)
    options.layout_features = [name for name in options.layout_features if layout and name != "kern"]
    options.drop_tables += ["FFTM", "vhea", "vmtx", "VORG", "BASE"]
    if not layout:
        options.drop_tables += ["GDEF", "GPOS", "GSUB"]
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=set(keep) & set(font.getBestCmap()))
    subsetter.subset(font)
    font.save(target)
    print(f"{target.name}: {len(font.getBestCmap())} characters, {target.stat().st_size // 1000} kB")


def main(droid: Path) -> None:
    if hashlib.sha256(droid.read_bytes()).hexdigest() != DROID_SHA256:
        raise SystemExit(f"{droid} is another version of the font")
    noto = Path(str(files("manimgx_fonts")))
    for name, blocks in SCRIPTS.items():
        target = FALLBACK_FONTS / f"{name}.ttf"
        characters = {code for first, last in blocks for code in range(first, last + 1)}
        # A space stands for what is not to be seen; without one, such a character by itself is an error.
        characters.add(ord(" "))
        source = droid if name == EAST_ASIAN else noto / f"{name}[wght].ttf"
        cut(source, target, characters | JOINERS, layout=name not in (EAST_ASIAN, EMOJI))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
