"""A Discord on loopback: REST and gateway over simcord's backend, outliving the bots that use it."""

from __future__ import annotations

import asyncio
import copy
import re
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Self, TypeVar

from aiohttp import web
from simcord._clock import Clock
from simcord.backend import Backend, permissions, serializers
from simcord.backend.errors import BackendError
from simcord.backend.models import Channel, Guild, Overwrite
from simcord.enums import ChannelType, OverwriteType
from simcord.http import routes as _routes  # noqa: F401 - registers every route
from simcord.http.router import dispatch

from bot.discordpy.preview.strictness import strict
from tests.support.contract import simcord_side
from tests.support.contract.checks import Contract
from tests.support.contract.request import Request
from tests.support.discord_server import calls
from tests.support.discord_server.calls import Call
from tests.support.discord_server.faults import Faults, Rule
from tests.support.discord_server.gateway import Gateway
from tests.support.invited import grant_invited
from tests.support.screen import Message

if TYPE_CHECKING:
    from tests.support.discord_server.people import Reply

T = TypeVar("T")

CALLBACK = re.compile(r"^/interactions/(?P<id>\d+)/[^/]+/callback$")
WEBHOOK = re.compile(r"^/webhooks/\d+/(?P<token>[^/]+)(/|$)")
MESSAGES = re.compile(r"^/channels/(?P<channel>\d+)/messages$")
_dispatch = strict(dispatch)
GAP = 405  # a status that neither discord.py's client nor its webhooks retry


class WallClock(Clock):
    """Real time, as the bot's process sees it, plus an offset that a test sets."""

    def now(self) -> datetime:
        """Return the present time."""
        return datetime.now(UTC) + timedelta(seconds=self.elapsed)


