"""Threads in the in-process Discord: made, archived, locked and opened again."""

from __future__ import annotations

import discord
from simcord import ChannelHandle
from simcord.backend.models import Channel
from simcord.enums import ChannelType

from tests.support.world import World


def show_history(world: World) -> None:
    """Let everybody see older messages, as by default in Discord; else no thread is started from one."""
    everyone = world.guild._guild.everyone_role
    value = everyone.permissions | discord.Permissions(read_message_history=True).value
    world.env.backend.edit_role(world.guild.id, everyone.id, {"permissions": value})


def thread(world: World, *, private: bool = False, invited: bool = True) -> ChannelHandle:
    """Make a thread of Anna's in the world's channel; if ``invited``, the bot is in a private one."""
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


async def delete_parent(world: World, channel: ChannelHandle) -> None:
    """Delete a channel with its threads, about which Discord sends no events of their own."""
    backend = world.env.backend
    for thread_id in list(world.guild._guild.thread_ids):
        if backend.get_channel(thread_id).parent_id == channel.id:
            world.guild._guild.thread_ids.remove(thread_id)
            del backend.channels[thread_id], backend.messages[thread_id]
    backend.delete_channel(channel.id)
    await world.settle()


async def delete_unseen(world: World, channel: ChannelHandle) -> None:
    """Delete a channel while the bot is away, and start the bot again."""
    backend = world.env.backend
    heard, backend.subscribers = backend.subscribers, []
    backend.delete_channel(channel.id)
    backend.subscribers = heard
    await world.restart()
    await world.settle()
