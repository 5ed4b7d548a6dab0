"""Posts messages that belong to no game and answer nobody."""

from __future__ import annotations

import asyncio

import discord

from bot.discordpy.components import NO_MENTIONS, Rendered

POST_SECONDS = 20.0
"""How long a post may take. The library would wait for minutes."""

REFUSED = (400, 403, 404)
"""What Discord answers if the bot may not post in a channel, or can't, or there is no such channel."""


async def announce(
    client: discord.Client, guild_id: int, channel_id: int, rendered: Rendered, nonce: str
) -> bool:
    """Post a message that notifies nobody. Return False if Discord does not take it in this channel.

    Within some minutes Discord drops a second message with the same ``nonce``. Raises Discord's errors for
    what may work later.
    """
    channel = client.get_partial_messageable(channel_id, guild_id=guild_id)
    try:
        async with asyncio.timeout(POST_SECONDS):
            await channel.send(view=rendered.view, allowed_mentions=NO_MENTIONS, nonce=nonce, silent=True)
    except discord.HTTPException as error:
        if error.status not in REFUSED:
            raise
        return False
    return True
