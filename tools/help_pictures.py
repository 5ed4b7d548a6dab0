"""Take the pictures of the help pages: ``python -m tools.help_pictures``.

Real tables: the bot plays three scenes in a world of its own, in every language there is, and a browser
(Chromium or Chrome, found on the PATH) shows them. The seeds are fixed, so the same dice fall every time.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import re
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch

import simcord
from PIL import Image
from simcord import Env, ResponseMessage
from simcord.backend import serializers
from simcord.components import walk_components

from bot.client import DiceBot
from bot.games.tutto.rules import stop_value
from bot.games.tutto.state import Phase
from bot.i18n.catalogue import Catalogue
from bot.playground import emoji_assets
from bot.registry import find
from bot.screens.button_ids import ADD_AI
from bot.screens.help import PAGES, picture_of
from bot.screens.result import SCORE_CHART
from bot.sessions import lobby as lobby_requests
from bot.sessions import turns
from bot.settings import Settings
from bot.store.base import LIVE
from bot.store.sqlite.store import SqliteStore
from tools.browser import PATIENCE, Tell, evaluate, one_tab, resize, screenshot
from tools.draw import digest

FOLDER = Path(__file__).parents[1] / "assets" / "help"
WIDTH, HEIGHT, SCALE = 560, 1600, 2
"""The window; narrow, so that the letters are still readable when a phone shows the picture."""

COLOURS = 128
MAX_BYTES = 150 * 1024

TABLE_SEED = bytes.fromhex("e9b933844b9f8470a7370146e0e253f3e00dddd262ee0659314ddb8409e38a16")
END_SEED = bytes.fromhex("33c054faad92cb053d9f2310f8718e456b85aaf77da8a652c0ab37bcd63edff4")
"""Bonus 500 and a triplet, a 1, a 5, a dud in the third turn; a race of eight rounds, with two Tuttos."""

T = TypeVar("T")


class Stage:
    """The bot, and Anna, Ben and Chiara before a table."""

    def __init__(self, folder: Path, language: str) -> None:
        self.language = language
        settings = Settings(database=folder / "games.db", shard_count=1, step_by_step=False)
        # The world waits after each click for all that the bot does, so nothing may be put off.
        SqliteStore.lazy_seconds = 0.0
        self.bot = DiceBot(settings, always_sync=True)
        # No longer: timers of the bot that are due within the limit would be waited for after each click.
        self.env = Env(self.bot, check_errors=False, settle_timeout=5.0)
        self.env.backend.edit_bot_profile("Dice")
        guild = self.env.create_guild("Help")
        self.channel = guild.create_text_channel("dice-games")
        names = ("Anna", "Ben", "Chiara")
        self.people = {n: guild.add_member(self.env.create_user(n.lower(), global_name=n)) for n in names}

    def table(self) -> dict[str, Any]:
        """The newest message with buttons."""
        backend = self.env.backend
        stored = sorted(backend.messages[self.channel.id].items(), reverse=True)
        payloads = (dict(serializers.message_payload(backend, message)) for _, message in stored)
        return next(one for one in payloads if self.tokens(one))

    def tokens(self, message: dict[str, Any] | None = None) -> dict[str, str]:
        """What the buttons that can be pressed mean, with their ids."""
        components = (message or self.table()).get("components") or []
        ids = [
            c["custom_id"] for c in walk_components(components) if "custom_id" in c and not c.get("disabled")
        ]
        return {one.split(":", 3)[3]: one for one in ids}

    async def press(self, name: str, token: str) -> None:
        """Press a button, or choose the first line of a menu."""
        message, person = self.table(), self.people[name]
        stored = self.env.backend.get_message(int(message["channel_id"]), int(message["id"]))
        shown, which = ResponseMessage(self.env, stored), self.tokens(message)[token]
        if token.startswith(ADD_AI):
            await person.select(shown, [which], custom_id=which)
        else:
            await person.click(shown, custom_id=which)

    async def open(self, seats: int, seed: bytes, **options: Any) -> None:
        self.bot.sessions.new_secret = lambda: seed
        host, *others = list(self.people)[:seats]
        await self.people[host].slash(self.channel, "tutto start", **options)
        for name in others:
            await self.press(name, "l.join")

    async def play(self, until: Callable[[Any], bool]) -> None:
        """Play, each time to at least 350 points, until the state is as wished or the game is over."""
        while True:
            row = await self.bot.store.latest_game(self.channel.id)
            assert row is not None
            if row.status != LIVE:
                return
            state = row.state
            if until(state):
                return
            tokens = self.tokens()
            keep = next((token for token in tokens if token[0] in "kn" and len(token) == 3), "")
            enough = state.phase is Phase.TUTTO or (stop_value(state) or 0) >= 350
            token = "t" if state.phase is Phase.START else "s" if enough else keep
            await self.press(row.seats[find(row.game).rules.to_move(state)].name, token)


async def lobby(stage: Stage) -> None:
    await stage.open(2, TABLE_SEED)
    await stage.press("Anna", next(token for token in stage.tokens() if token.startswith(ADD_AI)))


async def turn(stage: Stage) -> None:
    await stage.open(2, TABLE_SEED)
    await stage.press("Anna", "l.start")
    await stage.play(lambda state: state.finished == 2 and state.phase is Phase.CHOOSE)


async def end(stage: Stage) -> None:
    await stage.open(3, END_SEED, target=2500)
    await stage.press("Anna", "l.start")
    await stage.play(lambda state: False)
    async with asyncio.timeout(PATIENCE):
        # The picture of the race comes after the result.
        while not any(file["filename"] == SCORE_CHART for file in stage.table()["attachments"]):  # noqa: ASYNC110
            await asyncio.sleep(0.1)


SCENES = dict(zip(PAGES, (lobby, turn, end), strict=True))


@asynccontextmanager
async def staged(folder: Path, language: str) -> AsyncIterator[Stage]:
    """A stage where everybody speaks ``language``."""
    stage = Stage(folder, language)
    original = simcord.interactions.base_payload
    seeds = ExitStack()
    for module in (turns, lobby_requests):
        # The id of the message goes into the dice, and each new command shifts the ids of this world.
        seeds.enter_context(patch.object(module, "seed_of", lambda secret, start: secret))

    def base_payload(*args: Any, **kwargs: Any) -> Any:
        record, payload = original(*args, **kwargs)
        payload["locale"] = payload["guild_locale"] = language
        return record, payload

    simcord.interactions.base_payload = base_payload
    try:
        await stage.env.start()
        yield stage
    finally:
        seeds.close()
        simcord.interactions.base_payload = original
        await stage.env.shutdown()
        await stage.bot.close()


_BOX = """(() => {
    const ready = window.simcordPreview && window.simcordPreview.ready;
    const images = [...document.querySelectorAll('img')];
    const messages = [...document.querySelectorAll('.channel-message')];
    messages.slice(0, -1).forEach((one) => { one.style.display = 'none'; });
    const box = [...document.querySelectorAll('.component-container')].pop();
    if (!ready || !box || images.some((one) => !one.complete || !one.naturalWidth)) return null;
    const { x, y, width, bottom } = box.getBoundingClientRect();
    // What stands below a picture in a table is small print.
    const picture = [...box.querySelectorAll('img:not(.custom-emoji)')].pop();
    const end = picture ? picture.getBoundingClientRect().bottom : bottom;
    return { x, y, width, height: end - y };
})()"""


async def photograph(stage: Stage, tell: Tell) -> bytes:
    """The newest table of the channel, as PNG."""
    viewers = [stage.people["Anna"]]
    assets = await emoji_assets(stage.bot)
    locale = "en-US" if stage.language == "en" else stage.language
    page = stage.env.preview(stage.channel, viewers=viewers, layout="channel", assets=assets, locale=locale)
    async with page as preview:
        await resize(tell, WIDTH, HEIGHT, SCALE)
        await tell("Page.navigate", url=preview.url)
        seen = None
        async with asyncio.timeout(PATIENCE):
            while True:
                await asyncio.sleep(0.5)
                box = await evaluate(tell, _BOX)
                if box and box == seen:
                    break
                seen = box
        around = {
            "x": box["x"] - 8,
            "y": box["y"] - 8,
            "width": box["width"] + 16,
            "height": box["height"] + 16,
        }
        shot = await screenshot(tell, around)
        await tell("Page.navigate", url="about:blank")
    return _small(shot)


def _small(data: bytes) -> bytes:
    picture = Image.open(io.BytesIO(data)).convert("RGB")
    file = io.BytesIO()
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    small = file.getvalue()
    if len(small) > MAX_BYTES:
        raise ValueError(f"the picture takes {len(small)} bytes, allowed are {MAX_BYTES}")
    return small


_CHANGING = re.compile(r"<t:\d+|(?<=:)\d{15,}(?=>)")


def shown(stage: Stage) -> str:
    """A digest of what the newest table says, without what differs from one time to the next."""
    parts = [
        component.get("content")
        or component.get("label")
        or component.get("placeholder")
        or (component.get("emoji") or {}).get("name")
        or ""
        for component in walk_components(stage.table()["components"])
    ]
    return digest(_CHANGING.sub("", "\n".join(parts)))


async def play(language: str, page: str, then: Callable[[Stage], Awaitable[T]]) -> T:
    """Play the scene of a page, and do something with the table it leads to."""
    with tempfile.TemporaryDirectory() as folder:
        async with staged(Path(folder), language) as stage:
            await SCENES[page](stage)
            return await then(stage)


async def main(arguments: list[str] | None = None) -> None:
    known = Catalogue({}).languages
    parser = argparse.ArgumentParser(prog="python -m tools.help_pictures", description=__doc__)
    parser.add_argument(
        "languages", nargs="*", metavar="LANGUAGE", help=f"all if none is given: {', '.join(known)}"
    )
    languages = parser.parse_args(arguments).languages or known
    if unknown := [one for one in languages if one not in known]:
        parser.error(f"there are no texts in {', '.join(unknown)}")
    noted = FOLDER / "manifest.json"
    manifest = json.loads(noted.read_text(encoding="utf-8")) if noted.exists() else {}
    async with one_tab() as tell:

        async def both(stage: Stage) -> tuple[str, bytes]:
            return shown(stage), await photograph(stage, tell)

        for language in languages:
            (FOLDER / language).mkdir(parents=True, exist_ok=True)
            manifest[language] = {}
            for page in SCENES:
                manifest[language][page], data = await play(language, page, both)
                path = FOLDER / language / picture_of(page)
                path.write_bytes(data)
                print(f"{path.relative_to(FOLDER)}: {len(data)} bytes", file=sys.stderr)
    noted.write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(main())
