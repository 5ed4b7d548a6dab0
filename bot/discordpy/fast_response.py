"""Answers nearly every click, and most requests in private, without requesting the message from Discord.

discord.py requests it, builds all its objects and throws them away; and it would keep the object of a form
until somebody submits it. Written for discord.py 2.7.1; ``tests/cogs/test_fast_response.py`` compares this
with what the library sends. If that fails after an upgrade, delete this module and call
``interaction.response.edit_message``, ``send_message`` and ``send_modal`` in its place.
"""

from __future__ import annotations

from contextlib import suppress

import discord
from discord.http import Route
from discord.webhook.async_ import async_context

from bot.discordpy.components import Component
from bot.games.core import Json

FLAGS = discord.MessageFlags(components_v2=True).value
"""The flags of every message; a private one has :data:`EPHEMERAL` as well."""

EPHEMERAL = discord.MessageFlags(ephemeral=True).value
NO_MENTIONS_JSON = discord.AllowedMentions.none().to_dict()


async def edit_clicked(interaction: discord.Interaction[discord.Client], components: list[Component]) -> None:
    """Answer a click by editing its message. Raises what ``interaction.response.edit_message`` raises."""
    data = {"components": components, "flags": FLAGS, "allowed_mentions": NO_MENTIONS_JSON}
    await _respond(interaction, discord.InteractionResponseType.message_update, data)


async def send_private(interaction: discord.Interaction[discord.Client], components: list[Component]) -> None:
    """Answer with a private message. Raises what ``interaction.response.send_message`` raises."""
    data = {"components": components, "flags": FLAGS | EPHEMERAL, "allowed_mentions": NO_MENTIONS_JSON}
    await _respond(interaction, discord.InteractionResponseType.channel_message, data)


async def open_form(interaction: discord.Interaction[discord.Client], data: Component) -> None:
    """Answer a click by opening a form. Raises what ``interaction.response.send_modal`` raises."""
    await _respond(interaction, discord.InteractionResponseType.modal, data)


def forget_response(interaction: discord.Interaction[discord.Client]) -> None:
    """Separate a handled interaction from its response, so that both are freed at once.

    The library lets them refer to each other, so that some twenty objects of each click would stay until
    Python looks for such cycles, which stops everything else for as long.
    """
    with suppress(AttributeError):
        del interaction._cs_response  # type: ignore[attr-defined]


async def _respond(
    interaction: discord.Interaction[discord.Client],
    kind: discord.InteractionResponseType,
    data: dict[str, Json],
) -> None:
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
    await async_context.get().request(
        route,
        interaction._session,
        proxy=http.proxy,
        proxy_auth=http.proxy_auth,
        payload={"type": kind.value, "data": data},
    )
    response._response_type = kind
