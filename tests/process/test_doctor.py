"""`doctor` with a Discord on loopback, and without any."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from discord.gateway import DiscordWebSocket
from discord.http import Route
from simcord.backend.models import Overwrite
from simcord.enums import ChannelType, OverwriteType

from bot import __main__ as program
from bot.cli import checks_discord
from bot.cli.findings import State
from bot.client import PERMISSIONS
from tests.cli.test_doctor import TOKEN
from tests.support.discord_server.process import BotProcess
from tests.support.discord_server.server import DiscordServer

Doctor = Callable[..., Awaitable[tuple[int, list[str]]]]


@pytest.fixture
def doctor(no_settings: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Doctor:
    """Runs the command in a thread; returns the exit code and the lines, none of which has the token."""
    # The command sets the log and the addresses for its whole process.
    monkeypatch.setattr(program, "_log_to_stderr", lambda settings: None)
    monkeypatch.setattr(Route, "BASE", Route.BASE)
    monkeypatch.setattr(DiscordWebSocket, "DEFAULT_GATEWAY", DiscordWebSocket.DEFAULT_GATEWAY)
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{no_settings / 'games.db'}")

    async def run(env: dict[str, str], *options: str) -> tuple[int, list[str]]:
        for key, value in env.items():
            monkeypatch.setenv(key, value)
        code = await asyncio.to_thread(program.main, ["doctor", *options])
        return code, checked("".join(capsys.readouterr()))

    return run


def checked(text: str) -> list[str]:
    assert "Traceback" not in text, text
    assert TOKEN not in text
    return text.splitlines()


def about(lines: list[str], name: str) -> list[str]:
    return [line for line in lines if line.split()[1] == name]


async def test_all_is_fine(tmp_path: Path) -> None:
    """As a process, as the others could be run as well."""
    async with DiscordServer(token=TOKEN) as server:
        guild = server.add_guild()
        server.add_channel(guild)
        env = {"DATABASE_URL": f"sqlite:///{tmp_path / 'games.db'}"}
        code, text = await BotProcess(server, env=env, log=tmp_path / "bot.log").command("doctor")
        lines = checked(text)
        assert code == 0, lines
        assert lines[-1].endswith(" ok, 0 FAIL, 0 not checked")
        for name in ("token", "login", "intents", "sessions", "permissions", "clock", "database", "ai"):
            assert [line.startswith("ok") for line in about(lines, name)] == [True], name
        # It only reads: nothing is registered or posted, and no session begins.
        assert {call.method for call in server.calls} == {"GET"}
        assert server.gateway.identifies == 0


async def test_the_token_is_refused(doctor: Doctor) -> None:
    async with DiscordServer(token=TOKEN) as server:
        other = TOKEN.replace("GhIjKl", "AbCdEf")
        code, lines = await doctor({**server.env(), "DISCORD_TOKEN": other})
        assert code == 1
        assert about(lines, "login")[0].startswith("FAIL")
        assert "Reset Token" in about(lines, "login")[0]
        assert about(lines, "permissions") == []


async def test_permissions_missing_where(doctor: Doctor) -> None:
    """Only channels in which people may write are named; others are closed on purpose."""
    async with DiscordServer(token=TOKEN) as server:
        good, bad, worse = (server.add_guild(name) for name in ("Good", "Bad", "Worse"))
        for guild in (good, bad, worse):
            role = next(role for role in guild.roles.values() if role.managed)
            server.backend.edit_role(guild.id, role.id, {"permissions": PERMISSIONS.value})
            everyone = guild.roles[guild.id]
            server.backend.edit_role(guild.id, everyone.id, {"permissions": PERMISSIONS.value})
        mute, hidden, other = (server.add_channel(bad, name) for name in ("mute", "hidden", "other"))
        server.deny(mute, "embed_links", "attach_files")
        server.deny(hidden, "view_channel")
        # Only the chat of a voice channel needs Connect, and the bot's emojis need no permission.
        talk = server.add_channel(bad, "talk", type=ChannelType.VOICE)
        server.deny(talk, "connect", "use_external_emojis")
        server.deny(other, "connect", "use_external_emojis")
        # Read-only for everybody.
        news = server.add_channel(good, "news")
        closed = 1 << 11 | 1 << 38  # Send Messages, Send Messages in Threads
        overwrite = Overwrite(good.id, OverwriteType.ROLE, deny=closed)
        server.backend.edit_channel(news.id, {}, overwrites=[overwrite])
        for guild_role in worse.roles.values():
            server.backend.edit_role(worse.id, guild_role.id, {"permissions": 1 << 10})
        code, lines = await doctor(server.env())
        assert code == 1
        found = {line.split()[2]: line for line in about(lines, "permissions")}
        assert found["Good"].startswith("ok"), found["Good"]
        assert found["Bad"].startswith("FAIL")
        assert "#mute (Embed Links, Attach Files)" in found["Bad"]
        assert "#hidden (View Channels)" in found["Bad"]
        assert "#talk (Connect)" in found["Bad"]
        assert "#other" not in found["Bad"]
        assert other.name == "other"
        assert "is missing" in found["Worse"]
        assert "Send Messages" in found["Worse"]
        assert "Attach" not in found["Worse"]
        assert "Connect" not in found["Worse"]
        assert ", 2 FAIL, " in lines[-1]


async def test_in_no_server(doctor: Doctor) -> None:
    async with DiscordServer(token=TOKEN) as server:
        code, lines = await doctor(server.env())
        assert code == 1
        assert "oauth2/authorize" in about(lines, "permissions")[0]


async def test_few_starts_left(doctor: Doctor) -> None:
    async with DiscordServer(token=TOKEN) as server:
        server.add_guild()
        limit = {"total": 1000, "remaining": 3, "reset_after": 7_200_000, "max_concurrency": 1}
        body = {"url": server.gateway_url, "shards": 1, "session_start_limit": limit}
        server._gateway_info = lambda: body  # type: ignore[method-assign]
        code, lines = await doctor(server.env())
        assert code == 1
        assert "3 of 1000" in about(lines, "sessions")[0]
        assert "2.0 h" in about(lines, "sessions")[0]


async def test_nobody_answers(doctor: Doctor) -> None:
    env = {"DISCORD_TOKEN": TOKEN, "DISCORD_API_URL": "http://127.0.0.1:9/api/v10"}
    code, lines = await doctor(env)
    assert code == 1
    assert about(lines, "discord")[0].startswith("FAIL")
    assert about(lines, "ai")[0].startswith("ok")
    code, lines = await doctor(env, "--offline")
    assert (code, ", 0 FAIL, 1 not checked" in lines[-1]) == (0, True)
    assert about(lines, "discord")[0].startswith("-")


@pytest.mark.parametrize(("off", "state"), [(0, State.OK), (60, State.FAIL), (-60, State.FAIL)])
async def test_the_clock(off: int, state: State, monkeypatch: pytest.MonkeyPatch) -> None:
    async with DiscordServer() as server:
        monkeypatch.setattr(Route, "BASE", server.api_url)
        monkeypatch.setattr(checks_discord, "time", SimpleNamespace(time=lambda: time.time() + off))
        found = await checks_discord.clock()
        assert found.state is state
        assert ("ahead" in found.text, "behind" in found.text) == (off > 0, off < 0)
