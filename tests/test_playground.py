"""The playground as a process: it opens, keeps its games, and doesn't touch those of the bot."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path

import aiohttp
import pytest

from benchmarks.playground import Page
from bot import playground
from bot.settings import Settings
from bot.store.base import LOBBY
from bot.store.sqlite.store import SqliteStore
from bot.store.sqlite.writer import LAZY_SECONDS
from tests.support.rows import a_game
from tests.test_settings import known

ROOT = Path(__file__).parents[1]
OPENS_WITHIN = 30.0


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


def begun(folder: Path, port: int) -> Awaitable[asyncio.subprocess.Process]:
    """A playground that is just starting in this folder."""
    return asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "playground", "--port", str(port)),
        cwd=folder,
        env={**{k: v for k, v in os.environ.items() if k not in known()}, "PYTHONPATH": str(ROOT)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


@contextlib.asynccontextmanager
async def running(folder: Path, port: int) -> AsyncIterator[str]:
    """A playground that is stopped at the end and must not have complained; its address."""
    process = await begun(folder, port)
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
    async with running(tmp_path, unused_tcp_port) as url, Page.open(url) as page:
        assert "Press a button below" in page.text()
        await page.click("Play Tutto")
        assert "At the table" in page.text()
        clicks = ("Turn limit", "Odds", "＋ Casual", "Start the game")
        waited = [await page.click(label) for label in clicks]
        assert "Turn a card and roll" in page.buttons()
        # What the bot puts off must not hold up the page; a busy machine may hold up some of the clicks.
        assert min(waited) < LAZY_SECONDS
    async with running(tmp_path, unused_tcp_port) as url, Page.open(url) as page:
        # The table is back, below the welcome.
        assert "Turn a card and roll" in page.buttons()
        await page.command("tutto", "show")
        assert "Turn a card and roll" in page.buttons()


async def test_it_says_in_one_line_why_it_can_not_be_opened(tmp_path: Path, unused_tcp_port: int) -> None:
    async with running(tmp_path, unused_tcp_port):
        (elsewhere := tmp_path / "elsewhere").mkdir()
        line = await refused(elsewhere, unused_tcp_port)
        assert line.startswith(f"The playground can't be opened: port {unused_tcp_port} can't be used")
        assert not (elsewhere / "data" / playground.DATABASE).exists()
        assert "one is open already on data/playground.db" in await refused(tmp_path, unused_tcp_port)


async def test_games_of_the_bot_go_on(tmp_path: Path, unused_tcp_port: int) -> None:
    """Its world has none of their channels, so a bot in it would close them."""
    database = tmp_path / "data" / "games.db"
    store = await SqliteStore.open(database)
    try:
        await store.create(a_game(100), None)
    finally:
        await store.close()
    async with (
        running(tmp_path, unused_tcp_port) as url,
        aiohttp.ClientSession() as session,
        session.get(url) as answer,
    ):
        assert answer.status == 200
    assert (tmp_path / "data" / playground.DATABASE).is_file()
    with contextlib.closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT status FROM games").fetchall() == [(LOBBY,)]
