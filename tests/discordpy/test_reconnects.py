"""How long to wait before connecting again, and when to stop beginning sessions."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import aiohttp
import discord
import pytest

from bot.client import DiceBot
from bot.discordpy.reconnect_delays import MAX_IDENTIFY_SECONDS, MAX_RESUME_SECONDS, ReconnectDelays
from bot.discordpy.session_starts import RESERVE, StartsExhausted, check_starts
from bot.settings import Settings


def test_resuming_waits_longer_after_each_failure_until_discord_accepts() -> None:
    delays = ReconnectDelays()
    assert [delays.before_resume(0) for _ in range(7)] == [0, 2, 4, 8, 16, MAX_RESUME_SECONDS, 30]
    assert delays.before_resume(1) == 0
    delays.established(0)
    assert delays.before_resume(0) == 0


def test_new_sessions_of_a_day_stay_far_below_the_limit() -> None:
    delays, now, begun = ReconnectDelays(), 0.0, 0
    while now < 24 * 3600:
        delay, failed = delays.before_identify(0, now)
        assert failed == begun
        begun += 1
        assert delay <= MAX_IDENTIFY_SECONDS
        now += delay + 5.0
    assert begun < 300


def test_only_a_session_that_lives_on_counts_as_a_success() -> None:
    delays = ReconnectDelays()
    assert delays.before_identify(0, 100.0) == (0.0, 0)
    delays.established(0)
    assert delays.before_identify(0, 159.0) == (2.0, 1)
    assert delays.before_identify(0, 221.0) == (0.0, 0)


@pytest.mark.parametrize(
    ("left", "wanted", "enough"),
    [(RESERVE + 1, 1, True), (RESERVE, 1, False), (RESERVE + 3, 4, False), (RESERVE + 4, 4, True)],
)
async def test_a_reserve_of_sessions_is_left(left: int, wanted: int, enough: bool) -> None:
    async def limits() -> Any:
        return SimpleNamespace(remaining=left, total=1000, reset_after=3_780_000)

    client: Any = SimpleNamespace(fetch_session_start_limits=limits)
    if enough:
        await check_starts(client, wanted)
    else:
        with pytest.raises(StartsExhausted, match=rf"allows {left} of 1000 more .* 1\.1 h"):
            await check_starts(client, wanted)


@pytest.mark.parametrize(
    "error", [discord.DiscordException(), aiohttp.ServerDisconnectedError(), OSError(), TimeoutError()]
)
async def test_a_discord_that_does_not_say_is_no_obstacle(error: Exception) -> None:
    async def limits() -> Any:
        raise error

    client: Any = SimpleNamespace(fetch_session_start_limits=limits)
    await check_starts(client)


@pytest.mark.parametrize("url", [None, "ws://proxy.example:7878"])
async def test_a_start_asks_first_unless_a_proxy_has_the_sessions(
    url: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    launched: list[int] = []

    async def advice() -> Any:
        limit = {"total": 1000, "remaining": RESERVE, "reset_after": 1000, "max_concurrency": 1}
        return 1, "wss://gateway.of.discord.example/", limit

    async def launch(gateway: Any, shard_id: int, *, initial: bool = False) -> None:
        launched.append(shard_id)

    bot = DiceBot(Settings(gateway_url=url))
    monkeypatch.setattr(bot.http, "get_bot_gateway", advice)
    monkeypatch.setattr(bot, "launch_shard", launch)
    if url is None:
        with pytest.raises(StartsExhausted):
            await bot.launch_shards()
        assert launched == []
    else:
        await bot.launch_shards()
        assert launched == [0]
