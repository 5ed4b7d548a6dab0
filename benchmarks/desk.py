"""Run a client without Discord: feed it interactions as the gateway sends them, and keep its answers.

Everything of discord.py behind its gateway's socket is real. Without a server the answer is serialised as it
would be for the wire, and that is all; with one (benchmarks/wire.py) it is sent there and the reply is read.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import discord
from discord.http import Route
from discord.webhook.async_ import AsyncWebhookAdapter, async_context

GUILD, APPLICATION = 1, 2

FIRST_MESSAGE = 5
"""What a command is answered with, in any channel."""

_ids = itertools.count(1 << 60)


class Adapter(AsyncWebhookAdapter):
    """Hands the desk what a client says to interactions; ``send`` is the library's way to a server."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._desk = desk

    async def request(self, route: Any, session: Any, **given: Any) -> Any:
        return await self._desk.take_answer(route, session, given)

    async def send(self, route: Any, session: Any, given: dict[str, Any]) -> Any:
        return await super().request(route, session, **given)


class Desk:
    """Feeds a client with clicks and waits for its answers."""

    def __init__(self, client: discord.Client, *, wired: bool = False) -> None:
        """``wired``: answers go over a socket to the server that :func:`serving` has started."""
        self.client = client
        self.posted: dict[int, dict[str, Any]] = {}
        self._wired = wired
        self._request_of_library = client.http.request
        client.http.request = self._request  # type: ignore[method-assign]
        self.adapter = Adapter(self)
        self.waiting: dict[str, asyncio.Future[Any]] = {}
        """The interactions that have no answer yet, by token."""
        self.resume()

    def resume(self) -> None:
        """Take the answers of whatever is called from here, also after another desk was in use."""
        async_context.set(self.adapter)

    async def start(self) -> None:
        """Make the client ready for clicks; with a server it logs in there."""
        await self.client._async_setup_hook()
        if self._wired:
            await self.client.login("none")
            return
        state = self.client._connection
        user = {"id": "3", "username": "dice", "discriminator": "0", "avatar": None}
        state.user = discord.ClientUser(state=state, data=user)  # type: ignore[arg-type]
        state.application_id = APPLICATION
        await self.client.setup_hook()

    async def take_answer(self, route: Any, session: Any, given: dict[str, Any]) -> Any:
        """What the client says to an interaction; return what Discord says to that."""
        payload = given.get("payload")
        if self._wired:
            result = await self.adapter.send(route, session, given)
        else:
            discord.utils._to_json(payload)
            kind = (payload or {}).get("type")
            result = {
                "interaction": {"id": "1", "type": 3, "response_message_id": str(FIRST_MESSAGE)},
                "resource": kind and {"type": kind},
            }
        self.answered(route.webhook_token, payload)
        return result

    def answered(self, token: str, payload: Any) -> None:
        """Let whoever waits for the answer to an interaction go on."""
        waiting = self.waiting.pop(token, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(payload)

    async def _request(self, route: Any, **given: Any) -> Any:
        """Messages that are posted or edited with the bot's own rights."""
        # With files, the message itself is the first part of a form.
        forms = [part["value"] for part in given.get("form") or () if part["name"] == "payload_json"]
        payload = json.loads(forms[0]) if forms else given.get("json")
        # Commands are registered as a list.
        components = payload.get("components") if isinstance(payload, dict) else None
        if self._wired:
            result = await self._request_of_library(route, **given)
        else:
            discord.utils._to_json(payload)
            number = route.url.rsplit("/", 1)[-1]
            result = (
                message(int(number) if number.isdigit() else next(_ids), int(route.channel_id), components)
                if components
                else {}
            )
        if components and route.method == "POST":
            self.posted[int(route.channel_id)] = message(int(result["id"]), int(route.channel_id), components)
        # The message that opens a game becomes its table.
        posted = self.posted.get(int(route.channel_id)) if route.method == "PATCH" and components else None
        if posted is not None and route.url.endswith(f"/{posted['id']}"):
            posted["components"] = components
        return result

    async def click(self, channel: int, user: int, message: dict[str, Any], custom_id: str) -> dict[str, Any]:
        """The answer to one click, once Discord has it."""
        return await self.send(json.dumps(component(channel, user, message, custom_id)))

    async def command(self, channel: int, user: int, *path: str, **options: Any) -> dict[str, Any]:
        return await self.send(json.dumps(command(channel, user, *path, **options)))

    async def send(self, text: str) -> dict[str, Any]:
        answer = asyncio.get_running_loop().create_future()
        payload = discord.utils._from_json(text)
        self.waiting[payload["token"]] = answer
        self.client._connection.parse_interaction_create(payload)
        result: dict[str, Any] = await answer
        return result


@contextlib.contextmanager
def serving() -> Iterator[None]:
    """A server in a process of its own that every client takes for Discord."""
    child = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.wire"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdin is not None
    usual = Route.BASE
    try:
        Route.BASE = child.stdout.readline().strip()
        yield
    finally:
        Route.BASE = usual
        child.stdin.close()
        child.wait()


def _common(channel: int, user: int, message_id: int = 0) -> dict[str, Any]:
    number = next(_ids)
    return {
        "id": str(number),
        "application_id": str(APPLICATION),
        "token": f"token-{message_id}-{channel}-{number}",
        "version": 1,
        "guild_id": str(GUILD),
        "channel_id": str(channel),
        "channel": {"id": str(channel), "type": 0, "name": "dice", "guild_id": str(GUILD), "position": 0},
        "locale": "en-US",
        "guild_locale": "en-US",
        "app_permissions": str(discord.Permissions.all().value),
        "entitlements": [],
        "authorizing_integration_owners": {"0": str(GUILD)},
        "context": 0,
        "attachment_size_limit": 10_000_000,
        "member": {
            "user": {"id": str(user), "username": f"u{user}", "discriminator": "0", "avatar": None},
            "roles": [],
            "joined_at": "2026-01-01T00:00:00+00:00",
            "deaf": False,
            "mute": False,
            "permissions": "0",
            "flags": 0,
        },
    }


def component(channel: int, user: int, message: dict[str, Any], custom_id: str) -> dict[str, Any]:
    data = {"custom_id": custom_id, "component_type": 2}
    clicked = int(message["id"])
    return {**_common(channel, user, clicked), "type": 3, "data": data, "message": message}


def command(channel: int, user: int, *path: str, **options: Any) -> dict[str, Any]:
    given: list[dict[str, Any]] = [
        {"name": name, "type": 4 if isinstance(value, int) else 3, "value": value}
        for name, value in options.items()
    ]
    for name in reversed(path[1:]):
        given = [{"name": name, "type": 1, "options": given}]
    data = {"id": "9", "name": path[0], "type": 1, "options": given}
    return {**_common(channel, user), "type": 2, "data": data}


def message(number: int, channel: int, components: list[Any]) -> dict[str, Any]:
    """A message of the bot with these components, as an interaction carries it."""
    return {
        "id": str(number),
        "channel_id": str(channel),
        "type": 0,
        "content": "",
        "flags": 1 << 15,
        "author": {"id": "3", "username": "dice", "discriminator": "0", "avatar": None, "bot": True},
        "embeds": [],
        "attachments": [],
        "mentions": [],
        "mention_roles": [],
        "mention_everyone": False,
        "pinned": False,
        "tts": False,
        "timestamp": "2026-01-01T00:00:00+00:00",
        "edited_timestamp": None,
        "components": components,
    }


def buttons(components: list[Any]) -> Iterator[dict[str, Any]]:
    """All buttons that can be clicked, in order."""
    for one in components:
        if one["type"] == 2 and not one.get("disabled"):
            yield one
        yield from buttons(one.get("components", []))


class Stopwatch:
    """Seconds of processor time (all threads) and of wall time since it was made."""

    def __init__(self) -> None:
        self._cpu, self._wall = time.process_time(), time.perf_counter()

    def read(self) -> tuple[float, float]:
        return time.process_time() - self._cpu, time.perf_counter() - self._wall
