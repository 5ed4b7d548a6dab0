"""Posts messages that belong to no game and answer nobody."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

import discord

from bot.discordpy.components import NO_MENTIONS, Rendered

POST_SECONDS = 20.0
"""How long a post may take. The library would wait for minutes."""

REFUSED = (HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND)
"""What Discord answers if the bot may not post in a channel, or can't, or there is no such channel."""

MAX_OLDER = 500
"""How many of a channel's latest messages to look through for one that was posted already."""


async def announce(
    client: discord.Client,
    guild_id: int,
    channel_id: int,
    rendered: Rendered,
    nonce: str,
    since: float | None,
) -> bool:
    """Post a message that notifies nobody. Return False if Discord does not take it in this channel.

    Within some minutes Discord drops a second message with the same ``nonce``. With ``since``, a time in Unix
    seconds, nothing is posted if the bot has posted one with the same buttons after it. Where the bot may not
    read older messages, Discord shows it none. Raises Discord's errors for what may work later.
    """
    channel = client.get_partial_messageable(channel_id, guild_id=guild_id)
    try:
        async with asyncio.timeout(POST_SECONDS):
            if since is None or not await _is_there(client, channel, rendered, since):
                await channel.send(view=rendered.view, allowed_mentions=NO_MENTIONS, nonce=nonce, silent=True)
    except discord.HTTPException as error:
        if error.status not in REFUSED:
            raise
        return False
    return True


async def _is_there(
    client: discord.Client, channel: discord.PartialMessageable, rendered: Rendered, since: float
) -> bool:
    wanted = set(_custom_ids(rendered.to_components()))
    after = datetime.fromtimestamp(since, UTC)
    async for message in channel.history(limit=MAX_OLDER, after=after, oldest_first=False):
        if client.user is not None and message.author.id == client.user.id:
            shown = [part.to_dict() for part in message.components]
            if set(_custom_ids(shown)) == wanted:
                return True
    return False


def _custom_ids(components: Any) -> Iterator[str]:
    """Return the ids of all buttons among components as JSON."""
    if isinstance(components, dict):
        if "custom_id" in components:
            yield components["custom_id"]
        components = list(components.values())
    if isinstance(components, list):
        for part in components:
            yield from _custom_ids(part)
