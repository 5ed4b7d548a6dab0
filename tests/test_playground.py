"""The playground as a process: it opens, keeps its games, and doesn't touch those of the bot."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import re
import signal
import sqlite3
import statistics
import sys
import time
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path

import aiohttp
import pytest

from benchmarks.playground import Page, next_click
from bot import playground
from bot.discordpy.preview.places import DIRECT_MESSAGES
from bot.services.pacing import STEP_SECONDS
from bot.settings import NAMES, Settings
from bot.store.base import LOBBY
from bot.store.sql.access import SqlAccess
from tests.support.databases import store_on
from tests.support.rows import a_game
from tools.browser import MISSING, Tell, browser, evaluate, installed, new_tab, resize, wait_for

ROOT = Path(__file__).parents[1]
OPENS_WITHIN = 30.0
GAME_SECONDS = 100.0


@pytest.fixture
def idle_seconds() -> float:
    return OPENS_WITHIN + 5.0


def test_it_has_a_database_of_its_own_and_serves_all() -> None:
    given = Settings(
        database=Path("somewhere/games.db"),
        postgres="postgresql://host/name",
        guild_ids=(1,),
        shard_count=4,
        shard_ids=(2,),
    )
    apart = playground.apart(given)
    assert (apart.database, apart.postgres) == (Path("somewhere/playground.db"), "")
    assert (apart.guild_ids, apart.shard_count, apart.serves_all) == ((), 1, True)


def begun(folder: Path, port: int, *options: str) -> Awaitable[asyncio.subprocess.Process]:
    """A playground that is just starting in this folder."""
    return asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "playground", "--port", str(port), *options),
        cwd=folder,
        env={**{k: v for k, v in os.environ.items() if k not in NAMES}, "PYTHONPATH": str(ROOT)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


@contextlib.asynccontextmanager
async def running(folder: Path, port: int, *options: str) -> AsyncIterator[str]:
    """A playground that is stopped at the end and must not have complained; its address."""
    process = await begun(folder, port, *options)
    try:
        assert process.stdout is not None
        line = (await asyncio.wait_for(process.stdout.readline(), OPENS_WITHIN)).decode()
        assert line.startswith("The playground is open: http://127.0.0.1:")
        yield line.split()[-1]
        process.send_signal(signal.SIGINT)
        _, said = await asyncio.wait_for(process.communicate(), OPENS_WITHIN)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    assert process.returncode == 0, said.decode()
    assert not [one for one in ("WARNING", "ERROR", "Traceback") if one in said.decode()], said.decode()


async def refused(folder: Path, port: int) -> str:
    """What a playground says that can't be opened: one line."""
    process = await begun(folder, port)
    out, said = await asyncio.wait_for(process.communicate(), OPENS_WITHIN)
    assert (process.returncode, out) == (2, b"")
    (line,) = said.decode().splitlines()
    return line


async def test_it_says_what_to_do_first_and_answers_clicks_at_once(
    tmp_path: Path, unused_tcp_port: int
) -> None:
    later = ("--at", "2031-01-01T12:00")
    async with running(tmp_path, unused_tcp_port, *later) as url, Page.open(url) as page:
        assert "Press a button below" in page.text()
        await page.click("Play Tutto")
        assert "At the table" in page.text()
        clicks = ("＋ Casual", "Remove AI", "＋ Casual", "Start the game")
        waited = [await page.click(label) for label in clicks]
        assert "Turn a card and roll" in page.buttons()
        # What the bot puts off must not hold up the page; a busy machine may hold up some of the clicks.
        assert min(waited) < SqlAccess.lazy_seconds
    async with running(tmp_path, unused_tcp_port, *later) as same, Page.open(same) as page:
        assert same == url
        # The table is back, below the welcome.
        assert "Turn a card and roll" in page.buttons()
        await page.command("tutto", "show")
        assert "Turn a card and roll" in page.buttons()
        # While the table shows step by step what the AI played, a click on an earlier step's button counts.
        while "Skip to result" not in page.buttons():
            await page.click(next_click(page.buttons()) or "")
        await asyncio.sleep(1.5 * STEP_SECONDS)
        refused = page.refused
        await page.click("Turn a card and roll")
        assert page.refused == refused


async def test_it_says_what_to_do_in_the_language_of_the_page(tmp_path: Path, unused_tcp_port: int) -> None:
    async with running(tmp_path, unused_tcp_port, "--language", "de") as url, Page.open(url) as page:
        async with aiohttp.ClientSession() as client, client.get(url) as response:
            html = await response.text()
        assert re.search(r'Du bist\n\s*<select[^>]*aria-label="Du bist"', html)
        steps = page.text()
        await page.click("Tutto spielen")
        labels = ("＋ Amateur", "Mitspielen", "Spiel starten")
        assert [label for label in labels if f"**{label}**" not in steps] == []
        await page.click("＋ Amateur")
        assert [label for label in labels if label not in page.buttons()] == []


