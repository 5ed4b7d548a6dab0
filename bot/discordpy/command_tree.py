"""A command tree that calls commands only with the options that were registered."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final

import discord
from discord import AppCommandOptionType as Kind
from discord import app_commands

from bot.discordpy.errors import DISCORD_ERRORS
from bot.games.core import Json

_TYPES: Final = {
    Kind.string: (str,),
    Kind.integer: (int,),
    Kind.number: (int, float),
    Kind.boolean: (bool,),
    # Not discord.Object, which has no name: discord.py passes it for a person whom Discord did not resolve.
    Kind.user: (discord.User, discord.Member),
}
"""The types that the value of an option of each kind may have."""

_log = logging.getLogger(__name__)


class Tree(app_commands.CommandTree[discord.Client]):
    """Checks types and choices of options, because discord.py passes on whatever a client sends.

    Raises :class:`discord.app_commands.CommandSignatureMismatch` for an impossible value, for example from a
    client that still knows the command of an earlier version.

    It also answers autocompletion: when an answer comes too late, the library would log an error with its
    traceback, and after a failure it would answer nothing. Written for discord.py 2.7.1, of which
    ``_invoke_autocomplete`` is used; ``tests/cogs/test_advice.py`` tests it with the library. If that fails
    after an upgrade, delete ``_suggest`` and its call here: the library then answers by itself.
    """

    async def interaction_check(self, interaction: discord.Interaction[discord.Client], /) -> bool:
        if interaction.type is discord.InteractionType.autocomplete:
            await self._suggest(interaction)
            return False
        command = interaction.command
        if interaction.type is discord.InteractionType.application_command and isinstance(
            command, app_commands.Command
        ):
            given = dict(iter(interaction.namespace))
            for option in command.parameters:
                if option.display_name in given and not _fits(option, given[option.display_name]):
                    raise app_commands.CommandSignatureMismatch(command)
        return True

    async def _suggest(self, interaction: discord.Interaction[discord.Client]) -> None:
        """Answer with suggestions: with none on a failure, or if somebody types faster than limits allow."""
        client: Any = interaction.client
        command, option = interaction.command, _focused(interaction.data)
        try:
            if (
                isinstance(command, app_commands.Command)
                and option is not None
                and client.limits.may_type(interaction.user.id, interaction.guild_id)
            ):
                await command._invoke_autocomplete(interaction, option, interaction.namespace)
        except app_commands.AppCommandError as error:
            _log.info("Interaction %s is not one of the bot's commands: %s", interaction.id, error)
        except DISCORD_ERRORS as error:
            # Nobody waits for them any more: the person has typed on, or chosen.
            _log.info("Suggestions for interaction %s came too late: %s", interaction.id, error or "time out")
            return
        except Exception:
            _log.exception("There are no suggestions for interaction %s", interaction.id)
        if interaction.response.is_done():
            return
        try:
            await interaction.response.autocomplete([])
        except DISCORD_ERRORS as error:
            _log.info("Interaction %s could not be answered: %s", interaction.id, error or "time out")


def _focused(data: Json) -> str | None:
    """Return the name of the option that is being typed."""
    options = data.get("options") if isinstance(data, Mapping) else None
    for option in options or ():
        name = str(option["name"]) if option.get("focused") else _focused(option)
        if name is not None:
            return name
    return None


def _fits(option: app_commands.Parameter, value: object) -> bool:
    """Return whether a value has the option's type and is one of its choices, if it has any."""
    types = _TYPES.get(option.type)
    if types is not None and type(value) not in types:
        return False
    return not option.choices or value in [choice.value for choice in option.choices]
