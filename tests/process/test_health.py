"""The real bot from the operator's side: health, metrics, log, and how seldom it registers commands."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

from bot.client import DiceBot
from bot.settings import Settings
from tests.support.discord_server.crash import CALLBACK, MESSAGE, POST
from tests.support.discord_server.process import ROOT, BotProcess
from tests.support.discord_server.server import DiscordServer
from tests.support.discord_server.world import PREPARING, PUT_COMMANDS, World, done_once
from tests.support.scraping import free_port, get, healthy, value
from tests.support.values import not_none

# Made up, in the form Discord gives them.
TOKEN = "MTIzNDU2Nzg5MDEyMzQ1Njc4.GhIjKl.abcdefghijklmnopqrstuvwxyz0123456789AB"

THOUGHT = "dicebot_thinking_seconds_count"
SECRET = "aW50ZXJhY3Rpb246c29tZXRoaW5n"
SECRET_PATH = f"/interactions/123/{SECRET}/callback"


async def probe(port: int) -> tuple[int | None, str]:
    """The output of a container's health check."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "healthcheck"),
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, "METRICS_PORT": str(port), "METRICS_HOST": "0.0.0.0"},
    )
    out, _ = await process.communicate()
    return process.returncode, out.decode().strip()


def texts(message: Any) -> list[str]:
    """The texts of a message."""
    found = []
    if isinstance(message, dict):
        found += [message["content"]] if message.get("content") else []
        found += [message["label"]] if message.get("label") else []
        for part in message.values():
            found += texts(part)
    elif isinstance(message, list):
        for part in message:
            found += texts(part)
    return found


async def test_seen_from_outside(tmp_path: Path) -> None:
    """Whole games with every kind of trouble: the figures agree, and the log gives nothing away."""
    async with DiscordServer(token=TOKEN) as server:
        world, port = World(server, tmp_path), free_port()
        env = {
            **world.bot.env,
            "METRICS_PORT": str(port),
            "LOG_FORMAT": "json",
            "LOG_LEVEL": "DEBUG",
        }
        world.bot = BotProcess(server, env=env, log=world.bot.log)
        rule = server.faults.hold("GET", "^/users/@me$")
        await world.bot.launch()
        try:
            assert await healthy(port, 503) == "the bot is not connected to Discord yet\n"
            rule.release()
            server.faults.clear()
            await world.bot.wait_ready()
            assert await healthy(port, 200) == "ok\n"
            assert await probe(port) == (0, "ok")

            script = await world.going()
            other = await world.seated("carl", ais=1)
            lobby = world.script("dora", "emil")
            await lobby.step()
            await server.quiet()
            server.faults.rate_limit("POST", CALLBACK, retry_after=0.1)
            await done_once(world, script)
            server.faults.error("POST", CALLBACK, 404, 10062)
            await done_once(world, script)
            server.faults.fail("PATCH", MESSAGE, 503)
            server.faults.fail("POST", POST, 503)
            # Out of turn, and on a table of yesterday.
            table = not_none(script.table())
            (waiting,) = [who for name, who in script.people.items() if name != table.turn]
            await script.press(waiting, table, script.moves(table)[0]).reply
            # A Discord whose errors repeat what they were sent.
            server.faults.error("POST", CALLBACK, 400, 50001, f"no access for {TOKEN}, POST {SECRET_PATH}")
            script.press(waiting, table, script.moves(table)[0])
            assert "no access for" in await world.bot.wait_line("no access for")
            await done_once(world, script)
            await asyncio.sleep(3.1)  # what counts as the second half of a double click is over
            mover = script.people[table.turn]
            await script.press(mover, table, script.moves(table)[0], stale=True).reply
            async with asyncio.timeout(PREPARING):
                while not value((await get(port, "/metrics"))[1], THOUGHT, kind="move"):
                    await other.step()
            await server.quiet()

            # The connection breaks and comes back.
            server.gateway.refusing = True
            await server.gateway.drop(None)
            assert await healthy(port, 503) == (
                "the connection to Discord is lost; the bot is trying to get it back\n"
            )
            assert await probe(port) == (
                1,
                "the connection to Discord is lost; the bot is trying to get it back",
            )
            server.gateway.refusing = False
            assert await healthy(port, 200) == "ok\n"
            await done_once(world, script)

            status, scrape = await get(port, "/metrics")
            assert status == 200
            assert_figures(world, scrape)
            assert await world.bot.terminate() == 0
        finally:
            await world.bot.kill()
        assert_log(world)


