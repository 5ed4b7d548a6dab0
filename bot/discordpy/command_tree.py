"""A command tree that calls commands only with the options that were registered."""

from __future__ import annotations

from typing import Any, Final

import discord
from discord import AppCommandOptionType as Kind
from discord import app_commands

_TYPES: Final = {
    Kind.string: (str,),
    Kind.integer: (int,),
    Kind.number: (int, float),
    Kind.boolean: (bool,),
    # Discord has not resolved this person, who then has no name.
    Kind.user: (discord.User, discord.Member),
}


class Tree(app_commands.CommandTree[discord.Client]):
    """Check that choices and limits were kept, because discord.py passes on whatever a client sends.

    Raises :class:`discord.app_commands.CommandSignatureMismatch` for an impossible value, for example from a
    client that still knows the command of an earlier version. Letters that somebody types faster than the
    limits allow are answered with no suggestions.
    """

    async def interaction_check(self, interaction: discord.Interaction[discord.Client], /) -> bool:
        if interaction.type is discord.InteractionType.autocomplete:
            client: Any = interaction.client
            if client.limits.may_type(interaction.user.id, interaction.guild_id):
                return True
            await interaction.response.autocomplete([])
            return False
        command = interaction.command
        # Text that is still being typed is completed, not refused.
        if interaction.type is discord.InteractionType.application_command and isinstance(
            command, app_commands.Command
        ):
            given = dict(iter(interaction.namespace))
            for option in command.parameters:
                if option.display_name in given and not _fits(option, given[option.display_name]):
                    raise app_commands.CommandSignatureMismatch(command)
        return True


def _fits(option: app_commands.Parameter, value: object) -> bool:
    types = _TYPES.get(option.type)
    if types is not None and type(value) not in types:
        return False
    return not option.choices or value in [choice.value for choice in option.choices]
