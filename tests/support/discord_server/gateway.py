"""The gateway: sessions that outlive their connections, and the ways a connection dies."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import discord
from aiohttp import WSMsgType, web
from simcord import intents as simcord_intents
from simcord.backend import serializers
from simcord.gateway import FakeGateway, FakeWebSocket

if TYPE_CHECKING:
    from tests.support.discord_server.server import DiscordServer

DISPATCH, HEARTBEAT, IDENTIFY, RESUME, RECONNECT, MEMBERS, INVALID, HELLO, ACK = 0, 1, 2, 6, 7, 8, 9, 10, 11


@dataclass(frozen=True)
class Note:
    """Something that happened on the gateway."""

    at: float
    what: str
    detail: Any = None


class _Parsers:
    """Takes the place of discord.py's parsers, so that simcord's events go to a session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def __getitem__(self, event: str) -> Any:
        return partial(self._session.push, event)

    get = __getitem__


class Session:
    """A session that an IDENTIFY has begun: its intents and all numbered events since, for RESUME."""

    def __init__(self, gateway: Gateway, intents: int, shard: tuple[int, int] = (0, 1)) -> None:
        self.shard = shard
        self.id = secrets.token_hex(16)
        self.intents = discord.Intents.none()
        self.intents.value = intents
        self.parsers = _Parsers(self)
        self.frames: list[dict[str, Any]] = []
        self.heard = 0  # the number of the last event that the bot has taken in, as its heartbeats tell
        self.link: Link | None = None
        self.guilds = {guild_id for guild_id in gateway.server.backend.guilds if self.serves(guild_id)}
        self.shaper = FakeGateway(gateway.server.backend, self)
        self.members = FakeWebSocket(gateway.server.backend, self.shaper)

    def serves(self, guild_id: int) -> bool:
        """Return whether a guild's events go to this session."""
        number, count = self.shard
        return (guild_id >> 22) % count == number

    def push(self, event: str, data: Any) -> None:
        """Number an event and send it as soon as the connection allows."""
        if event == "GUILD_CREATE" and int(data["id"]) not in self.guilds:
            # discord.py tells a new guild from a returning one by the missing key.
            data = {key: value for key, value in data.items() if key != "unavailable"}
            self.guilds.add(int(data["id"]))
        elif event == "GUILD_DELETE" and not data.get("unavailable"):
            self.guilds.discard(int(data["id"]))
        self.frames.append({"op": DISPATCH, "t": event, "s": len(self.frames) + 1, "d": data})
        if self.link is not None:
            self.link.wake.set()


class Link:
    """One websocket connection."""

    def __init__(self, gateway: Gateway, request: web.Request, ws: web.WebSocketResponse) -> None:
        self.gateway = gateway
        self.request = request
        self.ws = ws
        self.session: Session | None = None
        self.sent = 0
        self.frozen = False
        self.dropped = False
        self.wake = asyncio.Event()
        self._zlib = zlib.compressobj() if request.query.get("compress") == "zlib-stream" else None

    async def send(self, op: int, data: Any = None, **more: Any) -> None:
        """Send one frame, compressed if the client asked for that; a frozen link sends nothing."""
        if self.frozen or self.ws.closed:
            return
        text = json.dumps({"op": op, "d": data, "s": None, "t": None, **more})
        if self._zlib is None:
            await self.ws.send_str(text)
        else:
            packed = self._zlib.compress(text.encode())
            await self.ws.send_bytes(packed + self._zlib.flush(zlib.Z_SYNC_FLUSH))

    async def pump(self) -> None:
        """Send the session's events in order until the connection ends."""
        try:
            while True:
                await self.wake.wait()
                self.wake.clear()
                while self.session and not (self.frozen or self.gateway.holding):
                    if self.sent >= len(self.session.frames):
                        break
                    frame = self.session.frames[self.sent]
                    self.sent += 1
                    await self.send(frame["op"], frame["d"], s=frame["s"], t=frame["t"])
                    if frame["t"] == "READY":
                        self.gateway.readies += 1
        except ConnectionError:
            pass  # the reader notices the same and cleans up

    def attach(self, session: Session, sent: int) -> None:
        """Make this the connection of a session, whose first `sent` events have arrived."""
        if session.link is not None:
            session.link.session = None
        self.session, self.sent, session.link = session, sent, self
        self.wake.set()

    async def drop(self, code: int | None) -> None:
        """End the connection with a close code, or without one."""
        self.dropped = True
        if code is not None:
            await self.ws.close(code=code)
        elif self.request.transport is not None:
            self.request.transport.abort()