async def test_each_tab_is_in_a_place_of_its_own(tmp_path: Path, unused_tcp_port: int) -> None:
    async with running(tmp_path, unused_tcp_port) as url, Page.open(url) as anna, Page.open(url) as ben:
        await ben.go(playground.CHANNEL, ben.state["viewers"][1]["id"])
        await anna.go(playground.SECOND_CHANNEL)
        await anna.command("tutto", "start")
        await ben.read()
        rows = ben.places()
        assert [name for name, row in rows.items() if row["unread"]] == [playground.SECOND_CHANNEL]
        assert [name for name, row in rows.items() if row["here"]] == [playground.CHANNEL]
        assert "Press a button below" in ben.text()
        await ben.go(playground.SECOND_CHANNEL)
        await ben.click("Join")
        await anna.read()
        assert "Ben" in anna.text()
        assert not any(row["unread"] for row in ben.places().values())
        # Of two pages that are the same each has its own buttons.
        for _ in range(2):
            await ben.command("notifications")
        await ben.click("Change")
        assert (ben.state["modal"] is not None, ben.refused) == (True, 0)
        # Direct messages take no commands.
        await ben.go(DIRECT_MESSAGES)
        assert ben.state["channelId"] != anna.state["channelId"]
        assert not ben.state["channel"]["canUseApplicationCommands"] or not ben.state["commands"]["count"]


async def test_it_says_in_one_line_why_it_can_not_be_opened(tmp_path: Path, unused_tcp_port: int) -> None:
    async with running(tmp_path, unused_tcp_port):
        (elsewhere := tmp_path / "elsewhere").mkdir()
        line = await refused(elsewhere, unused_tcp_port)
        assert line.startswith(f"The playground can't be opened: port {unused_tcp_port} can't be used")
        assert line.endswith(f"{sys.executable} -m bot playground --port NUMBER")
        assert not (elsewhere / "data" / playground.DATABASE).exists()
        assert "one is open already on data/playground.db" in await refused(tmp_path, unused_tcp_port)


PHONE = (390, 844)
MESSAGES = "[...document.querySelectorAll('.channel-message')]"
TABLE = f"({MESSAGES}.filter((one) => one.querySelector('.component-button')).pop() ?? document)"
"""The newest message with buttons."""
BUTTONS = f"[...{TABLE}.querySelectorAll('.component-button:not([disabled])')]"
"""Those of them that can be pressed."""

SHOWN = f"JSON.stringify({MESSAGES}.map((one) => one.innerHTML))"
PICTURES_LOADED = "[...document.querySelectorAll('.channel-message img')].every((one) => one.naturalWidth)"
BROKEN = "document.querySelector('[class$=-unavailable]')?.outerHTML"
TOO_WIDE = "document.documentElement.scrollWidth - innerWidth"
UNREACHED = "document.querySelector('#unreached')?.hidden === false"
AT_BOTTOM = (
    "((one) => one.scrollTop + one.clientHeight >= one.scrollHeight - 1)"
    "(document.querySelector('.channel-timeline'))"
)
CLICK_SECONDS = 0.3
"""How long half of all clicks may take at most."""


