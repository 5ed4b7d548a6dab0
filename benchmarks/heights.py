"""Measure how tall tables are on a phone: ``python -m benchmarks.heights``.

Shows tables of the gallery (:mod:`tools.scenes`) in a browser as the playground does, and prints the height
of each in pixels by language, the tallest first: what all see, not private pages, which may be scrolled.
With ``--limit`` it fails if one is taller, except for tables of more than four seats, and for the lobby of a
rematch with a challenge, a lot and words. Without a browser it says so and measures nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from bot.i18n.catalogue import Catalogue
from bot.registry import TEXT_ICONS
from tools.browser import MISSING, installed, one_tab
from tools.gallery_shots import SCENES_A_PAGE, laid_out, posted
from tools.help_pictures import staged
from tools.scenes import scenes

PHONE = 390
"""The width of the page in pixels; a phone of that width shows about 650 of its height."""

TOPICS = ("lobby", "tutto", "gambler", "story", "crowd", "end")
"""The topics of the scenes that all see in a channel: lobbies, tables, and how games end."""

MAY_BE_TALLER = re.compile(r"crowd-10|.*-rematch")
"""The names of the scenes that may be taller than the limit."""


async def measure(width: int, topics: list[str]) -> dict[str, dict[str, int]]:
    """Return the heights in pixels by scene and language."""
    found = [one for one in await scenes(Catalogue(TEXT_ICONS)) if one.topic in topics]
    heights: dict[str, dict[str, int]] = {}
    async with one_tab() as tell:
        for language in Catalogue({}).languages:
            with tempfile.TemporaryDirectory() as folder:
                async with staged(Path(folder), language) as stage:
                    for number, start in enumerate(range(0, len(found), SCENES_A_PAGE)):
                        shown = found[start : start + SCENES_A_PAGE]
                        place = await posted(stage, shown, number)
                        async with laid_out(stage, tell, place, len(shown), width) as boxes:
                            for scene, box in zip(shown, boxes, strict=True):
                                heights.setdefault(scene.name, {})[language] = round(box["height"])
    return heights


def too_tall(heights: Mapping[str, Mapping[str, int]], limit: int) -> list[str]:
    """Return the names of the scenes that are taller than the limit in a language, and may not be."""
    return [
        name
        for name, by_language in heights.items()
        if max(by_language.values()) > limit and not MAY_BE_TALLER.match(name)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.heights", description=__doc__)
    parser.add_argument("--width", type=int, default=PHONE)
    parser.add_argument("--topics", nargs="+", default=list(TOPICS), choices=TOPICS)
    parser.add_argument("--limit", type=int, help="how tall a table may be")
    given = parser.parse_args()
    if installed() is None:
        print(f"{MISSING} Nothing was measured.", file=sys.stderr)
        return
    heights = asyncio.run(measure(given.width, given.topics))
    languages = list(next(iter(heights.values())))
    print(f"{'':32} {' '.join(f'{language:>5}' for language in languages)}")
    for name, by_language in sorted(heights.items(), key=lambda one: -max(one[1].values())):
        print(f"{name:32} {' '.join(f'{by_language[language]:5}' for language in languages)}")
    tall = too_tall(heights, given.limit) if given.limit else []
    if tall:
        raise SystemExit(f"Taller than {given.limit} pixels: {', '.join(tall)}")


if __name__ == "__main__":
    main()
