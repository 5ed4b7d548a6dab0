"""A gateway that refuses, ends every session at once, or says nothing: the real bot over a real socket."""

from __future__ import annotations

import itertools
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from bot.discordpy.session_starts import RESERVE
from tests.support.discord_server.process import BotProcess
from tests.support.discord_server.world import World, done_once, world_at_rest
from tests.support.scraping import free_port, healthy

ENDED = r"WARNING.*Discord has ended %d new sessions? of shard 0 in a row; the next begins in"


@pytest_asyncio.fixture
async def own(tmp_path: Path) -> AsyncIterator[World]:
    """A world whose bot is not running yet, and whose gateway wants a heartbeat each second."""
    async with world_at_rest(tmp_path, heartbeat=1.0) as world:
        yield world
    assert world.bot.errors() == []


async def ended(world: World, code: int, pattern: str, within: float = 20.0) -> None:
    """Wait until the bot ends with ``code``, and its last line says why."""
    assert await world.bot.wait_exit(within) == code, world.bot.output()
    assert re.search(pattern, world.bot.output().splitlines()[-1]), world.bot.output()
    assert "Traceback" not in world.bot.output()


@pytest.mark.slow
async def test_sessions_that_end_at_once_are_begun_more_and_more_seldom(own: World) -> None:
    gateway = own.server.gateway
    gateway.invalid_identifies = 3
    await own.bot.start(60.0)
    times = [note.at for note in gateway.log if note.what == "identify"]
    waits = [later - earlier for earlier, later in itertools.pairwise(times)]
    assert len(waits) == 3
    assert min(waits) >= 4.9
    assert waits[2] >= waits[1] + 2
    for number in (1, 2):
        assert re.search(ENDED % number, own.bot.output())
    assert await own.bot.terminate() == 0


async def test_the_sessions_of_a_day_are_not_used_up(own: World) -> None:
    own.server.gateway.starts_left = RESERVE + 2
    own.server.gateway.invalid_identifies = 1000
    await own.bot.launch()
    await ended(own, 3, rf"allows {RESERVE} of 1000 more sessions.*1\.0 h.*start it later", 60.0)
    assert own.server.gateway.starts_left == RESERVE


@pytest.mark.parametrize(
    ("code", "pattern"),
    [(4011, "Raise SHARD_COUNT"), (4014, "intents.*https://discord.com/developers")],
)
async def test_a_close_code_that_means_no(own: World, code: int, pattern: str) -> None:
    own.server.gateway.refuse_with = code
    await own.bot.launch()
    await ended(own, 3, f"Discord (refuses|does not know).*{pattern}")
    assert own.server.gateway.identifies == 1


async def test_the_token_is_reset_while_the_bot_runs(own: World) -> None:
    async with own.bot:
        own.server.token = "another"
        await own.server.gateway.drop(4000)
        await ended(own, 3, "refuses the token")
        own.server.token = own.bot.env["DISCORD_TOKEN"]


@pytest.mark.slow
@pytest.mark.parametrize("on", ["connect", "resume"])
async def test_a_gateway_that_hangs_up_at_once_is_not_hammered(own: World, on: str) -> None:
    gateway = own.server.gateway
    async with own.bot:
        gateway.hanging_up = on
        before = len(gateway.log)
        await gateway.drop(4000)
        await own.server.until(lambda: sum(n.what == "connect" for n in gateway.log[before:]) >= 3, 15.0)
        times = [note.at for note in gateway.log[before:] if note.what == "connect"]
        assert times[2] - times[0] >= 5.5
        gateway.hanging_up = None
        await own.server.until(lambda: gateway.connected, 15.0)


async def test_a_connection_that_died_without_a_word_shows_at_once(own: World) -> None:
    port = free_port()
    env = {**own.bot.env, "METRICS_PORT": str(port)}
    own.bot = BotProcess(own.server, env=env, log=own.bot.log)
    async with own.bot:
        assert await healthy(port, 200) == "ok\n"
        own.server.gateway.freeze()
        assert re.fullmatch(
            r"degraded: Discord has answered no heartbeat of shard 0 for [6-8] s\n", await healthy(port, 503)
        )


async def test_events_that_the_library_can_not_read_are_left_out(tmp_path: Path) -> None:
    """Each is logged, and a game goes on; the library alone would end the bot with the first of them."""
    async with world_at_rest(tmp_path) as world, world.bot:
        script = await world.going()
        guild: dict[str, object] = {"guild_id": str(world.guild.id)}
        unreadable: dict[str, dict[str, object]] = {
            "INTERACTION_CREATE": {**guild, "id": "1", "type": 3, "token": "x"},
            "CHANNEL_CREATE": {**guild, "id": "1", "type": 0},
            "THREAD_CREATE": {**guild, "id": "1", "parent_id": "2"},
        }
        for event, payload in unreadable.items():
            world.server.gateway.emit(event, payload)
        await done_once(world, script)
        assert await world.bot.terminate() == 0
    logged = re.findall(r"ERROR .*Event (\w+) could not be read", world.bot.output())
    assert logged == list(unreadable)
