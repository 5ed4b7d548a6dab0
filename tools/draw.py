"""Build the PNGs of the emojis from their SVG drawings: ``python -m tools.draw``.

A drawing is one file in ``assets/emojis``, or is laid together from several in ``assets/emojis/parts``:
all dice share their bodies, all boxes their frame. The pictures go to ``assets/emojis/png``, and
``manifest.json`` notes from which drawing each was built, so that a test can tell when one is out of date.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "assets" / "emojis"
SIZE = 128
"""Width and height of the pictures; Discord shows emojis at 22 to 48 pixels."""

MAX_BYTES = 256 * 1024
"""Discord's limit for an emoji's file."""

_INK, _WHITE = "#23272e", "#ffffff"
# The badge takes the lower right corner, so the die moves up and to the left.
_SMALLER = "translate(-.5 -.5) scale(.82)"
_OUTER = re.compile(r"\A\s*<svg[^>]*>\n?(.*)</svg>\s*\Z", re.DOTALL)

Part = tuple[str, str]
"""A file in ``parts`` and the attributes of the group it is put into."""


def _composed() -> dict[str, tuple[Part, ...]]:
    parts: dict[str, tuple[Part, ...]] = {}
    for face in range(1, 7):
        pips = f"pips-{face}"
        parts[f"die-{face}"] = (("die", ""), (pips, f'color="{_INK}"'))
        small = f'color="{_INK}" transform="{_SMALLER}"'
        parts[f"die-{face}-kept"] = (("die-kept", ""), (pips, small))
        parts[f"die-{face}-off"] = (("die-off", ""), (pips, small))
    # The box of a row that is to be filled next stands out from those behind it.
    for box in ("box", "next"):
        for face in range(1, 7):
            parts[f"{box}-{face}"] = ((box, ""), (f"digit-{face}", f'color="{_WHITE}"'))
        for star in ("star", "star-a", "star-b"):
            parts[f"{box}-{star}"] = ((box, ""), (star, ""))
    return parts


COMPOSED = _composed()


def drawings(folder: Path = FOLDER) -> dict[str, str]:
    """Every drawing by the name of its emoji, as SVG."""
    found = {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.svg")}
    for name, parts in COMPOSED.items():
        groups = [
            f"  <g{' ' * bool(attributes)}{attributes}>\n{_inside(folder / 'parts' / f'{part}.svg')}  </g>\n"
            for part, attributes in parts
        ]
        found[name] = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}">\n{"".join(groups)}</svg>\n'
        )
    return dict(sorted(found.items()))


def digest(data: bytes | str) -> str:
    """A short name for exactly this content."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()[:16]


def manifest(pictures: Mapping[str, bytes], folder: Path = FOLDER) -> str:
    """What ``manifest.json`` says for these pictures of the present drawings."""
    entries = {
        name: {"drawing": digest(svg), "picture": digest(pictures[name])}
        for name, svg in drawings(folder).items()
    }
    return json.dumps(entries, indent=1) + "\n"


def build(folder: Path = FOLDER) -> int:
    """Draw everything anew; the number of pictures."""
    import resvg_py  # only here: tests compare digests and need no rasteriser

    png = folder / "png"
    png.mkdir(exist_ok=True)
    pictures = {}
    for name, svg in drawings(folder).items():
        data = bytes(resvg_py.svg_to_bytes(svg_string=svg, width=SIZE, height=SIZE, skip_system_fonts=True))
        if len(data) > MAX_BYTES:
            raise ValueError(f"{name} takes {len(data)} bytes, Discord allows {MAX_BYTES}")
        pictures[name] = data
        (png / f"{name}.png").write_bytes(data)
    for path in png.glob("*.png"):
        if path.stem not in pictures:
            path.unlink()
    (folder / "manifest.json").write_text(manifest(pictures, folder), encoding="utf-8")
    return len(pictures)


def _inside(path: Path) -> str:
    match = _OUTER.match(path.read_text(encoding="utf-8"))
    if match is None:
        raise ValueError(f"{path} is no SVG file")
    return match[1]


if __name__ == "__main__":
    print(f"{build()} emojis drawn", file=sys.stderr)
