"""How a lost connection to Discord's gateway is taken up again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from discord.gateway import DiscordWebSocket, ReconnectWebSocket
from discord.shard import Shard

PAUSE_SECONDS = 5.0
"""Discord takes one IDENTIFY in so long."""

DISCORDS = ".discord.gg"
"""How the hosts of Discord's own gateways end."""


class IdentifyLimiter:
    """Keeps the IDENTIFYs of this process as far apart as Discord asks, and no further.

    ``clock`` gives seconds and never goes back; by default it is the running loop's.
    """

    def __init__(self, clock: Callable[[], float] | None = None) -> None:
        self._clock = clock
        self._last: float | None = None

    async def wait(self) -> None:
        """Wait for the rest of :data:`PAUSE_SECONDS` since the last time."""
        clock = self._clock or asyncio.get_running_loop().time
        if self._last is not None:
            await asyncio.sleep(max(0.0, self._last + PAUSE_SECONDS - clock()))
        self._last = clock()


async def _reconnect(shard: Shard) -> None:
    """Connect again and go on with the session, so that clicks made meanwhile are delivered.

    The library's own way begins a new session after most breaks, as an unsharded client does not. Discord
    answers with an invalid session where there is none to go on with, and then the library begins a new one.
    """
    await shard.reidentify(ReconnectWebSocket(shard.id, resume=True))


_reidentify = Shard.reidentify


async def _reidentify_well(shard: Shard, wanted: ReconnectWebSocket) -> None:
    """Go on with a session only where there is one, and past no proxy that is set.

    A session that ended has no id; a proxy may leave a RESUME without one unanswered for ever. READY names
    an address of Discord's to go on at, and not every proxy puts its own in its place.
    """
    if wanted.resume and shard.ws.session_id is None:
        wanted = ReconnectWebSocket(shard.id, resume=False)
    elif _of_discord(shard.ws.gateway.host) and not _of_discord(DiscordWebSocket.DEFAULT_GATEWAY.host):
        shard.ws.gateway = DiscordWebSocket.DEFAULT_GATEWAY
    await _reidentify(shard, wanted)


def _of_discord(host: str | None) -> bool:
    return host is not None and host.endswith(DISCORDS)


Shard.reconnect = _reconnect  # type: ignore[assignment,method-assign]
Shard.reidentify = _reidentify_well  # type: ignore[assignment,method-assign]
