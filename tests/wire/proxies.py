"""What some operators put between a bot and Discord: proxies for REST and for the gateway.

Both do what the usual ones do, no more: the first passes requests on and says nothing of limits, which it
keeps by itself; the second identifies to Discord once, makes up READY and GUILD_CREATE from what it has seen,
and answers every RESUME with an invalid session.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import zlib
from typing import Any, Self

import aiohttp
from aiohttp import WSMsgType, web

from tests.wire.server import DiscordServer

DISPATCH, HEARTBEAT, IDENTIFY, RESUME, INVALID, HELLO, ACK = 0, 1, 2, 6, 9, 10, 11

HOP_BY_HOP = {"host", "content-length", "transfer-encoding", "connection", "content-encoding"}


class Proxies:
    """Both, on one port. Use as ``async with Proxies(server) as proxies``, and give a bot :meth:`env`."""

    def __init__(self, server: DiscordServer) -> None:
        self.server = server
        self.passed_on = 0
        """How many requests went through."""
        self.identifies = self.resumes = 0
        """How often a client has asked for that here; Discord hears of none of it."""
        self.port = 0
        self._guilds: dict[str, dict[str, Any]] = {}
        self._ready: dict[str, Any] = {}
        self._clients: list[_Client] = []
        self._known = asyncio.Event()

    async def __aenter__(self) -> Self:
        self._http = aiohttp.ClientSession(auto_decompress=True)
        app = web.Application(client_max_size=26 * 1024 * 1024)
        app.router.add_get("/", self._gateway)
        app.router.add_route("*", "/api/v10/{tail:.*}", self._rest)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.port = self._runner.addresses[0][1]
        self._upstream = asyncio.create_task(self._keep_session())
        async with asyncio.timeout(10):
            await self._known.wait()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._upstream.cancel()
        await asyncio.gather(self._upstream, return_exceptions=True)
        await self._http.close()
        await self._runner.cleanup()

    def env(self) -> dict[str, str]:
        """The settings that send a bot through here."""
        return {
            "DISCORD_API_URL": f"http://127.0.0.1:{self.port}/api/v10",
            "DISCORD_GATEWAY_URL": f"ws://127.0.0.1:{self.port}",
        }

    async def drop(self) -> None:
        """Cut the connections of all clients, as when the proxy is started anew."""
        for client in self._clients:
            transport = client.request.transport
            if transport is not None:
                transport.abort()

    # ------------------------------------------------------------------ REST

    async def _rest(self, request: web.Request) -> web.StreamResponse:
        self.passed_on += 1
        headers = {name: value for name, value in request.headers.items() if name.lower() not in HOP_BY_HOP}
        url = f"{self.server.api_url}/{request.match_info['tail']}"
        async with self._http.request(
            request.method, url, params=request.query, headers=headers, data=await request.read()
        ) as answer:
            kept = {
                name: value
                for name, value in answer.headers.items()
                if name.lower() not in HOP_BY_HOP and not name.lower().startswith("x-ratelimit")
            }
            return web.Response(status=answer.status, body=await answer.read(), headers=kept)

    # ------------------------------------------------------------------ gateway, Discord's side

    async def _keep_session(self) -> None:
        async with self._http.ws_connect(f"{self.server.gateway_url}?v=10&encoding=json") as ws:
            self._discord = ws
            beating: asyncio.Task[None] | None = None
            try:
                async for message in ws:
                    frame = json.loads(message.data)
                    if frame["op"] == HELLO:
                        beating = asyncio.create_task(self._beat(frame["d"]["heartbeat_interval"] / 1000))
                        await ws.send_json({"op": IDENTIFY, "d": {"token": self.server.token, "intents": 1}})
                    elif frame["op"] == DISPATCH:
                        self._note(frame["t"], frame["d"])
                        for client in list(self._clients):
                            await client.event(frame["t"], frame["d"])
            finally:
                if beating is not None:
                    beating.cancel()

    async def _beat(self, seconds: float) -> None:
        while True:
            await asyncio.sleep(seconds)
            await self._discord.send_json({"op": HEARTBEAT, "d": None})

    def _note(self, event: str, data: dict[str, Any]) -> None:
        """Keep what a client that comes later has to be told."""
        if event == "READY":
            self._ready = data
        elif event == "GUILD_CREATE":
            self._guilds[data["id"]] = data
        elif event == "CHANNEL_CREATE":
            self._guilds[data["guild_id"]]["channels"].append(data)
        if len(self._guilds) == len(self._ready.get("guilds", ())):
            self._known.set()

    # ------------------------------------------------------------------ gateway, the client's side

    async def _gateway(self, request: web.Request) -> web.StreamResponse:
        ws = web.WebSocketResponse()
        await ws.prepare(request)
        client = _Client(request, ws)
        with contextlib.suppress(ConnectionError):
            await client.send(HELLO, {"heartbeat_interval": 41_250})
            try:
                async for message in ws:
                    if message.type is WSMsgType.TEXT:
                        await self._received(client, json.loads(message.data))
            finally:
                if client in self._clients:
                    self._clients.remove(client)
        return ws

    async def _received(self, client: _Client, frame: dict[str, Any]) -> None:
        if frame["op"] == HEARTBEAT:
            await client.send(ACK)
        elif frame["op"] == RESUME:
            self.resumes += 1
            await client.send(INVALID, False)
        elif frame["op"] == IDENTIFY:
            self.identifies += 1
            here = {
                "session_id": secrets.token_hex(16),
                "resume_gateway_url": self.env()["DISCORD_GATEWAY_URL"],
            }
            await client.event("READY", {**self._ready, **here})
            for guild in self._guilds.values():
                await client.event("GUILD_CREATE", guild)
            self._clients.append(client)
            # Those who wait for a bot count these.
            self.server.gateway.readies += 1
        else:
            await self._discord.send_json(frame)


class _Client:
    """One connection of a bot, with the numbers of its own events."""

    def __init__(self, request: web.Request, ws: web.WebSocketResponse) -> None:
        self.request = request
        self._ws = ws
        self._events = 0
        self._zlib = zlib.compressobj() if request.query.get("compress") == "zlib-stream" else None

    async def event(self, name: str, data: Any) -> None:
        self._events += 1
        await self.send(DISPATCH, data, t=name, s=self._events)

    async def send(self, op: int, data: Any = None, **more: Any) -> None:
        if self._ws.closed:
            return
        text = json.dumps({"op": op, "d": data, "s": None, "t": None, **more})
        with contextlib.suppress(ConnectionError):
            if self._zlib is None:
                await self._ws.send_str(text)
            else:
                packed = self._zlib.compress(text.encode()) + self._zlib.flush(zlib.Z_SYNC_FLUSH)
                await self._ws.send_bytes(packed)
