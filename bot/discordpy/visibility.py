"""Which channels somebody can see, for a server with hundreds of channels, roles and overwrites.

``permissions_for`` of discord.py works out all permissions, and goes through all roles for each channel.
Written for discord.py 2.7.1, of which ``_overwrites`` is used, because the public ``overwrites`` makes an
object of each. ``tests/discordpy/test_visibility.py`` compares the results; if it fails, use
``permissions_for``.
"""

from __future__ import annotations

from collections.abc import Container

import discord
from discord.abc import GuildChannel

_VIEW = discord.Permissions(view_channel=True).value


def visible_channels(guild: discord.Guild, member: discord.Member) -> list[int]:
    """Return the ids of the channels and public threads that a member can see, as far as that is known."""
    # The owner has this permission as well.
    if member.guild_permissions.administrator:
        seen = {channel.id for channel in guild.channels}
    else:
        view = member.guild_permissions.value & _VIEW
        roles = frozenset(role.id for role in member.roles) - {guild.id}
        seen = {channel.id for channel in guild.channels if _sees(channel, view, member.id, roles)}
    threads = [thread.id for thread in guild.threads if thread.parent_id in seen and not thread.is_private()]
    return [*seen, *threads]


def _sees(channel: GuildChannel, view: int, member_id: int, roles: Container[int]) -> bool:
    """Apply the overwrites in Discord's order: of @everyone, of all roles together, of the member."""
    everyone, allow, deny, own = channel.guild.id, 0, 0, None
    for overwrite in channel._overwrites:
        changed = (overwrite.allow | overwrite.deny) & _VIEW
        if not changed:
            continue
        if overwrite.id in roles:
            allow |= overwrite.allow & _VIEW
            deny |= overwrite.deny & _VIEW
        elif overwrite.id == everyone:
            view = overwrite.allow & _VIEW
        elif overwrite.id == member_id:
            own = overwrite.allow & _VIEW
    view = (view & ~deny) | allow
    return bool(view if own is None else own)
