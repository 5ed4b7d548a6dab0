"""Proxies between the bot and the Discord of the tests: for REST, and one that keeps a gateway session."""

from __future__ import annotations

import asyncio
import json
import secrets
from contextlib import AsyncExitStack
from typing import Any, Self

import aiohttp
from aiohttp import WSMsgType, web

from tests.support.discord_server.gateway import (
    ACK,
    DISPATCH,
    HEARTBEAT,
    HELLO,
    IDENTIFY,
    INVALID,
    RESUME,
    Link,
)
from tests.support.discord_server.server import DiscordServer

OF_DISCORD = "wss://gateway-of-no-place.discord.gg"
"""The address that READY names for resuming; the proxy passes it on unchanged, as many do."""

HOP = {
    "host",
    "connection",
    "content-length",
    "transfer-encoding",
    "content-encoding",
    "date",
    "server",
    "via",
}
"""Headers that belong to one connection, or that the answer sets itself."""

RENEW_SECONDS = 0.5


class _Listener:
    """An aiohttp application on a free port of the loopback interface."""

    def __init__(self, server: DiscordServer) -> None:
        self.server = server
        self.port = 0
        self.open = AsyncExitStack()

    async def _listen(self, method: str, path: str, handler: Any) -> None:
        app = web.Application(client_max_size=26 * 1024 * 1024)
        app.router.add_route(method, path, handler)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await runner.setup()
        self.open.push_async_callback(runner.cleanup)
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.port = runner.addresses[0][1]
        self.http = await self.open.enter_async_context(aiohttp.ClientSession(auto_decompress=False))

    async def __aexit__(self, *_: object) -> None:
        await self.open.aclose()


class RestProxy(_Listener):
    """Passes every call on, hides Discord's limits, and answers 502 if it gets no answer itself."""

    def __init__(self, server: DiscordServer) -> None:
        super().__init__(server)
        self.passed: list[tuple[str, str, int]] = []
        self.waited = 0

    async def __aenter__(self) -> Self:
        await self._listen("*", "/{tail:.*}", self._pass)
        return self

    @property
    def url(self) -> str:
        """Return the value for DISCORD_API_URL."""
        return f"http://127.0.0.1:{self.port}/api/v10"

    async def _pass(self, request: web.Request) -> web.Response:
        url = f"http://127.0.0.1:{self.server.port}{request.raw_path}"
        headers = {name: value for name, value in request.headers.items() if name.lower() not in HOP}
        body = await request.read()
        while True:
            try:
                async with self.http.request(request.method, url, data=body, headers=headers) as answer:
                    said = await answer.read()
            except aiohttp.ClientError:
                return self._answer(request, web.Response(status=502, text="no answer from Discord"))
            if answer.status != 429:
                break
            self.waited += 1
            await asyncio.sleep(float(answer.headers["Retry-After"]))
        kept = {
            name: value
            for name, value in answer.headers.items()
            if name.lower() not in HOP and not name.lower().startswith("x-ratelimit")
        }
        return self._answer(request, web.Response(status=answer.status, body=said, headers=kept))

    def _answer(self, request: web.Request, answer: web.Response) -> web.Response:
        self.passed.append((request.method, request.path, answer.status))
        return answer


class GatewayProxy(_Listener):
    """Holds one session with Discord, and gives each client a session made from what it remembers."""

    def __init__(self, server: DiscordServer, intents: int = 1) -> None:
        super().__init__(server)
        self.intents = intents
        self.identifies: list[dict[str, Any]] = []
        self.resumes: list[dict[str, Any]] = []
        self.clients: dict[Link, int] = {}
        """The clients that are sent events, and the number of the latest event."""
        self._ready: dict[str, Any] = {}
        self._guilds: dict[str, dict[str, Any]] = {}

    async def __aenter__(self) -> Self:
        await self._listen("GET", "/", self._serve)
        upstream = await self.open.enter_async_context(self.http.ws_connect(self.server.gateway_url))
        tasks = [asyncio.create_task(self._keep(upstream)), asyncio.create_task(self._beat(upstream))]
        for task in tasks:
            self.open.callback(task.cancel)
        await self.server.until(lambda: len(self._guilds) == len(self.server.backend.guilds), what="guilds")
        return self

    @property
    def url(self) -> str:
        """Return the value for DISCORD_GATEWAY_URL."""
        return f"ws://127.0.0.1:{self.port}/"

    async def cut(self) -> None:
        """Cut the clients' connections, but not the one with Discord."""
        for link in list(self.clients):
            await link.drop(None)
        await self.server.until(lambda: not self.clients)

    # ------------------------------------------------------------------ with Discord

    async def _keep(self, upstream: aiohttp.ClientWebSocketResponse) -> None:
        identify = {"token": self.server.token, "intents": self.intents, "shard": [0, 1], "properties": {}}
        await upstream.send_json({"op": IDENTIFY, "d": identify})
        async for message in upstream:
            frame = json.loads(message.data)
            if frame["op"] != DISPATCH:
                continue
            if frame["t"] == "READY":
                self._ready = {**frame["d"], "resume_gateway_url": OF_DISCORD}
                continue
            if frame["t"] == "GUILD_CREATE":
                self._guilds[frame["d"]["id"]] = frame["d"]
            for link in list(self.clients):
                await self._tell(link, frame["t"], frame["d"])

    async def _beat(self, upstream: aiohttp.ClientWebSocketResponse) -> None:
        while True:
            await asyncio.sleep(RENEW_SECONDS)
            await upstream.send_json({"op": HEARTBEAT, "d": None})

    # ------------------------------------------------------------------ with the bot

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        ws = web.WebSocketResponse()
        await ws.prepare(request)
        link = Link(self.server.gateway, request, ws)
        await link.send(HELLO, {"heartbeat_interval": 41250})
        try:
            async for message in ws:
                if message.type is WSMsgType.TEXT:
                    await self._received(link, json.loads(message.data))
        finally:
            self.clients.pop(link, None)
        return ws

    async def _received(self, link: Link, frame: dict[str, Any]) -> None:
        if frame["op"] == HEARTBEAT:
            await link.send(ACK)
        elif frame["op"] == IDENTIFY:
            self.identifies.append(frame["d"])
            self.clients[link] = 0
            away = [{"id": guild_id, "unavailable": True} for guild_id in self._guilds]
            session = {"session_id": secrets.token_hex(16), "guilds": away}
            await self._tell(link, "READY", {**self._ready, **session})
            for guild in self._guilds.values():
                await self._tell(link, "GUILD_CREATE", guild)
        elif frame["op"] == RESUME:
            self.resumes.append(frame["d"])
            # One without a session is no RESUME to it, and gets no answer.
            if frame["d"]["session_id"] is not None:
                await link.send(INVALID, False)

    async def _tell(self, link: Link, event: str, data: Any) -> None:
        self.clients[link] += 1
        await link.send(DISPATCH, data, s=self.clients[link], t=event)