def assert_figures(world: World, scrape: str) -> None:
    live = world.rows("SELECT count(*) FROM games WHERE status = 'live'")[0][0]
    lobbies = world.rows("SELECT count(*) FROM games WHERE status = 'lobby'")[0][0]
    assert live == 2
    assert value(scrape, "dicebot_games", game="tutto", status="live") == live
    assert value(scrape, "dicebot_games", game="tutto", status="lobby") == lobbies
    moves = world.rows("SELECT count(*) FROM moves")[0][0]
    commits = not_none(value(scrape, "dicebot_commits_total", outcome="done"))
    assert commits >= moves
    for kind, outcome in (("click", "done"), ("command", "done"), ("click", "refused"), ("click", "stale")):
        number = value(scrape, "dicebot_interactions_total", kind=kind, outcome=outcome)
        assert number, (kind, outcome)
    assert value(scrape, "dicebot_interactions_total", kind="click", outcome="failed") == 0
    for step in ("commit", "paint", "whole"):
        assert value(scrape, "dicebot_step_seconds_count", step=step), step
    assert value(scrape, "dicebot_answers_lost_total", code="10062") == 1
    assert value(scrape, "dicebot_connected") == 1
    assert value(scrape, "dicebot_servers") == 1
    assert value(scrape, "dicebot_gateway_disconnects_total")
    assert value(scrape, THOUGHT, kind="move")
    assert value(scrape, "dicebot_interaction_age_seconds_count")
    assert value(scrape, "process_resident_memory_bytes")


def assert_log(world: World) -> None:
    """Every line is JSON without tokens, texts of messages and names."""
    log = world.bot.output(all_runs=True)
    lines = [json.loads(line) for line in log.splitlines()]
    assert any(line.get("game") and line.get("guild") and line.get("interaction") for line in lines), log
    assert TOKEN not in log
    assert TOKEN.split(".")[2] not in log
    assert SECRET not in log
    for token in world.server.backend.interaction_tokens:
        assert token not in log
    for channel in {script.channel.id for script in world.scripts}:
        for message in world.server.messages(channel):
            for text in texts(message):
                for part in text.splitlines():
                    assert len(part) < 12 or part not in log, part


async def test_a_port_in_use_is_told_in_a_line(tmp_path: Path) -> None:
    async with DiscordServer() as server:
        world = World(server, tmp_path)
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            bot = BotProcess(
                server, env={**world.bot.env, "METRICS_PORT": str(port)}, log=tmp_path / "taken.log"
            )
            await bot.launch()
            try:
                assert await bot.wait_exit(20.0) == 2
            finally:
                await bot.kill()
        assert f"METRICS_PORT {port} on 127.0.0.1 can't be used" in bot.output()
        assert "Traceback" not in bot.output()


@pytest.mark.skipif(not Path("/proc/self/net/tcp").is_file(), reason="only Linux tells of sockets")
async def test_without_a_port_nothing_listens(tmp_path: Path) -> None:
    async with DiscordServer() as server:
        world = World(server, tmp_path)
        async with world.bot:
            assert await asyncio.to_thread(listeners, world.bot.pid) == []


def listeners(pid: int) -> list[str]:
    """The sockets of a process that listen for TCP connections."""
    links = [os.readlink(path) for path in Path(f"/proc/{pid}/fd").iterdir()]
    own = {link.removeprefix("socket:[").removesuffix("]") for link in links}
    lines = [
        line
        for name in ("tcp", "tcp6")
        for line in Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:]
    ]
    return [line for line in lines if line.split()[3] == "0A" and line.split()[9] in own]


# ---------------------------------------------------------------------- registering


def registering(server: DiscordServer) -> list[str]:
    """The calls that tell Discord about commands and emojis, or ask about them."""
    calls = server.calls_to("PUT", PUT_COMMANDS) + [one for one in server.calls if "/emojis" in one.path]
    return [f"{call.method} {call.path}" for call in calls]


async def test_twenty_restarts_and_five_reconnects_register_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real client over a real socket, but in this process, where a start takes a tenth of a second."""

    async def at_once(self: DiceBot, shard_id: int | None, *, initial: bool = False) -> None:
        """The library would wait five seconds before it identifies again."""

    monkeypatch.setattr(DiceBot, "before_identify_hook", at_once)
    async with DiscordServer() as server:
        server.add_guild()
        monkeypatch.setattr(Route, "BASE", server.api_url)
        monkeypatch.setattr(DiscordWebSocket, "DEFAULT_GATEWAY", yarl.URL(server.gateway_url))
        settings = Settings(token=server.token, database=tmp_path / "games.db")

        first = DiceBot(settings, think=asyncio.to_thread)
        async with first:
            await first.login(server.token)
            await first.app_emojis.first_round.wait()
        told = registering(server)
        assert len([one for one in told if one.startswith("PUT")]) == 1
        assert len([one for one in told if one.startswith("POST")]) > 20  # all the emojis

        for _ in range(19):
            bot = DiceBot(settings, think=asyncio.to_thread)
            async with bot:
                await bot.login(server.token)
                await bot.app_emojis.first_round.wait()
        assert registering(server) == told

        bot = DiceBot(settings, think=asyncio.to_thread)
        running = asyncio.create_task(bot.start(server.token))
        try:
            gateway = server.gateway
            await server.until(lambda: gateway.readies == 1)
            for number in range(1, 4):  # sessions that are resumed
                await gateway.drop(None)
                await server.reaches(lambda: gateway.resumes, number)
                await server.until(lambda: gateway.connected)
            for number in range(2, 4):  # sessions that can't be, and begin anew
                await gateway.invalidate()
                await server.reaches(lambda: gateway.readies, number)
            await server.quiet()
        finally:
            await bot.close()
            await asyncio.gather(running, return_exceptions=True)
        assert (gateway.resumes, gateway.identifies) == (3, 3)
        assert registering(server) == told