class DiscordServer:
    """A whole Discord for one test: world, REST, gateway, faults and transcript.

    Use as `async with DiscordServer() as server`. Leaving it fails if the bot used a route that
    simcord does not know, if a handler broke, or if a request was not one that Discord takes.
    """

    def __init__(self, *, token: str = "wire-token", heartbeat: float = 41.25) -> None:
        self.token = token
        self.started = time.monotonic()
        self.backend = Backend(clock=WallClock())
        self.faults = Faults()
        self.gateway = Gateway(self, heartbeat)
        self.calls: list[Call] = []
        self.gaps: list[str] = []
        self.contract = Contract()
        self.replies: dict[int, Reply] = {}
        self.nonce: str | None = None  # of the message being posted right now
        self.port = 0
        self._nonces: dict[tuple[str, str], int] = {}
        self._runner: web.AppRunner | None = None

    # ------------------------------------------------------------------ life

    async def start(self) -> Self:
        """Listen on a free port of the loopback interface."""
        app = web.Application(client_max_size=26 * 1024 * 1024)
        app.router.add_get("/gateway", self.gateway.handle)
        app.router.add_get("/resume", self.gateway.handle)
        app.router.add_route("*", "/api/{version}/{tail:.*}", self._rest)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.port = self._runner.addresses[0][1]
        return self

    async def close(self) -> None:
        """Release everything held, cut the connections and stop listening."""
        self.faults.clear()
        await self.gateway.drop(None)
        if self._runner is not None:
            await self._runner.cleanup()

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        await self.close()
        if kind is None:
            self.check()

    def check(self) -> None:
        """Fail if the bot made a request that this server can't handle, or that Discord would refuse."""
        assert not self.gaps, "not modelled:\n" + "\n".join(self.gaps)
        self.contract.verify()

    @property
    def api_url(self) -> str:
        """Return the value for DISCORD_API_URL."""
        return f"http://127.0.0.1:{self.port}/api/v10"

    @property
    def gateway_url(self) -> str:
        """Return the value for DISCORD_GATEWAY_URL."""
        return f"ws://127.0.0.1:{self.port}/gateway"

    @property
    def resume_url(self) -> str:
        """Return the address for resuming that READY names: another path, so that tests can tell."""
        return f"ws://127.0.0.1:{self.port}/resume"

    def env(self) -> dict[str, str]:
        """Return the environment that makes a bot connect to this server."""
        return {
            "DISCORD_TOKEN": self.token,
            "DISCORD_API_URL": self.api_url,
            "DISCORD_GATEWAY_URL": self.gateway_url,
        }

    # ------------------------------------------------------------------ world

    def add_guild(self, name: str = "Friends", *, locale: str = "en-US") -> Guild:
        """Add a guild that the bot is in, with the permissions that its invite link asks for."""
        guild = self.backend.create_guild(name, preferred_locale=locale)
        grant_invited(self.backend, guild)
        return guild

    def add_channel(
        self, guild: Guild, name: str = "dice", *, type: ChannelType = ChannelType.TEXT
    ) -> Channel:
        """Add a channel to a guild."""
        return self.backend.create_channel(guild.id, name, type=type)

    def deny(self, channel: Channel, *names: str, user_id: int | None = None) -> None:
        """Take permissions in a channel from the bot or a user; without names, give all of them back."""
        target = self.backend.bot_user.id if user_id is None else user_id
        kept = [item for item in channel.overwrites if item.target_id != target]
        if names:
            denied = 0
            for name in names:
                denied |= permissions.flag(name)
            kept.append(Overwrite(target, OverwriteType.MEMBER, deny=denied))
        self.backend.edit_channel(channel.id, {}, overwrites=kept)

    @contextmanager
    def dated(self, seconds_ago: float) -> Iterator[None]:
        """Date everything that is posted meanwhile, with its id, so many seconds ago.

        Await replies inside: the interactions' tokens are that old as well.
        """
        self.backend.advance_clock(-seconds_ago)
        try:
            yield
        finally:
            self.backend.advance_clock(seconds_ago)

    def message(self, channel: Channel | int, message_id: int | str) -> Message | None:
        """Return a message as JSON, ephemeral ones included, or None if it does not exist any more."""
        stored = self.backend.messages.get(_id(channel), {}).get(int(message_id))
        if stored is None:
            return None
        return copy.deepcopy(dict(serializers.message_payload(self.backend, stored)))

    def messages(self, channel: Channel | int) -> list[Message]:
        """Return the messages that everybody sees in a channel, oldest first."""
        stored = self.backend.messages.get(_id(channel), {})
        found = (self.message(channel, item) for item in sorted(stored) if not stored[item].is_ephemeral)
        return [message for message in found if message is not None]

    # ------------------------------------------------------------------ waiting

    def now(self) -> float:
        """Return the seconds since the server was made, the time scale of the transcript."""
        return time.monotonic() - self.started

    async def until(self, check: Callable[[], T], within: float = 5.0, what: str = "") -> T:
        """Wait until `check()` is true. Return its value."""
        deadline = time.monotonic() + within
        while not (value := check()):
            if time.monotonic() > deadline:
                tail = "\n".join(str(call) for call in self.calls[-8:])
                raise TimeoutError(f"waited {within} s for {what or check}; last calls:\n{tail}")
            await asyncio.sleep(0.01)
        return value

    async def reaches(self, count: Callable[[], int], wanted: int, within: float = 15.0) -> None:
        """Wait until `count()` has reached `wanted`."""
        await self.until(lambda: count() >= wanted, within, f"{wanted} of them")

    async def quiet(self, seconds: float = 0.15, within: float = 10.0) -> None:
        """Wait until no REST call has been made or answered for so many seconds."""

        def idle() -> bool:
            last = max((call.at + (call.took or 0) for call in self.calls), default=0.0)
            return all(call.took is not None for call in self.calls) and self.now() - last >= seconds

        await self.until(idle, within, "silence")

    def calls_to(self, method: str, path: str) -> list[Call]:
        """Return the calls with this method whose path contains this regular expression."""
        return [call for call in self.calls if call.method == method and re.search(path, call.path)]

    # ------------------------------------------------------------------ REST

    async def _rest(self, request: web.Request) -> web.StreamResponse:
        call = await calls.read(request, self.now())
        self.calls.append(call)
        rule = self.faults.match(call.method, call.path)
        try:
            return await self._serve(request, call, rule)
        finally:
            call.took = self.now() - call.at
            reply = self._reply_to(call)
            if reply is not None:
                reply.tries.append(call)

    async def _serve(self, request: web.Request, call: Call, rule: Rule | None) -> web.StreamResponse:
        if not self._authorised(request, call.path):
            return calls.answer(call, 401, {"message": "401: Unauthorized", "code": 0})
        spoilt = None
        if rule is not None:
            call.fault = f"{rule.name} after" if rule.after else rule.name
            spoilt = None if rule.after else await self._spoil(request, call, rule)
        self._check(call)
        if spoilt is not None:
            return spoilt
        status, body = self._perform(call)
        call.effect = status < 400
        reply = self._reply_to(call)
        if reply is not None and call.effect:
            reply.acknowledge(call, self.now())
        if rule is not None and rule.after:
            spoilt = await self._spoil(request, call, rule)
            if spoilt is not None:
                return spoilt
        return calls.answer(call, status, body, rule.headers if rule else None)

    async def _spoil(self, request: web.Request, call: Call, rule: Rule) -> web.StreamResponse | None:
        """Apply a rule. Return None if the call may go on."""
        await rule.wait()
        if rule.cut:
            transport = request.transport
            if transport is not None:
                if rule.reset:
                    linger = struct.pack("ii", 1, 0)
                    transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                transport.abort()
            return web.Response()
        if rule.status is not None:
            return calls.answer(call, rule.status, rule.body, rule.headers)
        return None

    def _check(self, call: Call) -> None:
        """Check that Discord would take a call, even if it fails here."""
        files = simcord_side.uploads(call.files)
        request = Request(call.method, call.path, call.query, call.json, files)
        self.contract.check(request, simcord_side.situation(self.backend, request))

    def _authorised(self, request: web.Request, path: str) -> bool:
        # Interaction callbacks and webhooks carry their own token in the path.
        if CALLBACK.match(path) or WEBHOOK.match(path) or path == "/gateway":
            return True
        return request.headers.get("Authorization") == f"Bot {self.token}"

    def _perform(self, call: Call) -> tuple[int, Any]:
        """Carry a call out in one step. Return Discord's status and answer."""
        try:
            if call.path in ("/gateway", "/gateway/bot"):
                return 200, self._gateway_info()
            self._check_token(call.path)
            return self._dispatch(call)
        except BackendError as error:
            if error.status == 501:  # simcord's own way to say that it does not know this
                return self._gap(call, error)
            return error.status, error.to_json()
        except Exception as error:
            return self._gap(call, error)

    def _dispatch(self, call: Call) -> tuple[int, Any]:
        nonce, known = self._known_nonce(call)
        if known is not None:
            return 200, known
        self.nonce = nonce
        try:
            body = _dispatch(
                self.backend,
                call.method,
                call.path,
                json=call.json,
                params=dict(call.query),
                files=list(call.files),
                reason=call.reason,
            )
        finally:
            self.nonce = None
        if nonce is not None and isinstance(body, dict):
            body["nonce"] = nonce
            self._nonces[call.path, nonce] = int(body["id"])
        if CALLBACK.match(call.path) and call.query.get("with_response") not in ("1", "true"):
            return 204, None
        return (204, None) if body is None else (200, copy.deepcopy(body))

    def _known_nonce(self, call: Call) -> tuple[str | None, Message | None]:
        """Return the nonce of a message about to be posted, and the message already posted with it."""
        match = MESSAGES.match(call.path)
        if match is None or call.method != "POST" or not isinstance(call.json, dict):
            return None, None
        if call.json.get("nonce") is None:
            return None, None
        nonce = str(call.json["nonce"])
        made = self._nonces.get((call.path, nonce))
        if made is None or not call.json.get("enforce_nonce"):
            return nonce, None
        message = self.message(int(match["channel"]), made)
        return nonce, message and {**message, "nonce": nonce}

    def _check_token(self, path: str) -> None:
        """Refuse a token that is older than 15 minutes, with Discord's error."""
        match = WEBHOOK.match(path)
        if match and (known := self.backend.interaction_tokens.get(match["token"])):
            expires = self.backend.interactions[known].expires_at
            if expires is not None and self.backend.now_iso() >= expires:
                raise BackendError(401, 50027, "Invalid Webhook Token")

    def _gateway_info(self) -> dict[str, Any]:
        left = self.gateway.starts_left
        limit = {"total": 1000, "remaining": left, "reset_after": 3_600_000, "max_concurrency": 1}
        return {"url": self.gateway_url, "shards": 1, "session_start_limit": limit}

    def _gap(self, call: Call, error: Exception) -> tuple[int, Any]:
        self.gaps.append(f"{call.method} {call.path}: {type(error).__name__}: {error}")
        return GAP, {"message": f"not modelled: {error}", "code": 0}

    def _reply_to(self, call: Call) -> Reply | None:
        match = CALLBACK.match(call.path)
        return self.replies.get(int(match["id"])) if match else None


def _id(channel: Channel | int) -> int:
    return channel if isinstance(channel, int) else channel.id
