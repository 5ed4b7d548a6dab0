"""Connects to Discord's gateway no faster than allowed, and resumes the session after a disconnect."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from discord import AutoShardedClient
from discord.gateway import DiscordWebSocket, ReconnectWebSocket
from discord.shard import Shard

PAUSE_SECONDS = 5.0
"""The time in which Discord accepts one IDENTIFY."""

DISCORD_DOMAIN = ".discord.gg"
"""The end of the host names of Discord's own gateways."""


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


def resume_sessions(client: AutoShardedClient, shard_id: int) -> None:
    """Make a newly launched shard resume its session whenever its connection breaks.

    Written for discord.py 2.7.1, whose shards begin a new session after most breaks, so that clicks made
    meanwhile are lost; an unsharded client resumes. ``tests/cogs/test_gateway_resume.py`` tests this with the
    library. If it fails after an upgrade, delete everything here but :class:`IdentifyLimiter`, and
    ``DiceBot.launch_shard``: the library reconnects by itself.
    """
    info = client.get_shard(shard_id)
    if info is not None:
        keep_session(info._parent)


def keep_session(shard: Shard) -> None:
    """Replace the two methods with which this shard connects again."""
    shard.reconnect = partial(_reconnect, shard)  # type: ignore[method-assign]
    shard.reidentify = partial(_reidentify, shard)  # type: ignore[method-assign]


async def _reconnect(shard: Shard) -> None:
    """Connect again and resume the session.

    If there is none to resume, Discord answers with an invalid session, and the library begins a new one.
    """
    await shard.reidentify(ReconnectWebSocket(shard.id, resume=True))


async def _reidentify(shard: Shard, wanted: ReconnectWebSocket) -> None:
    """Resume only an existing session, and always through the proxy if one is set.

    An ended session has no id, and a proxy may never answer a RESUME without one. READY contains Discord's
    address for resuming, which not every proxy replaces with its own.
    """
    if wanted.resume and shard.ws.session_id is None:
        wanted = ReconnectWebSocket(shard.id, resume=False)
    elif _is_discords(shard.ws.gateway.host) and not _is_discords(DiscordWebSocket.DEFAULT_GATEWAY.host):
        shard.ws.gateway = DiscordWebSocket.DEFAULT_GATEWAY
    await Shard.reidentify(shard, wanted)


def _is_discords(host: str | None) -> bool:
    return host is not None and host.endswith(DISCORD_DOMAIN)
