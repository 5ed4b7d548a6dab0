"""Direct messages to people who have asked for them."""

from __future__ import annotations

import asyncio

import discord

from bot.discordpy.components import NO_MENTIONS, Rendered

SEND_SECONDS = 10.0
"""How long opening the channel and sending may take together."""


async def send_direct(client: discord.Client, user_id: int, rendered: Rendered, nonce: str) -> bool:
    """Send a direct message. Return False if the person takes none from the bot.

    Raises Discord's other errors. Discord drops a second message with the same nonce.
    """
    try:
        async with asyncio.timeout(SEND_SECONDS):
            channel = await client.create_dm(discord.Object(user_id))
            await channel.send(view=rendered.view, allowed_mentions=NO_MENTIONS, nonce=nonce)
    except discord.Forbidden:
        # Code 50007 if they closed their direct messages; others, for example without a common server.
        return False
    return True
