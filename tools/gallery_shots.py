"""Take pictures of every kind of screen, to look at them: ``python -m tools.gallery_shots FOLDER``.

The preview of the playground shows them in a browser (Chromium or Chrome, found on the PATH), with the bot's
emojis, at the width of a phone or of a desktop, in dark and in light colours. A sheet has the same scenes in
all languages side by side.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from bot.charts.letters import FONT
from bot.discordpy.components import attached, render
from bot.discordpy.preview.tabs import STYLE
from bot.i18n.catalogue import Catalogue
from bot.playground import emoji_assets
from bot.registry import TEXT_ICONS
from tools.browser import PATIENCE, Tell, evaluate, one_tab, resize, screenshot
from tools.help_pictures import Stage, staged
from tools.scenes import Scene, scenes

WIDTHS = {"phone": 390, "desktop": 1000}
MOST_HEIGHT = 15_000
"""The browser draws no higher window; a page shows as many scenes as fit for sure."""

SCENES_A_PAGE, SHEET_HEIGHT, GAP = 10, 1500, 12

LIGHT = """
:root { color-scheme: light; background: #fbfbfb; color: #313338;
  --discord-bg: #fbfbfb; --discord-text: #2f3035; --discord-muted: #5c5e66; --discord-subtle: #4e5058;
  --discord-border: #dcdce0; --component-surface: #ffffff; --component-border: #dcdce0; --button-alt: #e6e6ea;
  --code-surface: #f0f0f4; --code-border: #dcdce0; --code-text: #313338; --link-text: #0068d6;
  --discord-control: #ececef; --input-surface: #f3f3f5; --control-border: #dcdce0; --entity-text: #4e5058;
  --input-placeholder: #5c5e66; --subtle-surface: #e6e6ea; --subtle-surface-text: #2f3035; }
.message-content { color: #313338 !important; }
.component-container .button-style-2 { color: #2f3035 !important; }
.mention { color: #4752c4 !important; background: rgba(88, 101, 242, .15) !important; }
"""

_STYLE = """(name, css) => {
    window.styles = window.styles || {};
    const sheet = window.styles[name] = window.styles[name] || new CSSStyleSheet();
    sheet.replaceSync(css);
    if (!document.adoptedStyleSheets.includes(sheet))
        document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}"""
"""Puts a style sheet in the place of the one with the same name."""

_BOXES = """(() => {
    const ready = window.simcordPreview && window.simcordPreview.ready;
    const images = [...document.querySelectorAll('img')];
    if (!ready || images.some((one) => !one.complete || !one.naturalWidth)) return null;
    return [...document.querySelectorAll('.component-container')].map((one) => {
        const { x, y, width, height } = one.getBoundingClientRect();
        return { x, y, width, height };
    });
})()"""


async def _styled(tell: Tell, name: str, css: str) -> None:
    await evaluate(tell, f"({_STYLE})({json.dumps(name)}, {json.dumps(css)})")


async def posted(stage: Stage, shown: Sequence[Scene], number: int) -> tuple[Any, Any]:
    """A channel in which the scenes stand as messages, and somebody who sees it."""
    guild = stage.env.create_guild(f"Gallery {number}")
    channel = guild.create_text_channel("gallery")
    viewer = guild.add_member(stage.env.create_user(f"viewer{number}"))
    await stage.env.settle()
    target: Any = stage.bot.get_channel(channel.id)
    for scene in shown:
        files = await scene.draw(stage.language) if scene.draw else {}
        board = render(scene.screen, stage.bot.catalogue, stage.language)
        await target.send(view=board.view, files=attached(files))
    return channel, viewer


@asynccontextmanager
async def laid_out(
    stage: Stage, tell: Tell, place: tuple[Any, Any], count: int, width: int
) -> AsyncIterator[list[dict[str, float]]]:
    """Open the channel in the browser, and give the box of each of its ``count`` messages in pixels."""
    locale = "en-US" if stage.language == "en" else stage.language
    assets = await emoji_assets(stage.bot)
    channel, viewer = place
    page = stage.env.preview(channel, viewers=[viewer], layout="channel", assets=assets, locale=locale)
    async with page as preview:
        await resize(tell, width, MOST_HEIGHT)
        await tell("Page.navigate", url=preview.url)
        yield await settled(tell, count)
        await tell("Page.navigate", url="about:blank")


async def settled(tell: Tell, count: int) -> list[dict[str, float]]:
    """Wait until a channel has been drawn, and return the box of each of its ``count`` messages in pixels."""
    seen = None
    async with asyncio.timeout(PATIENCE):
        while True:
            await asyncio.sleep(0.4)
            boxes: list[dict[str, float]] | None = await evaluate(tell, _BOXES)
            if boxes and len(boxes) == count and boxes == seen:
                return boxes
            if boxes and seen is None:
                await _styled(tell, "style", STYLE)
            seen = boxes


async def photographs(
    stage: Stage, tell: Tell, place: tuple[Any, Any], count: int, widths: Sequence[str], themes: Sequence[str]
) -> AsyncIterator[tuple[str, str, list[Image.Image]]]:
    """Yield each width and theme with a picture of each message of the channel."""
    async with laid_out(stage, tell, place, count, WIDTHS[widths[0]]) as boxes:
        for number, width in enumerate(widths):
            if number:
                await resize(tell, WIDTHS[width], MOST_HEIGHT)
                boxes = await settled(tell, count)
            for theme in themes:
                await _styled(tell, "theme", LIGHT if theme == "light" else "")
                yield width, theme, _cut(await screenshot(tell, _around(boxes, WIDTHS[width])), boxes)


def _around(boxes: Sequence[Mapping[str, float]], width: int) -> dict[str, float]:
    """Return the part of the window down to the last box; the rest is empty and takes long to draw."""
    return {"x": 0, "y": 0, "width": width, "height": max(box["y"] + box["height"] for box in boxes) + GAP}


def _cut(shot: bytes, boxes: Sequence[Mapping[str, float]]) -> list[Image.Image]:
    """Return the boxes of a picture as pictures of their own."""
    whole = Image.open(io.BytesIO(shot)).convert("RGB")
    pad = 4
    return [
        whole.crop(
            (
                int(box["x"]) - pad,
                int(box["y"]) - pad,
                int(box["x"] + box["width"]) + pad,
                int(box["y"] + box["height"]) + pad,
            )
        )
        for box in boxes
    ]


def sheets(shots: Mapping[str, Sequence[Image.Image]], theme: str) -> list[Image.Image]:
    """The pictures of each scene side by side, as many scenes on a sheet as fit."""
    font = ImageFont.truetype(str(FONT), 16)
    background, ink = ("#1a1b1e", "#ffffff") if theme == "dark" else ("#d8d8dc", "#000000")
    found: list[Image.Image] = []
    rows: list[tuple[str, Sequence[Image.Image]]] = []

    def height(row: tuple[str, Sequence[Image.Image]]) -> int:
        return max(one.height for one in row[1]) + 24 + GAP

    def lay() -> None:
        width = max(sum(one.width + GAP for one in row) for _, row in rows)
        sheet = Image.new("RGB", (width, sum(map(height, rows))), background)
        pen, top = ImageDraw.Draw(sheet), 0
        for name, row in rows:
            pen.text((4, top + 2), name, ink, font)
            left = 0
            for one in row:
                sheet.paste(one, (left, top + 24))
                left += one.width + GAP
            top += height((name, row))
        found.append(sheet)
        rows.clear()

    for row in shots.items():
        if rows and sum(map(height, rows)) + height(row) > SHEET_HEIGHT:
            lay()
        rows.append(row)
    if rows:
        lay()
    return found


async def main(arguments: list[str] | None = None) -> None:
    languages = list(Catalogue({}).languages)
    parser = argparse.ArgumentParser(prog="python -m tools.gallery_shots", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the sheets are put")
    parser.add_argument("--languages", nargs="+", choices=languages, default=languages)
    parser.add_argument("--widths", nargs="+", choices=WIDTHS, default=list(WIDTHS))
    parser.add_argument("--themes", nargs="+", choices=("dark", "light"), default=["dark", "light"])
    parser.add_argument("--topics", nargs="+", help="only these kinds of screens, all if none is named")
    given = parser.parse_args(arguments)
    given.folder.mkdir(parents=True, exist_ok=True)
    found = await scenes(Catalogue(TEXT_ICONS))
    topics = list(dict.fromkeys(one.topic for one in found))
    if unknown := set(given.topics or ()) - set(topics):
        parser.error(f"there are no screens of {', '.join(sorted(unknown))}; there are {', '.join(topics)}")
    if given.topics:
        topics = [topic for topic in topics if topic in given.topics]
    shots: dict[tuple[str, str, str], dict[str, list[Image.Image]]] = {}
    async with one_tab() as tell:
        for language in given.languages:
            with tempfile.TemporaryDirectory() as folder:
                async with staged(Path(folder), language) as stage:
                    number = 0
                    for topic in topics:
                        of_topic = [one for one in found if one.topic == topic]
                        for start in range(0, len(of_topic), SCENES_A_PAGE):
                            shown = of_topic[start : start + SCENES_A_PAGE]
                            number += 1
                            place = await posted(stage, shown, number)
                            taken = photographs(stage, tell, place, len(shown), given.widths, given.themes)
                            async for width, theme, pictures in taken:
                                rows = shots.setdefault((topic, width, theme), {})
                                for scene, picture in zip(shown, pictures, strict=True):
                                    rows.setdefault(scene.name, []).append(picture)
                    print(f"{language}: {number} pages", file=sys.stderr)
    for (topic, width, theme), rows in shots.items():
        for number, sheet in enumerate(sheets(rows, theme), start=1):
            sheet.save(given.folder / f"{topic}-{width}-{theme}-{number}.png")


if __name__ == "__main__":
    asyncio.run(main())
