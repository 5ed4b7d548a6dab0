"""The playground as a process: it opens, keeps its games, and leaves those of the bot alone."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sqlite3
import sys
from pathlib import Path

import aiohttp

from bot import playground
from bot.settings import Settings
from bot.store.base import LOBBY
from bot.store.sqlite import SqliteStore
from tests.rows import a_game
from tests.test_settings import known

ROOT = Path(__file__).parents[1]
OPENS_WITHIN = 30.0


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


async def test_games_of_the_bot_go_on(tmp_path: Path, unused_tcp_port: int) -> None:
    """Its world has none of their channels, so a bot in it would close them."""
    database = tmp_path / "data" / "games.db"
    store = await SqliteStore.open(database)
    try:
        await store.create(a_game(100), None)
    finally:
        await store.close()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "playground", "--port", str(unused_tcp_port)),
        cwd=tmp_path,
        env={**{k: v for k, v in os.environ.items() if k not in known()}, "PYTHONPATH": str(ROOT)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        line = (await asyncio.wait_for(process.stdout.readline(), OPENS_WITHIN)).decode()
        assert line.startswith("The playground is open: http://127.0.0.1:")
        async with aiohttp.ClientSession() as session, session.get(line.split()[-1]) as answer:
            assert answer.status == 200
        process.send_signal(signal.SIGINT)
        _, said = await asyncio.wait_for(process.communicate(), OPENS_WITHIN)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    assert process.returncode == 0, said.decode()
    assert not [one for one in ("WARNING", "ERROR", "Traceback") if one in said.decode()], said.decode()
    assert (tmp_path / "data" / playground.DATABASE).is_file()
    with contextlib.closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT status FROM games").fetchall() == [(LOBBY,)]
