"""The commands of the bot, called only with options as they were registered."""

from __future__ import annotations

from typing import Final

import discord
from discord import AppCommandOptionType as Kind
from discord import app_commands

_TYPES: Final = {
    Kind.string: (str,),
    Kind.integer: (int,),
    Kind.number: (int, float),
    Kind.boolean: (bool,),
    # A person whom Discord has not looked up has no name.
    Kind.user: (discord.User, discord.Member),
}


class Tree(app_commands.CommandTree[discord.Client]):
    """By itself the library hands on whatever text or number a client sends, offered or not.

    Raises :class:`discord.app_commands.CommandSignatureMismatch` for what no option of the command can be, as
    from a client that still knows the command of an earlier version.
    """

    async def interaction_check(self, interaction: discord.Interaction[discord.Client], /) -> bool:
        command = interaction.command
        # What is still being typed is completed, not refused.
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
