"""What Discord refuses and simcord does not, and the permissions of a bot that was invited.

Discord refuses messages in forums (50008) and in archived and locked threads, files without Attach Files, and
messages in voice and stage channels without Connect, because it then denies other permissions as well.

An archived thread takes no edit and nobody new (50083); a new message opens it again, except in a locked
thread, where only members with Manage Threads post (160005). If it is archived and locked, it takes no answer
to an interaction either (50083). A message has one thread at most (160004). A mention in a thread adds the
mentioned person to it. References:
https://docs.discord.com/developers/topics/threads and https://docs.discord.com/developers/topics/permissions,
and for answers https://github.com/discord/discord-api-docs/issues/5517.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import discord
from simcord.backend import Backend, errors
from simcord.backend.errors import BackendError
from simcord.backend.models import EPHEMERAL_FLAG, Channel, Guild
from simcord.enums import CallbackType, MessageType

ARCHIVED, THREAD_EXISTS, LOCKED, NO_TEXT = 50083, 160004, 160005, 50008
FORUMS = (discord.ChannelType.forum.value, discord.ChannelType.media.value)
VOICE = (discord.ChannelType.voice.value, discord.ChannelType.stage_voice.value)

_MESSAGE = re.compile(r"/channels/(?P<channel>\d+)/messages(?P<edited>/\d+)?")
_THREAD = re.compile(r"/channels/(?P<channel>\d+)/messages/(?P<message>\d+)/threads")
_MEMBER = re.compile(r"/channels/(?P<thread>\d+)/thread-members/.+")
_CALLBACK = re.compile(r"/interactions/(?P<id>\d+)/[^/]+/callback")
_WEBHOOK = re.compile(r"/webhooks/\d+/(?P<token>[^/]+)(/messages/(?P<message>[^/]+))?")


def invite(backend: Backend, guild: Guild, permissions: discord.Permissions) -> None:
    """Let the bot do in a guild what its invite asks for, besides what all members may do."""
    (bot_role,) = [role for role in guild.roles.values() if role.managed]
    backend.edit_role(guild.id, bot_role.id, {"permissions": permissions.value})


def strict(dispatch: Callable[..., Any]) -> Callable[..., Any]:
    """Return simcord's ``dispatch``, which raises what Discord refuses as simcord's :class:`BackendError`."""

    def refuse_or_dispatch(backend: Backend, method: str, path: str, **parts: Any) -> Any:
        if match := _MESSAGE.fullmatch(path):
            channel = backend.channels.get(int(match["channel"]))
            if channel is not None:
                _check_access(backend, channel)
                if method in ("POST", "PATCH"):
                    _check_message(
                        backend, channel, edits=bool(match["edited"]), files=parts.get("files") or []
                    )
        elif match := _CALLBACK.fullmatch(path):
            _check_answer(backend, int(match["id"]), parts.get("json") or {})
        elif match := _WEBHOOK.fullmatch(path):
            _check_later_answer(backend, method, match["token"], match["message"], parts.get("json") or {})
        elif (match := _THREAD.fullmatch(path)) and int(match["message"]) in backend.channels:
            raise BackendError(400, THREAD_EXISTS, "A thread has already been created for this message")
        elif (match := _MEMBER.fullmatch(path)) and method == "PUT":
            metadata = backend.get_thread(int(match["thread"])).thread_metadata
            if metadata is not None and metadata.archived:
                raise _archived()
        answer = dispatch(backend, method, path, **parts)
        if method == "POST" and (match := _MESSAGE.fullmatch(path)):
            _add_mentioned(backend, int(match["channel"]), int(answer["id"]))
        elif match := _THREAD.fullmatch(path):
            _take_back_notice(backend, int(match["channel"]))
        return answer

    return refuse_or_dispatch


def _add_mentioned(backend: Backend, channel_id: int, message_id: int) -> None:
    """Add the people whom a message mentions to its thread, if it is in one."""
    if backend.get_channel(channel_id).is_thread:
        for mentioned in backend.get_message(channel_id, message_id).ping_user_ids:
            backend.add_thread_member(channel_id, mentioned)


def _take_back_notice(backend: Backend, channel_id: int) -> None:
    """Delete the notice of a started thread; Discord posts one only for a thread from an older message."""
    messages = backend.messages[channel_id]
    if messages[newest := max(messages)].type == MessageType.THREAD_CREATED:
        del messages[newest]


def _check_access(backend: Backend, channel: Channel) -> None:
    if channel.type not in VOICE or channel.guild_id is None:
        return
    mine = discord.Permissions(backend.compute_permissions(channel.guild_id, backend.bot_user.id, channel.id))
    if not mine.connect:
        raise errors.missing_access()


def _check_message(backend: Backend, channel: Channel, *, edits: bool, files: Sequence[Any]) -> None:
    if channel.guild_id is None:
        return
    mine = discord.Permissions(backend.compute_permissions(channel.guild_id, backend.bot_user.id, channel.id))
    if not mine.view_channel:
        return  # simcord refuses that itself
    if channel.type in FORUMS:
        raise BackendError(400, NO_TEXT, "Cannot send messages in a non-text channel")
    metadata = channel.thread_metadata
    if metadata is not None:
        if metadata.locked and not mine.manage_threads:
            raise BackendError(403, LOCKED, "Thread is locked")
        if metadata.archived and edits:
            raise _archived()
    if files and not mine.attach_files:
        raise errors.missing_permissions()
    if metadata is not None and metadata.archived:
        backend.edit_channel(channel.id, {}, thread_metadata={"archived": False})


def _check_answer(backend: Backend, interaction_id: int, body: dict[str, Any]) -> None:
    interaction = backend.interactions.get(interaction_id)
    if interaction is not None:
        shows = body.get("type") in (
            CallbackType.CHANNEL_MESSAGE_WITH_SOURCE,
            CallbackType.DEFERRED_CHANNEL_MESSAGE_WITH_SOURCE,
        )
        posts = shows and not _is_private(body.get("data") or {})
        edits = body.get("type") == CallbackType.UPDATE_MESSAGE
        _check_archived(backend, interaction.channel_id, posts=posts, edits=edits)


def _check_later_answer(
    backend: Backend, method: str, token: str, message: str | None, body: dict[str, Any]
) -> None:
    interaction = backend.interactions.get(backend.interaction_tokens.get(token, 0))
    if interaction is None:
        return
    message_id = interaction.message_id if message == "@original" else int(message or 0)
    kept = backend.messages.get(interaction.channel_id, {}).get(message_id or 0)
    posts = method == "POST" and not _is_private(body)
    edits = method == "PATCH" and kept is not None and not kept.flags & EPHEMERAL_FLAG
    if method in ("POST", "PATCH"):
        _check_archived(backend, interaction.channel_id, posts=posts, edits=edits)


def _is_private(body: dict[str, Any]) -> bool:
    return bool(int(body.get("flags") or 0) & EPHEMERAL_FLAG)


def _check_archived(backend: Backend, channel_id: int, *, posts: bool, edits: bool) -> None:
    """Refuse an answer that an archived thread does not take; one that ``posts`` a message opens it."""
    channel = backend.channels.get(channel_id)
    metadata = channel.thread_metadata if channel is not None else None
    if metadata is None or not metadata.archived:
        return
    if metadata.locked or edits:
        raise _archived()
    if posts:
        backend.edit_channel(channel_id, {}, thread_metadata={"archived": False})


def _archived() -> BackendError:
    return BackendError(400, ARCHIVED, "Thread is archived")
