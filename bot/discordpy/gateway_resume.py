"""Connects to Discord's gateway no faster than allowed, and resumes the session after a disconnect."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import cast

from discord import AutoShardedClient
from discord.gateway import DiscordWebSocket, ReconnectWebSocket
from discord.shard import EventItem, EventType, Shard

from bot.discordpy.reconnect_delays import ReconnectDelays
from bot.discordpy.session_starts import check_starts

PAUSE_SECONDS = 5.0
"""The time in which Discord accepts one IDENTIFY."""

DISCORD_DOMAIN = ".discord.gg"
"""The end of the host names of Discord's own gateways."""

_log = logging.getLogger(__name__)


class IdentifyLimiter:
    """Keeps the IDENTIFYs of this process :data:`PAUSE_SECONDS` apart.

    ``clock`` returns monotonic seconds; by default it is the running loop's.
    """

    def __init__(self, clock: Callable[[], float] | None = None) -> None:
        self._clock = clock
        self._last: float | None = None

    async def wait(self) -> None:
        """Wait until another IDENTIFY is allowed."""
        clock = self._clock or asyncio.get_running_loop().time
        if self._last is not None:
            await asyncio.sleep(max(0.0, self._last + PAUSE_SECONDS - clock()))
        self._last = clock()


def resume_sessions(client: AutoShardedClient, shard_id: int, delays: ReconnectDelays) -> None:
    """Make a newly launched shard resume its session whenever its connection breaks.

    Written for discord.py 2.7.1, whose shards begin a new session after most breaks, so that clicks made
    meanwhile are lost; an unsharded client resumes. They also begin sessions for ever if Discord ends each at
    once. ``tests/cogs/test_gateway_resume.py`` tests this with the library. If it fails after an upgrade,
    delete everything here but :class:`IdentifyLimiter`, and ``ShardedBot.launch_shard``: the library
    reconnects by itself.
    """
    shard_info = client.get_shard(shard_id)
    if shard_info is not None:
        keep_session(shard_info._parent, delays)


def keep_session(shard: Shard, delays: ReconnectDelays) -> None:
    """Count the session that this shard has begun, and replace the two methods with which it reconnects."""
    delays.before_identify(shard.id, asyncio.get_running_loop().time())
    reconnector = _Reconnector(shard, delays)
    shard.reconnect = reconnector.reconnect  # type: ignore[method-assign]
    shard.reidentify = reconnector.reidentify  # type: ignore[assignment, method-assign]


class _Reconnector:
    """Connects a shard again: resumes its session, if it has one, and waits after failures."""

    def __init__(self, shard: Shard, delays: ReconnectDelays) -> None:
        self._shard = shard
        self._delays = delays
        self._need_not_wait: ReconnectWebSocket | None = None
        """The request that is carried out at once: it has waited already."""

    async def reconnect(self) -> None:
        """Connect again and resume the session; the library has waited already.

        If there is none to resume, Discord answers with an invalid session, and the library begins a new one.
        """
        self._need_not_wait = ReconnectWebSocket(self._shard.id, resume=True)
        await self.reidentify(self._need_not_wait)

    async def reidentify(self, request: ReconnectWebSocket) -> None:
        """Resume only an existing session, and always through the proxy if one is set.

        An ended session has no id, and a proxy may never answer a RESUME without one. READY contains
        Discord's address for resuming, which not every proxy replaces with its own. A request is an exception
        that the library has caught.

        Raises :class:`bot.discordpy.session_starts.StartsExhausted`, which ends the client.
        """
        shard = self._shard
        if request.resume and shard.ws.session_id is None:
            request = ReconnectWebSocket(shard.id, resume=False)
        if request is not self._need_not_wait and (delay := await self._delay(request)):
            # Sleeping here would hold up the other shards; the library hands over the request again.
            self._need_not_wait = request
            kind = EventType.resume if request.resume else EventType.identify
            loop = asyncio.get_running_loop()
            loop.call_later(delay, shard._queue_put, EventItem(kind, shard, request))
            return
        self._need_not_wait = None
        if request.resume and _is_discords(shard.ws.gateway.host) and behind_proxy():
            shard.ws.gateway = DiscordWebSocket.DEFAULT_GATEWAY
        await Shard.reidentify(shard, request)

    async def _delay(self, request: ReconnectWebSocket) -> float:
        """Return how many seconds a request has to wait. Raises as :meth:`reidentify`."""
        shard = self._shard
        if request.resume:
            return self._delays.before_resume(shard.id)
        delay, failed = self._delays.before_identify(shard.id, asyncio.get_running_loop().time())
        # A proxy keeps its own sessions with Discord: accepting ours uses none of the day's.
        if failed or not behind_proxy():
            await check_starts(cast(AutoShardedClient, shard._client))
        if failed:
            _log.warning(
                "Discord has ended %d new session%s of shard %s in a row; the next begins in %.0f s",
                *(failed, "" if failed == 1 else "s", shard.id, delay + PAUSE_SECONDS),
            )
        return delay


def behind_proxy() -> bool:
    """Return whether the gateway is another than Discord's own."""
    return not _is_discords(DiscordWebSocket.DEFAULT_GATEWAY.host)


def _is_discords(host: str | None) -> bool:
    return host is not None and host.endswith(DISCORD_DOMAIN)
