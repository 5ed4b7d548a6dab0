"""discord.py's client meets rate limits that last longer than its caller waits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import discord
import pytest
from discord.http import Route
from simcord.backend.models import Channel

from bot.discordpy.met_limits import wait_for_limits
from tests.support.discord_server.server import DiscordServer

POST = r"^/channels/\d+/messages$"
LIMIT, PATIENCE = 1.0, 0.2
"""How many seconds the limit lasts, and how many the caller waits."""


class Client(discord.Client):
    """The library's client, which posts in a channel."""

    def __init__(self, server: DiscordServer) -> None:
        super().__init__(intents=discord.Intents.none())
        self.channel, self.other = (server.add_channel(server.add_guild()) for _ in range(2))
        wait_for_limits(self)

    async def post(self, channel: Channel, patience: float = PATIENCE) -> None:
        async with asyncio.timeout(patience):
            route = Route("POST", "/channels/{channel_id}/messages", channel_id=channel.id)
            await self.http.request(route, json={"content": "posted"})


@pytest.fixture
async def server() -> AsyncIterator[DiscordServer]:
    async with DiscordServer() as made:
        yield made


@pytest.fixture
async def client(server: DiscordServer, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Client]:
    monkeypatch.setattr(Route, "BASE", server.api_url)
    async with Client(server) as made:
        await made.login(server.token)
        yield made


async def test_a_limit_that_outlasts_the_request_is_not_met_again(
    server: DiscordServer, client: Client
) -> None:
    rule = server.faults.rate_limit("POST", POST, retry_after=LIMIT)
    for _ in range(3):
        with pytest.raises(TimeoutError):
            await client.post(client.channel)
    assert len(server.calls_to("POST", POST)) == rule.hits == 1
    # Other channels have limits of their own.
    await client.post(client.other)
    assert len(server.messages(client.other)) == 1
    await asyncio.sleep(LIMIT - 3 * PATIENCE)
    await client.post(client.channel)
    assert len(server.messages(client.channel)) == 1
    assert len(server.calls_to("POST", POST)) == 3


async def test_a_global_limit_that_outlasts_its_request_is_met_once(
    server: DiscordServer, client: Client
) -> None:
    """Requests of all routes wait for its end, where the library alone would let them wait for ever."""
    rule = server.faults.rate_limit("POST", POST, retry_after=LIMIT, scope="global")
    for channel in (client.channel, client.other, client.channel):
        with pytest.raises(TimeoutError):
            await client.post(channel)
    assert len(server.calls_to("POST", POST)) == rule.hits == 1
    await asyncio.sleep(LIMIT - 3 * PATIENCE)
    for channel in (client.other, client.channel):
        await client.post(channel)
        assert len(server.messages(channel)) == 1


async def test_a_limit_that_is_met_while_others_wait_for_one_counts_for_them(
    server: DiscordServer, client: Client
) -> None:
    server.faults.rate_limit("POST", POST, retry_after=2 * PATIENCE)
    with pytest.raises(TimeoutError):
        await client.post(client.channel)
    server.faults.rate_limit("POST", POST, retry_after=LIMIT, scope="global")
    posts = client.post(client.channel, 3 * PATIENCE), client.post(client.other)
    errors = await asyncio.gather(*posts, return_exceptions=True)
    assert [type(error) for error in errors] == [TimeoutError, TimeoutError]
    assert len(server.calls_to("POST", POST)) == 2


async def test_what_the_library_does_not_wait_for_is_left_to_it(
    server: DiscordServer, client: Client
) -> None:
    """A ban of the address, and a time that is no number of seconds."""
    ban = server.faults.rate_limit("POST", POST, retry_after=LIMIT)
    del ban.headers["Via"]
    with pytest.raises(discord.HTTPException):
        await client.post(client.channel)
    dated = server.faults.rate_limit("POST", POST, retry_after=0.01)
    dated.headers["Retry-After"] = "Wed, 21 Oct 2099 07:28:00 GMT"
    for _ in range(2):
        await client.post(client.channel)
    assert (ban.hits, dated.hits, len(server.messages(client.channel))) == (1, 1, 2)
