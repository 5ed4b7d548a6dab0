"""What Discord refuses and simcord does not, and the permissions of a bot that was invited.

Refused are messages in archived and locked threads, files without Attach Files, and messages in voice and
stage channels without Connect, whose lack denies other permissions.

An archived thread takes no edit (50083); a new message opens it again, except in a locked thread, where only
members with Manage Threads post (160005). References: https://docs.discord.com/developers/topics/threads and
https://docs.discord.com/developers/topics/permissions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import discord
from simcord.backend import Backend, errors
from simcord.backend.errors import BackendError
from simcord.backend.models import Channel, Guild
from simcord.enums import CallbackType

from bot.client import PERMISSIONS

ARCHIVED, LOCKED = 50083, 160005
VOICE = (discord.ChannelType.voice.value, discord.ChannelType.stage_voice.value)

_MESSAGE = re.compile(r"/channels/(?P<channel>\d+)/messages(?P<edited>/\d+)?")
_CALLBACK = re.compile(r"/interactions/(?P<id>\d+)/[^/]+/callback")


def grant_invited(backend: Backend, guild: Guild) -> None:
    """Let the bot do in a guild what its invite link asks for and no more, whatever all members may do."""
    (bot_role,) = [role for role in guild.roles.values() if role.managed]
    backend.edit_role(guild.id, bot_role.id, {"permissions": PERMISSIONS.value})
    for_all = guild.everyone_role.permissions & PERMISSIONS.value
    commands = discord.Permissions(use_application_commands=True).value
    backend.edit_role(guild.id, guild.id, {"permissions": for_all | commands})


def strict(dispatch: Callable[..., Any]) -> Callable[..., Any]:
    """Return simcord's ``dispatch``, which raises what Discord refuses as simcord's :class:`BackendError`."""

    def refuse_or_dispatch(backend: Backend, method: str, path: str, **parts: Any) -> Any:
        if match := _MESSAGE.fullmatch(path):
            channel = backend.channels.get(int(match["channel"]))
            if channel is not None:
                _check_access(backend, channel)
                if method in ("POST", "PATCH"):
                    _check(backend, channel, edits=bool(match["edited"]), files=parts.get("files") or [])
        elif match := _CALLBACK.fullmatch(path):
            _check_answer(backend, int(match["id"]), parts.get("json") or {})
        return dispatch(backend, method, path, **parts)

    return refuse_or_dispatch


def _check_access(backend: Backend, channel: Channel) -> None:
    if channel.type not in VOICE or channel.guild_id is None:
        return
    mine = discord.Permissions(backend.compute_permissions(channel.guild_id, backend.bot_user.id, channel.id))
    if not mine.connect:
        raise errors.missing_access()


def _check(backend: Backend, channel: Channel, *, edits: bool, files: Sequence[Any]) -> None:
    if channel.guild_id is None:
        return
    mine = discord.Permissions(backend.compute_permissions(channel.guild_id, backend.bot_user.id, channel.id))
    if not mine.view_channel:
        return  # simcord refuses that itself
    about = channel.thread_metadata
    if about is not None:
        if about.locked and not mine.manage_threads:
            raise BackendError(403, LOCKED, "Thread is locked")
        if about.archived and edits:
            raise _archived()
    if files and not mine.attach_files:
        raise errors.missing_permissions()
    if about is not None and about.archived:
        backend.edit_channel(channel.id, {}, thread_metadata={"archived": False})


def _check_answer(backend: Backend, number: int, body: dict[str, Any]) -> None:
    interaction = backend.interactions.get(number)
    if interaction is None or body.get("type") != CallbackType.UPDATE_MESSAGE:
        return
    about = backend.get_channel(interaction.channel_id).thread_metadata
    if about is not None and about.archived:
        raise _archived()


def _archived() -> BackendError:
    return BackendError(400, ARCHIVED, "Thread is archived")