class Gateway:
    """All sessions and connections, and the methods that cause faults."""

    def __init__(self, server: DiscordServer, heartbeat: float) -> None:
        self.server = server
        self.heartbeat = heartbeat
        self.sessions: dict[str, Session] = {}
        self.links: list[Link] = []
        self.log: list[Note] = []
        self.identifies = self.resumes = self.readies = self.heartbeats = 0
        self.holding = False
        self.refusing = False
        self.refuse_with: int | None = None  # the close code that answers every IDENTIFY
        self.invalid_identifies = 0  # so many IDENTIFYs are answered with an invalid session
        self.starts_left = 1000  # IDENTIFYs that are left today
        self.hanging_up: str | None = None  # "connect" or "resume": what is answered by a close
        server.backend.subscribers.append(self._event)

    @property
    def connected(self) -> int:
        """Return how many connections have a session and can be sent events."""
        return sum(link.session is not None and not link.frozen for link in self.links)

    def emit(self, event: str, payload: Mapping[str, Any]) -> None:
        """Send any event to every session, for instance GUILD_DELETE with unavailable=True."""
        self.server.backend.emit(event, payload)

    async def heard(self, within: float = 5.0) -> None:
        """Wait until the bot has received every event so far, as its heartbeats say."""
        wanted = [(session, len(session.frames)) for session in self.sessions.values()]
        async with asyncio.timeout(within):
            while any(session.heard < number for session, number in wanted):
                await asyncio.gather(*(link.send(HEARTBEAT) for link in list(self.links)))
                await asyncio.sleep(0.01)

    # ------------------------------------------------------------------ trouble

    async def drop(self, code: int | None = 4000, *, forget: bool = False) -> None:
        """Close all connections; with `forget` a RESUME will be refused (op 9 false).

        Without a code the connection ends without notice, as when a cable is pulled.
        """
        if forget:
            self.sessions.clear()
        await asyncio.gather(*(link.drop(code) for link in list(self.links)))

    async def reconnect(self) -> None:
        """Send op 7: the client must connect again."""
        await asyncio.gather(*(link.send(RECONNECT) for link in list(self.links)))

    async def invalidate(self) -> None:
        """Send op 9: the session has ended."""
        self.sessions.clear()
        await asyncio.gather(*(link.send(INVALID, False) for link in list(self.links)))

    def freeze(self) -> None:
        """Turn the present connections into zombies: open, but no events and no heartbeat ACKs."""
        for link in self.links:
            link.frozen = True

    def hold(self) -> None:
        """Hold events in order until `release`; heartbeats go on."""
        self.holding = True

    def release(self) -> None:
        """Send the events that were held."""
        self.holding = False
        for link in self.links:
            link.wake.set()

    # ------------------------------------------------------------------ protocol

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Serve one connection from HELLO to its end."""
        if self.refusing:
            return web.Response(status=503)
        ws = web.WebSocketResponse()
        await ws.prepare(request)
        link = Link(self, request, ws)
        self.links.append(link)
        self._note("connect", request.path)
        if self.hanging_up == "connect":
            await link.drop(4000)
        pump = asyncio.create_task(link.pump())
        try:
            await link.send(HELLO, {"heartbeat_interval": int(self.heartbeat * 1000), "_trace": []})
            async for message in ws:
                if message.type is WSMsgType.TEXT:
                    await self._received(link, json.loads(message.data))
        except ConnectionError:
            pass  # a client that dies while it is spoken to is a close like any other
        finally:
            pump.cancel()
            await asyncio.gather(pump, return_exceptions=True)
            self._closed(link)
        return ws

    def _closed(self, link: Link) -> None:
        self.links.remove(link)
        self._note("close", link.ws.close_code)
        session = link.session
        if session is not None:
            session.link = None
            # A client that says goodbye with 1000 or 1001 ends its session; any other may resume.
            if not link.dropped and link.ws.close_code in (1000, 1001):
                self.sessions.pop(session.id, None)

    async def _received(self, link: Link, frame: dict[str, Any]) -> None:
        op: int = frame["op"]
        data: Any = frame.get("d")
        if op == HEARTBEAT:
            self.heartbeats += 1
            if link.session is not None:
                link.session.heard = int(data or 0)
            await link.send(ACK)
        elif op == IDENTIFY:
            await self._identify(link, data)
        elif op == RESUME:
            await self._resume(link, data)
        elif op == MEMBERS and link.session is not None:
            await link.session.members.request_chunks(
                int(data["guild_id"]),
                data.get("query"),
                limit=int(data.get("limit") or 0),
                user_ids=data.get("user_ids"),
                presences=bool(data.get("presences")),
                nonce=data.get("nonce"),
            )

    async def _identify(self, link: Link, data: dict[str, Any]) -> None:
        self.identifies += 1
        self.starts_left -= 1
        self._note("identify")
        if self.refuse_with is not None:
            await link.drop(self.refuse_with)
            return
        if data["token"] != self.server.token:
            await link.drop(4004)
            return
        if self.invalid_identifies:
            self.invalid_identifies -= 1
            await link.send(INVALID, False)
            return
        number, count = data.get("shard") or (0, 1)
        session = Session(self, int(data["intents"]), (int(number), int(count)))
        if simcord_intents.missing_privileged_intents(session.intents, discord.Intents.none()):
            await link.drop(4014)
            return
        self.sessions[session.id] = session
        backend = self.server.backend
        session.push(
            "READY",
            {
                "v": 10,
                "user": dict(serializers.user_payload(backend.bot_user)),
                "guilds": [
                    {"id": str(guild_id), "unavailable": True}
                    for guild_id in backend.guilds
                    if session.serves(guild_id)
                ],
                "session_id": session.id,
                "resume_gateway_url": self.server.resume_url,
                "shard": list(session.shard),
                "application": {"id": str(backend.application_id), "flags": 0},
            },
        )
        for guild in backend.guilds.values():
            if not session.serves(guild.id):
                continue
            session.shaper.feed("GUILD_CREATE", serializers.guild_create_payload(backend, guild))
        link.attach(session, 0)

    async def _resume(self, link: Link, data: dict[str, Any]) -> None:
        self._note("resume", data.get("seq"))
        if self.hanging_up == "resume":
            await link.drop(4000)
            return
        if data["token"] != self.server.token:
            await link.drop(4004)
            return
        session = self.sessions.get(data["session_id"])
        if session is None:
            await link.send(INVALID, False)
            return
        self.resumes += 1
        session.push("RESUMED", {"_trace": []})
        link.attach(session, int(data.get("seq") or 0))

    def _event(self, event: str, payload: Mapping[str, Any]) -> None:
        if event == "MESSAGE_CREATE" and self.server.nonce is not None:
            payload = {**payload, "nonce": self.server.nonce}
        where = payload.get("guild_id") or (payload.get("id") if event.startswith("GUILD_") else None)
        for session in self.sessions.values():
            if session.serves(int(where or 0)):
                session.shaper.feed(event, payload)

    def _note(self, what: str, detail: Any = None) -> None:
        self.log.append(Note(time.monotonic() - self.server.started, what, detail))
