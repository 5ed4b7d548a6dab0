"""The gateway to which the bot connects, and how it resumes."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
import yarl
from discord.gateway import DiscordWebSocket, ReconnectWebSocket
from discord.shard import Shard

from bot.client import DiceBot
from bot.discordpy import reconnect_delays
from bot.discordpy.client_state import prepare_close
from bot.discordpy.gateway_resume import PAUSE_SECONDS, IdentifyLimiter, keep_session
from bot.discordpy.reconnect_delays import ReconnectDelays
from bot.settings import Settings
from tests.support.values import not_none

NAMED = "wss://gateway.of.discord.example/"
SET = "ws://proxy.example:7878"


@pytest.mark.parametrize(
    ("given", "expected"),
    [(Settings(), NAMED), (Settings(gateway_url=SET), SET), (Settings(gateway_url=SET, shard_count=2), SET)],
)
async def test_a_gateway_that_is_set_is_used_with_as_many_shards_as_discord_advises(
    given: Settings, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    launched: list[tuple[str, int]] = []

    async def advice() -> Any:
        return 2, NAMED, {}

    async def launch(gateway: Any, shard_id: int, *, initial: bool = False) -> None:
        launched.append((str(gateway), shard_id))

    # As the command line does it.
    monkeypatch.setattr(DiscordWebSocket, "DEFAULT_GATEWAY", yarl.URL(SET))
    bot = DiceBot(given)
    monkeypatch.setattr(bot.http, "get_bot_gateway", advice)
    monkeypatch.setattr(bot, "launch_shard", launch)
    await bot.launch_shards()
    assert [str(yarl.URL(gateway)) for gateway, _ in launched] == [str(yarl.URL(expected))] * 2
    assert [shard for _, shard in launched] == [0, 1]


OF_DISCORD = "wss://gateway-somewhere.discord.gg/"


@pytest.mark.parametrize("way", ["reidentify", "reconnect"])
@pytest.mark.parametrize(
    ("default", "named", "session", "expected"),
    [
        ("wss://gateway.discord.gg/", OF_DISCORD, "abc", (True, OF_DISCORD)),
        ("wss://gateway.discord.gg/", OF_DISCORD, None, (False, None)),
        # READY came through a proxy, with the address of Discord's gateway or with another one of the proxy.
        (SET, OF_DISCORD, "abc", (True, SET)),
        (SET, "ws://other.example:7878", "abc", (True, "ws://other.example:7878")),
        (SET, OF_DISCORD, None, (False, None)),
    ],
)
async def test_a_session_is_resumed_where_it_is_kept(
    way: str,
    default: str,
    named: str,
    session: str | None,
    expected: tuple[bool, str | None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: list[tuple[bool, str | None]] = []

    async def connect(_client: Any, *, resume: bool, gateway: yarl.URL | None, **_: Any) -> Any:
        opened.append((resume, None if gateway is None else str(gateway)))
        return old

    old = SimpleNamespace(session_id=session, sequence=7, gateway=yarl.URL(named), shard_id=0)

    async def limits() -> Any:
        return SimpleNamespace(remaining=1000)

    client: Any = SimpleNamespace(
        dispatch=lambda *_: None, _reconnect=True, fetch_session_start_limits=limits
    )
    shard = Shard(old, client, lambda _: None)  # type: ignore[arg-type]
    monkeypatch.setattr(DiscordWebSocket, "DEFAULT_GATEWAY", yarl.URL(default))
    monkeypatch.setattr(DiscordWebSocket, "from_client", connect)
    monkeypatch.setattr(shard, "launch", lambda: None)
    monkeypatch.setattr(reconnect_delays, "SETTLED_SECONDS", 0.0)
    keep_session(shard, ReconnectDelays())
    if way == "reconnect":
        await shard.reconnect()
    else:
        await shard.reidentify(ReconnectWebSocket(0, resume=True))
    assert opened == [(expected[0], expected[1] and str(yarl.URL(expected[1])))]


async def test_only_this_bots_shards_are_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them is as soon as it is launched; the library's own classes stay as they are."""

    async def connect(_client: Any, **_: Any) -> Any:
        return SimpleNamespace(shard_id=3)

    monkeypatch.setattr(DiscordWebSocket, "from_client", connect)
    monkeypatch.setattr(Shard, "launch", lambda shard: None)
    before = dict(vars(Shard))
    bot = DiceBot(Settings())
    await prepare_close(bot)
    bot._reconnect = True  # as connect() does
    await bot.launch_shard(yarl.URL(SET), 3)
    info = not_none(bot.get_shard(3))
    assert {"reconnect", "reidentify"} <= vars(info._parent).keys()
    assert dict(vars(Shard)) == before


async def test_a_proxy_is_not_kept_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Discord's gateway gets the library's five seconds; behind a proxy the rest of them is enough."""
    slept: list[float] = []
    now = [100.0]

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    turnstile = IdentifyLimiter(lambda: now[0])
    for now[0] in (100.0, 100.0 + PAUSE_SECONDS / 2, 1000.0):
        await turnstile.wait()
    assert slept == [PAUSE_SECONDS / 2, 0.0]
    slept.clear()
    direct, proxied = DiceBot(Settings()), DiceBot(Settings(gateway_url=SET))
    monkeypatch.setattr(proxied, "_identify_limiter", IdentifyLimiter(lambda: now[0]))
    for bot in (direct, proxied):
        await bot.before_identify_hook(0, initial=True)
    now[0] += 60.0
    for bot in (direct, proxied):
        await bot.before_identify_hook(0)
    assert slept == [5.0, 0.0]
