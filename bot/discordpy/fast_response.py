"""Answers nearly every click, without requesting the changed message from Discord.

discord.py requests it, builds all its objects and throws them away. Written for discord.py 2.7.1;
``tests/cogs/test_fast_response.py`` compares this with what the library sends. If that fails after an
upgrade, delete this module and call ``interaction.response.edit_message`` in its place.
"""

from __future__ import annotations

import discord
from discord.http import Route
from discord.webhook.async_ import async_context

from bot.discordpy.components import Component

FLAGS = discord.MessageFlags(components_v2=True).value
NO_MENTIONS = discord.AllowedMentions.none().to_dict()


async def edit_clicked(interaction: discord.Interaction[discord.Client], components: list[Component]) -> None:
    """Answer a click by editing its message. Raises what ``interaction.response.edit_message`` raises."""
    response = interaction.response
    if response.is_done():
        raise discord.InteractionResponded(interaction)
    http = interaction._state.http
    route = Route(
        "POST",
        "/interactions/{webhook_id}/{webhook_token}/callback",
        webhook_id=interaction.id,
        webhook_token=interaction.token,
    )
    kind = discord.InteractionResponseType.message_update
    data = {"components": components, "flags": FLAGS, "allowed_mentions": NO_MENTIONS}
    await async_context.get().request(
        route,
        interaction._session,
        proxy=http.proxy,
        proxy_auth=http.proxy_auth,
        payload={"type": kind.value, "data": data},
    )
    response._response_type = kind