class Person:
    """Somebody who plays in a tab of their own, and looks at it after each click."""

    def __init__(self, name: str, tab: Tell) -> None:
        self.name = name
        self.waited: list[float] = []
        self._tab = tab

    async def open(self, url: str) -> None:
        await resize(self._tab, *PHONE)
        await self._tab("Page.navigate", url=url)
        await wait_for(self._tab, BUTTONS + ".length")
        assert await evaluate(self._tab, "document.title") == playground.TITLE
        await self._look()
        if self.name != playground.PEOPLE[0]:
            who = "document.querySelector('#viewer-picker')"
            chosen = f"[...{who}.options].find((one) => one.text.includes('{self.name}'))"
            change = f"{who}.value = {chosen}.value, {who}.dispatchEvent(new Event('change'))"
            await evaluate(self._tab, f"({MESSAGES}[0].id = 'before', {change})")
            await wait_for(self._tab, f"!document.querySelector('#before') && {BUTTONS}.length")
            await self._look()

    async def go(self, place: str) -> None:
        """Go to a place, and load the page again, which then shows it still."""
        row = f"[...document.querySelectorAll('.place')].find((one) => one.innerText.includes('{place}'))"
        is_there = f"document.querySelector('#channel-name')?.innerText === '{place}'"
        is_self = f"document.querySelector('#viewer-picker').selectedOptions[0]?.text.includes('{self.name}')"
        await evaluate(self._tab, f"{row}.click()")
        await wait_for(self._tab, is_there)
        await evaluate(self._tab, "(window.before = true)")
        await self._tab("Page.reload")
        await wait_for(self._tab, f"!window.before && {is_there} && {is_self}")

    async def labels(self) -> list[str]:
        """What can be pressed, or nothing if it is somebody else's turn."""
        text, labels = await evaluate(
            self._tab, f"[{TABLE}.innerText ?? '', {BUTTONS}.map((one) => one.innerText.trim())]"
        )
        if f"Next: {self.name}" in text:  # While it is shown how somebody else's turn ended.
            return [one for one in labels if one.startswith("Turn a card")]
        return list(labels) if f"{self.name}, it’s your turn" in text or "Rematch" in labels else []

    async def find_and_press(self, label: str) -> None:
        """Wait for a button, and press it."""
        await wait_for(self._tab, f"{BUTTONS}.some((one) => one.innerText.trim() === {json.dumps(label)})")
        await self.press(label)

    async def press(self, label: str) -> None:
        """Press a button, unless it has just gone, and wait until the page shows something else."""
        button = f"{BUTTONS}.find((one) => one.innerText.trim() === {json.dumps(label)})"
        start = time.perf_counter()
        before, pressed = await evaluate(
            self._tab, f"((shown, button) => [shown, button?.click() !== button])({SHOWN}, {button})"
        )
        if pressed:
            await wait_for(self._tab, f"{SHOWN} !== {json.dumps(before)}")
            self.waited.append(time.perf_counter() - start)
            await self._look()

    async def _look(self) -> None:
        await wait_for(self._tab, f"{PICTURES_LOADED} && {AT_BOTTOM}")
        assert await evaluate(self._tab, BROKEN) is None
        assert await evaluate(self._tab, TOO_WIDE) <= 0


@pytest.mark.slow
@pytest.mark.skipif(installed() is None, reason=MISSING)
async def test_two_people_play_a_game_in_two_tabs_of_a_phone(tmp_path: Path, unused_tcp_port: int) -> None:
    complaints: list[str] = []
    async with (
        running(tmp_path, unused_tcp_port) as url,
        browser() as host,
        new_tab(host, complaints) as first,
        new_tab(host, complaints) as second,
    ):
        anna, ben = Person("Anna", first), Person("Ben", second)
        await anna.open(url)
        await ben.open(url)
        await ben.go(playground.SECOND_CHANNEL)
        await anna.find_and_press("Play Tutto")
        await ben.go(playground.CHANNEL)
        await ben.find_and_press("Join")
        await anna.find_and_press("Start the game")
        async with asyncio.timeout(GAME_SECONDS):
            for person in itertools.cycle((anna, ben)):
                if "Rematch" in (labels := await person.labels()):
                    break
                if (label := next_click(labels)) is not None:
                    await person.press(label)
    assert complaints == []
    assert statistics.median(anna.waited + ben.waited) < CLICK_SECONDS


@pytest.mark.slow
@pytest.mark.skipif(installed() is None, reason=MISSING)
async def test_an_open_tab_goes_on_when_the_playground_is_started_again(
    tmp_path: Path, unused_tcp_port: int
) -> None:
    async with browser() as host, new_tab(host) as tab:
        ben = Person("Ben", tab)
        async with running(tmp_path, unused_tcp_port) as url:
            await ben.open(url)
            await ben.find_and_press("Play Tutto")
            assert not await evaluate(tab, UNREACHED)
        await wait_for(tab, UNREACHED)
        async with running(tmp_path, unused_tcp_port):
            await wait_for(tab, f"!({UNREACHED}) && {TABLE}.innerText?.includes('Ben')")
            await ben.find_and_press("Close the table")


async def test_games_of_the_bot_go_on(tmp_path: Path, unused_tcp_port: int) -> None:
    """Its world has none of their channels, so a bot in it would close them."""
    database = tmp_path / "data" / "games.db"
    async with store_on(database) as store:
        await store.create(a_game(100), None)
    async with (
        running(tmp_path, unused_tcp_port) as url,
        aiohttp.ClientSession() as session,
        session.get(url) as answer,
    ):
        assert answer.status == 200
    assert (tmp_path / "data" / playground.DATABASE).is_file()
    with contextlib.closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT status FROM games").fetchall() == [(LOBBY,)]
