"""Registers the commands with Discord if they have changed since the last time."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Sequence

import discord
from discord import app_commands

from bot.games.core import Json
from bot.store.base import Store

_log = logging.getLogger(__name__)


async def sync_commands(
    tree: app_commands.CommandTree[discord.Client], store: Store, guild_ids: Sequence[int], *, always: bool
) -> None:
    """Register the commands in these servers, or globally if there are none.

    With ``always``, register them even if Discord is known to have them.
    """
    application_id = tree.client.application_id
    scopes: list[discord.Object | None] = [discord.Object(guild_id) for guild_id in guild_ids]
    for scope in scopes or [None]:
        if scope is not None:
            tree.copy_global_to(guild=scope)
        text = json.dumps(await payloads(tree, scope), sort_keys=True, default=str)
        digest = hashlib.sha256(text.encode()).hexdigest()
        key = f"commands:{application_id}:{scope.id if scope else 'all'}"
        if await store.meta(key) == digest and not always:
            continue
        try:
            await tree.sync(guild=scope)
        except discord.HTTPException as error:
            # The commands that are registered already still work.
            _log.warning("The commands could not be registered; the next start tries again: %s", error)
            continue
        await store.set_meta(key, digest)
        _log.info("The commands were registered")


async def payloads(
    tree: app_commands.CommandTree[discord.Client], scope: discord.Object | None = None
) -> list[dict[str, Json]]:
    """Return Discord's description of the commands of a server, or of the global ones, in all languages."""
    commands, translator = tree.get_commands(guild=scope), tree.translator
    if translator is None:
        return [command.to_dict(tree) for command in commands]
    return [await command.get_translated_payload(tree, translator) for command in commands]
