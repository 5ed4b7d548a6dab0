"""The places of a preview's world: channels, their threads, and each person's direct messages with the bot.

A thread leaves the list when it is archived. What is unread counts as in Discord: for each person and place,
what came after they last looked, and of threads only those that they are in.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

DIRECT_MESSAGES = "Dice"
"""What direct messages are called: like the bot, who writes them."""


class Places:
    """Where people can go in a world, and what each of them has not read there."""

    def __init__(self, env: Any) -> None:
        self._env = env
        self._world = env.backend
        self._read: dict[tuple[int, int], int] = {}
        """The newest message that a person has seen in a place, by their ids."""

    def handle(self, channel_id: int) -> Any:
        """Return the library's handle of a place. Raises ``KeyError`` if there is none."""
        from simcord.builders import ChannelHandle, GuildHandle

        channel = self._world.channels[channel_id]
        guild = self._world.guilds.get(channel.guild_id)
        return ChannelHandle(self._env, guild and GuildHandle(self._env, guild), channel)

    def destination(self, person: int, wanted: str | None, here: int) -> int:
        """Return the place to which a person goes: ``wanted``, or ``here`` if they have no access to it.

        Whosever direct messages they choose, they go to their own.
        """
        place = int(wanted) if wanted is not None and wanted.isdecimal() else here
        channel = self._world.channels.get(place)
        if channel is not None and channel.guild_id is None:
            return int(self._world.get_dm_channel(person).id)
        return place if self._accessible(place, person) else here

    def listed(self, person: int, here: int) -> list[dict[str, Any]]:
        """Return the rows of a person's list, and note that they have read the place ``here``."""
        self._read[person, here] = max(self._world.messages.get(here, {0: None}), default=0)
        return [self._row(person, channel, here) for channel in self._of(person, here)]

    def _of(self, person: int, here: int) -> Iterator[Any]:
        """Yield the places of a person's list: each channel before its threads, then direct messages."""
        accessible = [place for place in self._world.channels.values() if self._accessible(place.id, person)]
        for channel in accessible:
            if channel.guild_id is not None and not channel.is_thread:
                yield channel
                yield from (
                    thread
                    for thread in accessible
                    if thread.parent_id == channel.id
                    and (not thread.thread_metadata.archived or thread.id == here)
                )
        yield self._world.get_dm_channel(person)

    def _row(self, person: int, channel: Any, here: int) -> dict[str, Any]:
        direct = channel.guild_id is None
        joined = not channel.is_thread or person in channel.thread_members
        new = list(self._new(person, channel.id)) if joined else []
        return {
            "id": str(channel.id),
            "kind": "direct" if direct else "thread" if channel.is_thread else "channel",
            "name": DIRECT_MESSAGES if direct else channel.name,
            "here": channel.id == here,
            "joined": joined,
            "unread": bool(new),
            "calls": sum(direct or person in message.ping_user_ids for message in new),
        }

    def _new(self, person: int, channel_id: int) -> Iterator[Any]:
        """Yield the messages of others that a person has not seen in a place, newest first."""
        seen = self._read.get((person, channel_id), 0)
        for message in reversed(self._world.messages.get(channel_id, {}).values()):
            if message.id <= seen:
                return
            if message.author_id != person and not message.is_ephemeral:
                yield message

    def _accessible(self, channel_id: int, person: int) -> bool:
        from simcord.backend.access import channel_accessible

        return bool(channel_accessible(self._world, channel_id, person, history=True))


def archive_idle(world: Any) -> None:
    """Archive each thread in which nothing was written for the time after which it archives itself."""
    now = datetime.fromisoformat(world.now_iso())
    for thread in [channel for channel in world.channels.values() if channel.is_thread]:
        metadata = thread.thread_metadata
        newest = max(world.messages.get(thread.id, {}).values(), key=lambda message: message.id, default=None)
        since = max(metadata.archive_timestamp, newest.timestamp if newest is not None else "")
        if not metadata.archived and now - datetime.fromisoformat(since) > timedelta(
            minutes=metadata.auto_archive_duration
        ):
            world.edit_channel(
                thread.id, {}, thread_metadata={"archived": True, "archive_timestamp": world.now_iso()}
            )
