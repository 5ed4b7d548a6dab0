"""How a person wants to be notified when it is their turn: ``/notifications``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from discord import app_commands
from discord.ext.commands import Cog

from bot.client import DiceBot
from bot.discordpy.answer import Answer
from bot.discordpy.handling import answered
from bot.games.core import Unreadable
from bot.screens import notifications as screens
from bot.screens.button_ids import Page
from bot.sessions.request import Click
from bot.standings.periods import zones
from bot.store.notifications import MESSAGE, NotificationPreferences
from cogs.command_texts import described
from cogs.pages import page


class NotificationsCog(Cog):
    def __init__(self, bot: DiceBot) -> None:
        self.bot = bot

    @app_commands.command(name="notifications", description=described("cmd-notifications"))
    @answered
    async def notifications(self, answer: Answer) -> None:
        await answer.private(screens.page(await _chosen(self.bot, answer.click())))


@page(Page.NOTIFICATIONS)
async def answer_page(bot: DiceBot, answer: Answer, click: Click, parts: Sequence[str]) -> None:
    """Answer a click on the page, or take its form."""
    match list(parts):
        case [screens.OPEN]:
            await answer.form(screens.form(await _chosen(bot, click)))
        case [screens.SET]:
            chosen = screens.entered_choice(answer.entered, zones())
            if chosen.way == MESSAGE:
                chosen = replace(chosen, locale=answer.private_locale)
            await bot.store.notifications.choose(click.user_id, chosen)
            closed = chosen.way == MESSAGE and not await bot.notifier.try_out(
                click.user_id, answer.private_locale, f"{click.interaction_id:x}.notify"
            )
            await answer.turn_page(screens.page(chosen, closed=closed))
        case _:
            raise Unreadable("error-old-button")


async def _chosen(bot: DiceBot, click: Click) -> NotificationPreferences:
    """Return what a person has chosen, or the defaults in the server's time zone."""
    return await bot.store.notifications.of(click.user_id) or NotificationPreferences(
        zone=bot.servers.of(click.guild_id).time_zone
    )


async def setup(bot: DiceBot) -> None:
    await bot.add_cog(NotificationsCog(bot))
