"""Which channels people can see, for a server with hundreds of channels, roles and overwrites.

``permissions_for`` of discord.py works out all permissions, and goes through all roles and overwrites for
each person and channel. Here the overwrites of a server are read once, into sets of channels by role, which
are then combined for each person. Written for discord.py 2.7.1, of which ``_overwrites`` is used, because the
public ``overwrites`` makes an object of each. ``tests/discordpy/test_visibility.py`` compares the results; if
it fails, use ``permissions_for``.
"""

from __future__ import annotations

from collections import defaultdict

import discord

_VIEW = discord.Permissions(view_channel=True).value

_ALL = -1
"""All channels: a number in which each bit is set."""


class Visibility:
    """Who can see which channels of a server, as it was when this was made.

    A set of channels is a number, in which each channel has a bit.
    """

    def __init__(self, guild: discord.Guild) -> None:
        self._guild_id = guild.id
        self._channels = [channel.id for channel in guild.channels]
        self._allowed: defaultdict[int, int] = defaultdict(int)
        self._denied: defaultdict[int, int] = defaultdict(int)
        """The channels that overwrites allow and deny, by the id of the role or person."""
        for bit, channel in enumerate(guild.channels):
            for overwrite in channel._overwrites:
                if overwrite.allow & _VIEW:
                    self._allowed[overwrite.id] |= 1 << bit
                elif overwrite.deny & _VIEW:
                    self._denied[overwrite.id] |= 1 << bit
        self._threads = [(thread.id, thread.parent_id) for thread in guild.threads if not thread.is_private()]

    def of(self, member: discord.Member) -> list[int]:
        """Return the ids of the channels and public threads that a member can see."""
        mine = member.guild_permissions
        view = _ALL if mine.view_channel else 0
        # Discord's order: overwrites of @everyone, of all roles together, of the person.
        view = self._overwritten(view, self._guild_id)
        view = self._overwritten(view, *(role.id for role in member.roles if role.id != self._guild_id))
        view = self._overwritten(view, member.id)
        if mine.administrator:
            # The owner has this permission as well.
            view = _ALL
        seen = {channel for bit, channel in enumerate(self._channels) if view >> bit & 1}
        return [*seen, *(thread for thread, parent in self._threads if parent in seen)]

    def _overwritten(self, view: int, *ids: int) -> int:
        allowed = denied = 0
        for target in ids:
            allowed |= self._allowed.get(target, 0)
            denied |= self._denied.get(target, 0)
        return view & ~denied | allowed
