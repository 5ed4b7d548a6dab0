"""Tells whether Discord answers the heartbeats of the gateway connections.

A connection can die without a word; discord.py notices that only after a minute without any message.
Written for discord.py 2.7.1; ``tests/process/test_gateway.py`` tests it with the library. If that fails after
an upgrade, delete this module and its call in ``ShardedBot.problem``: ``/healthz`` then shows a dead
connection later.
"""

from __future__ import annotations

import time

import discord

LATE_SECONDS = 5.0
"""A heartbeat that is not answered for so long is late; an answer usually takes a tenth of a second."""


def late_heartbeat(client: discord.AutoShardedClient) -> str | None:
    """Return in words for how long Discord has answered no heartbeat, or None if none is late."""
    now = time.perf_counter()
    for shard in client.shards.values():
        heartbeat = shard._parent.ws._keep_alive
        # Not since _last_send: another thread notes that, maybe only after the answer has arrived.
        if heartbeat is not None and heartbeat.interval is not None:
            silent = now - heartbeat._last_ack
            if silent > heartbeat.interval + LATE_SECONDS:
                return f"Discord has answered no heartbeat of shard {shard.id} for {silent:.0f} s"
    return None
