"""Registers the commands with Discord if they have changed since the last time."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Sequence
from contextlib import suppress

import discord
from discord import app_commands

from bot.games.core import Json
from bot.store.base import Store

_log = logging.getLogger(__name__)


async def sync_commands(
    tree: app_commands.CommandTree[discord.Client],
    store: Store,
    guild_ids: Sequence[int],
    owner_guild_id: int | None = None,
    *,
    always: bool,
) -> None:
    """Register the commands in these servers, or globally if none is given, and the owner's in theirs.

    Remove the commands from where they were registered before. With ``always``, register them even if
    Discord is known to have them.
    """
    application_id = tree.client.application_id
    for guild_id in guild_ids:
        tree.copy_global_to(guild=discord.Object(guild_id))
    wanted = {str(guild_id) for guild_id in guild_ids} or {"all"}
    if owner_guild_id is not None:
        wanted.add(str(owner_guild_id))
    places_key = f"commands:{application_id}:places"
    before = {place for place in (await store.meta(places_key) or "").split() if place.isdecimal()}
    if await store.meta(f"commands:{application_id}:all"):
        before.add("all")
    await store.set_meta(places_key, " ".join(sorted(before | wanted)))
    remaining = set(wanted)
    for place in sorted(before - wanted) + sorted(wanted):
        scope = None if place == "all" else discord.Object(int(place))
        described = await payloads(tree, scope) if place in wanted else []
        text = json.dumps(described, sort_keys=True, default=str)
        digest = hashlib.sha256(text.encode()).hexdigest()
        key = f"commands:{application_id}:{place}"
        if await store.meta(key) == digest and not (always and place in wanted):
            continue
        try:
            await _register(tree, scope, described)
        except discord.HTTPException as error:
            # The commands that are registered already still work.
            _log.warning("The commands could not be registered; the next start tries again: %s", error)
            remaining.add(place)
            continue
        await store.set_meta(key, digest)
        _log.info("The commands were registered" if place in wanted else "Old commands were taken away")
    await store.set_meta(places_key, " ".join(sorted(remaining)))


async def _register(
    tree: app_commands.CommandTree[discord.Client],
    scope: discord.Object | None,
    described: list[dict[str, Json]],
) -> None:
    """Register the commands of a server, or the global ones. An empty list removes them.

    :meth:`CommandTree.sync` would describe and translate all of them once more.
    """
    http, application_id = tree.client.http, tree.client.application_id or 0
    if scope is None:
        await http.bulk_upsert_global_commands(application_id, described)
    else:
        # The server may have removed the bot, and its commands with it.
        with suppress(*(() if described else (discord.Forbidden, discord.NotFound))):
            await http.bulk_upsert_guild_commands(application_id, scope.id, described)


async def payloads(
    tree: app_commands.CommandTree[discord.Client], scope: discord.Object | None = None
) -> list[dict[str, Json]]:
    """Return Discord's description of the commands of a server, or of the global ones, in all languages."""
    commands, translator = tree.get_commands(guild=scope), tree.translator
    if translator is None:
        return [command.to_dict(tree) for command in commands]
    return [await command.get_translated_payload(tree, translator) for command in commands]
