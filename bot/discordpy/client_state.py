"""What the client needs of the library's own state to start and stop cleanly.

Written for discord.py 2.7.1. ``tests/cogs/test_client_state.py`` holds the names used here against the
library, and ``tests/process/test_starts.py`` stops a bot while it starts. If they fail after an upgrade, try
whether the bot stops cleanly without the function concerned, and if so delete it.
"""

from __future__ import annotations

import discord


def expect_no_voice() -> None:
    """Keep the library from warning that voice needs further packages; the bot has no voice.

    The library keeps this in flags of the whole process, which it clears itself at its first warning.
    """
    discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False


def cancel_ready(client: discord.AutoShardedClient) -> None:
    """Don't announce readiness any more: a client that is closed while it starts would still do so."""
    waiting = client._connection._ready_task
    if waiting is not None:
        waiting.cancel()


async def prepare_close(client: discord.AutoShardedClient) -> None:
    """Make what :meth:`~discord.AutoShardedClient.close` needs, where the client was never started."""
    if not hasattr(client, "_AutoShardedClient__queue"):
        await client._async_setup_hook()
