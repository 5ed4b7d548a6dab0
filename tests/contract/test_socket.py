"""The Discord server over a socket checks each request against Discord's description."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from tests.support.discord_server.server import DiscordServer

V2 = 1 << 15
TEXT = {"type": 10, "content": "Hello"}
MESSAGE = {"flags": V2, "components": [TEXT]}
SHOWN = {"flags": V2, "components": [{"type": 13, "file": {"url": "attachment://a.txt"}}]}
CHANNEL = "/channels/{channel}/messages"


class Caller:
    """Makes requests as a bot does."""

    def __init__(self, server: DiscordServer, session: aiohttp.ClientSession) -> None:
        self.server = server
        self._session = session
        self._channel = server.add_channel(server.add_guild())

    async def call(self, method: str, path: str, body: Any = None, *files: str) -> dict[str, Any]:
        """Make a request; with files it is a form, as discord.py writes one."""
        url = self.server.api_url + path.format(channel=self._channel.id)
        headers = {"Authorization": f"Bot {self.server.token}"}
        form: dict[str, Any] = {"json": body}
        if files:
            data = aiohttp.FormData()
            data.add_field("payload_json", json.dumps(body))
            for number, name in enumerate(files):
                data.add_field(f"files[{number}]", b"data", filename=name)
            form = {"data": data}
        async with self._session.request(method, url, headers=headers, **form) as answer:
            got: dict[str, Any] = await answer.json()
            return got


@pytest.fixture
async def caller() -> AsyncIterator[Caller]:
    async with DiscordServer() as server, aiohttp.ClientSession() as session:
        yield Caller(server, session)
        server.contract.violations.clear()
        server.gaps.clear()


async def test_what_is_right_passes(caller: Caller) -> None:
    made = await caller.call("POST", CHANNEL, SHOWN, "a.txt")
    await caller.call("PATCH", f"{CHANNEL}/{made['id']}", SHOWN)
    await caller.call("PATCH", f"{CHANNEL}/{made['id']}", {**MESSAGE, "attachments": []})
    await caller.call("GET", "/gateway/bot")
    assert caller.server.contract.checked == 4
    caller.server.check()


@pytest.mark.parametrize(
    ("method", "path", "body", "files", "found"),
    [
        ("POST", "/channels/{channel}/massages", MESSAGE, [], "is not described"),
        ("PUT", CHANNEL, MESSAGE, [], "is not described"),
        ("POST", CHANNEL, {**MESSAGE, "silent": True}, [], "'silent' was unexpected"),
        ("POST", CHANNEL, {**SHOWN, "silent": True}, ["a.txt"], "'silent' was unexpected"),
        ("POST", CHANNEL, MESSAGE, ["a.txt"], "no component shows the file a.txt"),
        ("POST", CHANNEL, SHOWN, [], "a.txt, which is missing"),
        ("POST", "/applications/1/emojis", {"name": "a", "image": ""}, [], "'a' is too short"),
        ("GET", "/gateway?shard=1", None, [], "query: shard is not described"),
    ],
)
async def test_a_mistake_fails_the_test(
    caller: Caller, method: str, path: str, body: Any, files: list[str], found: str
) -> None:
    await caller.call(method, path, body, *files)
    with pytest.raises(AssertionError, match=found):
        caller.server.contract.verify()


async def test_an_edit_is_checked_with_what_the_message_has(caller: Caller) -> None:
    made = await caller.call("POST", CHANNEL, SHOWN, "a.txt")
    await caller.call("PATCH", f"{CHANNEL}/{made['id']}", MESSAGE)
    with pytest.raises(AssertionError, match=r"no component shows the file a\.txt"):
        caller.server.contract.verify()


async def test_a_request_that_a_fault_meets_is_checked(caller: Caller) -> None:
    caller.server.faults.fail("POST", "messages")
    await caller.call("POST", CHANNEL, {"flags": V2})
    with pytest.raises(AssertionError, match="the message is empty"):
        caller.server.contract.verify()
