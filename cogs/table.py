"""All buttons and forms of the bot: one listener receives every click, reads the id and calls its handler."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from functools import partial

import discord
from discord import app_commands
from discord.ext.commands import Cog

from bot.client import DiceBot
from bot.discordpy.answer import Answer
from bot.discordpy.handling import handle
from bot.i18n.say import say
from bot.observability import context, metrics
from bot.screens.button_ids import parse
from bot.screens.private import note, notes
from bot.sessions.request import Echo, Refused, Stale
from cogs.departures import replace_departed_host
from cogs.game_buttons import Handler, form_handler_of, handler_of
from cogs.pages import dispatch
from cogs.permissions import obstacle

FOREIGN = (
    app_commands.CommandNotFound,
    app_commands.CommandSignatureMismatch,
    app_commands.TransformerError,
    app_commands.AppCommandError,
)
"""Exceptions that discord.py raises for commands and options that this version has not registered.

It raises the base class itself if the data of a context menu lacks what the menu was opened on.
"""

_log = logging.getLogger(__name__)


class Table(Cog):
    """Handles clicks."""

    def __init__(self, bot: DiceBot) -> None:
        self.bot = bot

    @Cog.listener()
    async def on_interaction(self, interaction: discord.Interaction[DiceBot]) -> None:
        answer = Answer(interaction)
        if interaction.type is discord.InteractionType.component:
            await handle(answer, self._work(answer, handler_of))
        elif interaction.type is discord.InteractionType.modal_submit:
            await handle(answer, self._work(answer, form_handler_of))

    async def _work(self, answer: Answer, handler: Callable[[str], Handler]) -> None:
        """Do what a button or a form stands for. ``handler`` returns what handles a token of a game."""
        button = parse(answer.custom_id)
        if button.game_id == 0:
            await dispatch(self.bot, answer, button.token)
            return
        context.game.set(button.game_id)
        await self._on_table(answer, partial(handler(button.token), self.bot, answer, button))

    async def _on_table(self, answer: Answer, work: Callable[[], Awaitable[None]]) -> None:
        """Do what a click asks for; if its table was an old one, say so and show the present one."""
        try:
            try:
                await work()
            except Refused as refused:
                if not await replace_departed_host(self.bot, answer.click(), refused):
                    raise
                await work()
        except Stale as stale:
            # While a process replaces another, the other one may have carried out this very click.
            if await self.bot.carried_out(answer.interaction.id):
                raise Echo(stale.row) from None
            answer.outcome = metrics.STALE
            await self._show_stale(answer, stale)

    async def _show_stale(self, answer: Answer, stale: Stale) -> None:
        """Bring the clicked message up to date through the click, which works without any permission.

        The words come first: a table that changes right under a click says that the click was carried out.
        """
        painter, row = self.bot.painter, stale.row
        await answer.acknowledge()
        at_table = row.message_id in (None, answer.message_id)
        code = "error-stale-shown" if at_table and stale.code == "error-stale" else stale.code
        refusal = await obstacle(answer.interaction)
        texts = [say(code, **stale.facts)]
        if refusal is not None:
            texts.append(say(refusal.code, **refusal.facts))
        await answer.private(notes(texts))
        if at_table:
            # It was not painted yet, or the bot can't write there.
            await painter.paint(row.id, answer, force=True)
        else:
            await painter.retire(row, answer)
            await painter.paint(row.id)


async def on_command_error(
    interaction: discord.Interaction[DiceBot], error: app_commands.AppCommandError
) -> None:
    """Tell a person that their command has failed with an error that nothing else has handled."""
    if type(error) in FOREIGN:
        # A client may still offer a command or an option of an earlier version.
        _log.info("Interaction %s is not one of the bot's commands: %s", interaction.id, error)
        await Answer(interaction).private(note(say("error-unreadable")))
        return
    _log.error("Command of interaction %s has failed", interaction.id, exc_info=error)
    await Answer(interaction).private(note(say("error-internal")))


async def setup(bot: DiceBot) -> None:
    bot.tree.error(on_command_error)
    await bot.add_cog(Table(bot))
