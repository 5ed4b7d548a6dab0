"""The places of a preview's world: channels, their threads, and each person's direct messages with the bot.

A thread leaves the list when it is archived. What is unread counts as in Discord: for each person and place,
what came after they last looked, and of threads only those that they are in.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

DIRECT_MESSAGES = "Dice"
"""What direct messages are called: as the bot, who writes them."""


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
        """Return where a person gets who wants to a place, or stays; all direct messages are their own."""
        place = int(wanted) if wanted is not None and wanted.isdecimal() else here
        channel = self._world.channels.get(place)
        if channel is not None and channel.guild_id is None:
            return int(self._world.get_dm_channel(person).id)
        return place if self._accessible(place, person) else here

    def listed(self, person: int, here: int) -> list[dict[str, Any]]:
        """Return the rows of the list for a person who is in the place ``here``, and has then read it."""
        self._read[person, here] = max(self._world.messages.get(here, {0: None}), default=0)
        return [self._row(person, channel, here) for channel in self._of(person, here)]

    def _of(self, person: int, here: int) -> Iterator[Any]:
        everything = [one for one in self._world.channels.values() if self._accessible(one.id, person)]
        for channel in everything:
            if channel.guild_id is not None and not channel.is_thread:
                yield channel
                yield from (
                    one
                    for one in everything
                    if one.parent_id == channel.id and (not one.thread_metadata.archived or one.id == here)
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
    """Archive the threads in which nothing was written for as long as they were made for."""
    now = datetime.fromisoformat(world.now_iso())
    for thread in [one for one in world.channels.values() if one.is_thread]:
        about = thread.thread_metadata
        newest = max(world.messages.get(thread.id, {}).values(), key=lambda one: one.id, default=None)
        since = max(about.archive_timestamp, newest.timestamp if newest is not None else "")
        if not about.archived and now - datetime.fromisoformat(since) > timedelta(
            minutes=about.auto_archive_duration
        ):
            world.edit_channel(
                thread.id, {}, thread_metadata={"archived": True, "archive_timestamp": world.now_iso()}
            )
