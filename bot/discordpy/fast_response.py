"""The answer to nearly every click, sent without what nobody reads.

The library asks for the changed message back, builds all its objects and throws them away. A test holds this
against what the library sends.
"""

from __future__ import annotations

from typing import Any

import discord
from discord.http import Route
from discord.webhook.async_ import async_context

FLAGS = discord.MessageFlags(components_v2=True).value
NOBODY: Any = discord.AllowedMentions.none().to_dict()


async def edit_clicked(interaction: discord.Interaction[Any], components: list[dict[str, Any]]) -> None:
    """Answer a click by changing its message, like ``interaction.response.edit_message``.

    Raises what that raises.
    """
    response: Any = interaction.response
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
    data = {"components": components, "flags": FLAGS, "allowed_mentions": NOBODY}
    await async_context.get().request(
        route,
        interaction._session,
        proxy=http.proxy,
        proxy_auth=http.proxy_auth,
        payload={"type": kind.value, "data": data},
    )
    response._response_type = kind
