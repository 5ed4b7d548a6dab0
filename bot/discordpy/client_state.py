"""Changes to discord.py's internal state that the client needs to start and stop cleanly.

Written for discord.py 2.7.1. ``tests/cogs/test_client_state.py`` checks that the library has the names
used here, and ``tests/process/test_starts.py`` stops a bot while it starts. If they fail after an upgrade,
try whether the bot stops cleanly without the function concerned, and if so delete it.
"""

from __future__ import annotations

import discord


def expect_no_voice() -> None:
    """Keep the library from warning that voice needs further packages, which the bot does not need.

    The library has global flags for this, which it clears itself at its first warning.
    """
    discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False


def cancel_ready(client: discord.AutoShardedClient) -> None:
    """Cancel the ready event, which a client closed during its start would still dispatch."""
    waiting = client._connection._ready_task
    if waiting is not None:
        waiting.cancel()


async def prepare_close(client: discord.AutoShardedClient) -> None:
    """If the client was never started, create what :meth:`~discord.AutoShardedClient.close` needs."""
    if not hasattr(client, "_AutoShardedClient__queue"):
        await client._async_setup_hook()
