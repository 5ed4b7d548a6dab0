"""Checks what people and the bot may do, by Discord's permissions and the server's settings."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import discord

from bot.client import DiceBot
from bot.discordpy.answer import Answer
from bot.discordpy.channels import is_accessible
from bot.i18n.names import name_of
from bot.i18n.say import Name, say
from bot.screens.model import Screen
from bot.screens.settings import warnings
from bot.sessions.request import Refused
from bot.store.guild_settings import GuildSettings

_THREADS = (
    discord.ChannelType.public_thread,
    discord.ChannelType.private_thread,
    discord.ChannelType.news_thread,
)
_VOICE = (discord.ChannelType.voice, discord.ChannelType.stage_voice)
_MESSAGEABLE = (discord.ChannelType.text, discord.ChannelType.news, *_VOICE, *_THREADS)
"""The types of channels in which tables can be posted."""


def check_manages(interaction: discord.Interaction[DiceBot]) -> None:
    """Raise :class:`Refused` unless the person has Manage Server now."""
    if not interaction.permissions.manage_guild:
        raise Refused("error-settings-manage")


def existing_choices(bot: DiceBot, guild_id: int | None) -> tuple[GuildSettings, Collection[str]]:
    """Return a server's settings without the channels and roles that were deleted, as far as that is known.

    Discord answers a menu that has one of them as its default with an error of its own. Also return the names
    of the settings of which nothing is left: they count as if nothing was chosen, because otherwise nobody
    could start a game.
    """
    settings = bot.servers.of(guild_id)
    guild = bot.get_guild(guild_id) if guild_id is not None else None
    if guild is None or guild.unavailable:
        return settings, ()
    existing = replace(
        settings,
        channels=tuple(id_ for id_ in settings.channels if guild.get_channel(id_) is not None),
        starters=tuple(id_ for id_ in settings.starters if guild.get_role(id_) is not None),
        seasons=tuple(id_ for id_ in settings.seasons if guild.get_channel(id_) is not None),
    )
    gone = [name for name in ("channels", "starters") if settings.value(name) and not existing.value(name)]
    return existing, gone


async def tell_deleted_choices(bot: DiceBot, answer: Answer) -> None:
    """Tell a person who has started a game if all channels or roles chosen for that were deleted."""
    _, gone = existing_choices(bot, answer.interaction.guild_id)
    if gone:
        await answer.private(Screen(warnings(gone)))


def check_start(bot: DiceBot, interaction: discord.Interaction[DiceBot]) -> None:
    """Raise :class:`Refused` unless the server lets this person start a game in this channel."""
    settings, _ = existing_choices(bot, interaction.guild_id)
    channel = interaction.channel
    here = {interaction.channel_id, channel.parent_id if isinstance(channel, discord.Thread) else None}
    if settings.channels and not here & set(settings.channels):
        raise Refused(
            "error-channel-not-chosen", channels=", ".join(f"<#{one}>" for one in settings.channels)
        )
    if not settings.starters or interaction.permissions.manage_guild:
        return
    user = interaction.user
    roles = {role.id for role in user.roles} if isinstance(user, discord.Member) else set()
    if not roles & set(settings.starters):
        raise Refused("error-start-not-chosen", roles=", ".join(f"<@&{one}>" for one in settings.starters))


def check_can_come(
    interaction: discord.Interaction[DiceBot], person: discord.User | discord.Member, *, hidden: str
) -> None:
    """Raise :class:`Refused` unless a person is a member of the server who can see the interaction's channel.

    ``hidden`` is the code of the refusal if they can't see it. They may come while that is not known, as
    before Discord has sent the server's data.
    """
    who = Name(name_of(person))
    if not isinstance(person, discord.Member):
        raise Refused("error-challenge-absent", name=who)
    guild, channel = interaction.client.get_guild(person.guild.id), interaction.channel
    place = channel.parent if isinstance(channel, discord.Thread) else channel
    if guild is None or guild.unavailable or not isinstance(place, discord.abc.GuildChannel):
        return
    if not place.permissions_for(person).view_channel:
        raise Refused(hidden, name=who)


async def check_channel(interaction: discord.Interaction[DiceBot]) -> None:
    """Raise :class:`Refused` unless the bot may post and edit tables in the interaction's channel."""
    refusal = await obstacle(interaction)
    if refusal is not None:
        raise refusal


async def obstacle(interaction: discord.Interaction[DiceBot]) -> Refused | None:
    """Return a refusal that says why the bot can't post in the interaction's channel, or None if it can.

    The bot must be able to post messages of its own, not only to answer commands and clicks, which also
    arrive from channels that it can't write to.
    """
    channel = interaction.channel
    if channel is None or channel.type not in _MESSAGEABLE:
        return Refused("error-channel-kind")
    mine = interaction.app_permissions
    if not mine.view_channel:
        return Refused("error-permissions", missing=say("permission-view-channel"))
    # Without it, Discord lets nobody into the chat of such a channel.
    if channel.type in _VOICE and not mine.connect:
        return Refused("error-permissions", missing=say("permission-connect"))
    if channel.type in _THREADS and not mine.send_messages_in_threads:
        return Refused("error-permissions", missing=say("permission-send-messages-in-threads"))
    if channel.type not in _THREADS and not mine.send_messages:
        return Refused("error-permissions", missing=say("permission-send-messages"))
    if not isinstance(channel, discord.Thread) or mine.manage_threads:
        return None
    if channel.locked:
        return Refused("error-thread-locked")
    if channel.is_private() and not await is_accessible(interaction.client, channel.id):
        # Permissions don't say whether the bot was invited.
        return Refused("error-thread-private")
    return None
