"""Threads in the in-process Discord, as strict as Discord's documents: archived, locked, private.

An archived thread takes no edit (50083); a new message opens it again, except in a locked thread, where only
members with Manage Threads post (160005).
"""

from __future__ import annotations

from typing import Any

import discord
import pytest
from simcord import ChannelHandle
from simcord.backend.errors import BackendError
from simcord.backend.models import Channel
from simcord.enums import CallbackType, ChannelType
from simcord.http import router

from tests.support.world import World

ARCHIVED, LOCKED = 50083, 160005


def obey(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let archived and locked threads refuse what Discord refuses."""
    original = router.dispatch

    def dispatch(backend: Any, method: str, path: str, **more: Any) -> Any:
        _check(backend, method, path.strip("/").split("/"), more.get("json"))
        return original(backend, method, path, **more)

    monkeypatch.setattr(router, "dispatch", dispatch)


def _check(backend: Any, method: str, path: list[str], body: Any) -> None:
    edits = posts = False
    channel_id = 0
    match method, path:
        case "PATCH", ["channels", number, "messages", _]:
            channel_id, edits = int(number), True
        case "POST", ["channels", number, "messages"]:
            channel_id, posts = int(number), True
        case "POST", ["interactions", number, _, "callback"]:
            interaction = backend.interactions.get(int(number))
            if interaction is None:
                return
            channel_id = interaction.channel_id
            edits = body["type"] == CallbackType.UPDATE_MESSAGE
            posts = body["type"] == CallbackType.CHANNEL_MESSAGE_WITH_SOURCE and not interaction.ephemeral
    channel = backend.channels.get(channel_id)
    if channel is None or channel.thread_metadata is None or not (edits or posts):
        return
    about = channel.thread_metadata
    if edits and about.archived:
        raise BackendError(400, ARCHIVED, "Thread is archived")
    if posts and path[0] == "channels":
        mine = backend.compute_permissions(channel.guild_id, backend.bot_user.id, channel.id)
        if about.locked and not mine & discord.Permissions.manage_threads.flag:
            raise BackendError(403, LOCKED, "Thread is locked")
        if about.archived:
            backend.edit_channel(channel.id, {}, thread_metadata={"archived": False})


def thread(world: World, *, private: bool = False, invited: bool = True) -> ChannelHandle:
    """A thread of Anna's in the world's channel; ``invited``: the bot is in a private one."""
    kind = ChannelType.PRIVATE_THREAD if private else ChannelType.PUBLIC_THREAD
    made = world.env.backend.create_thread(
        world.channel.id, "dice", world.anna.id, type=kind, broadcast=invited or not private
    )
    for person in (world.ben, world.chiara):
        made.thread_members[person.id] = world.env.backend.now_iso()
    if private and invited:
        made.thread_members[world.env.backend.bot_user.id] = world.env.backend.now_iso()
    return ChannelHandle(world.env, world.guild, made)


async def change(world: World, handle: ChannelHandle, **metadata: bool) -> None:
    """Archive or lock a thread, or open it again."""
    world.env.backend.edit_channel(handle.id, {}, thread_metadata=metadata)
    await world.settle()


def is_archived(world: World, handle: ChannelHandle) -> bool:
    channel: Channel = world.env.backend.get_channel(handle.id)
    assert channel.thread_metadata is not None
    return channel.thread_metadata.archived
