"""What state a channel is in, by what Discord's events have told, or else by what Discord answers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import aiohttp
import discord
import pytest

from bot.discordpy.channels import is_accessible, is_gone, is_locked

GUILD, CHANNEL = 1, 7


def answered(status: int, code: int = 0) -> Any:
    response: Any = SimpleNamespace(status=status, reason="")
    return (discord.Forbidden if status == 403 else discord.NotFound)(response, {"code": code, "message": ""})


def a_thread(locked: bool) -> Any:
    thread = discord.Thread.__new__(discord.Thread)
    thread.locked = locked
    return thread


def client_of(answer: Any, known: Any = None, guild: bool = True, unavailable: bool = False) -> Any:
    """A client that knows a channel, or else asks Discord and gets this answer."""

    async def get_channel(channel_id: int) -> Any:
        assert channel_id == CHANNEL
        if isinstance(answer, Exception):
            raise answer
        return answer

    server = SimpleNamespace(get_channel_or_thread={CHANNEL: known}.get, unavailable=unavailable)
    guilds = {GUILD: server} if guild else {}
    return SimpleNamespace(get_guild=guilds.get, http=SimpleNamespace(get_channel=get_channel))


UNASKED = AssertionError("Discord is not asked")


@pytest.mark.parametrize(
    ("client", "locked"),
    [
        (client_of(UNASKED, a_thread(True)), True),
        (client_of(UNASKED, a_thread(False)), False),
        (client_of(UNASKED, SimpleNamespace(locked=True)), False),
        (client_of({"thread_metadata": {"locked": True}}), True),
        (client_of({"thread_metadata": {"locked": True}}, guild=False), True),
        (client_of({"thread_metadata": {"locked": False, "archived": True}}), False),
        (client_of({"thread_metadata": None}), False),
        (client_of({}), False),
        (client_of(answered(404)), False),
        (client_of(aiohttp.ServerDisconnectedError()), False),
    ],
)
async def test_only_a_thread_can_be_locked(client: Any, locked: bool) -> None:
    assert await is_locked(client, GUILD, CHANNEL) is locked


@pytest.mark.parametrize(
    ("answer", "accessible"),
    [({}, True), (answered(403), False), (answered(404), True), (TimeoutError(), True)],
)
async def test_only_a_refusal_says_that_a_channel_is_not_seen(answer: Any, accessible: bool) -> None:
    assert await is_accessible(client_of(answer), CHANNEL) is accessible


@pytest.mark.parametrize(
    ("client", "gone"),
    [
        (client_of(answered(404, 10003)), True),
        (client_of(answered(404, 10004)), False),
        (client_of(answered(403)), False),
        (client_of(TimeoutError()), False),
        (client_of({}), False),
        (client_of(UNASKED, a_thread(False)), False),
        (client_of(UNASKED, guild=False), False),
        (client_of(UNASKED, unavailable=True), False),
    ],
)
async def test_only_what_discord_does_not_know_is_gone(client: Any, gone: bool) -> None:
    assert await is_gone(client, GUILD, CHANNEL) is gone
