"""The commands that every game has; a game's own cog adds how it is started."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import discord
from discord import app_commands
from discord.ext import commands

from bot.client import DiceBot
from bot.discordpy.answer import Answer
from bot.games.core import Unreadable
from bot.games.seats import ai, person
from bot.i18n.names import clean
from bot.i18n.say import Name, say
from bot.registry import find
from bot.screens.history import explained
from bot.screens.private import confirm, note, rules
from bot.services.painter import Painter
from bot.sessions.request import Click, Refused
from bot.sessions.steps import check_manager, seat_number
from bot.store.base import LOBBY
from cogs.command_texts import described
from cogs.pages import page
from cogs.permissions import check_channel, check_start


class GameCog(commands.GroupCog):
    """Show, leave, end and rules of the game named by ``game``."""

    game: ClassVar[str]

    def __init__(self, bot: DiceBot) -> None:
        super().__init__()
        self.bot = bot
        # For those who can't type commands: in the menu of any message, under "Apps".
        self._menu = app_commands.ContextMenu(
            name=described(f"cmd-{self.game}-menu"), callback=self.open_from_menu
        )

    async def cog_load(self) -> None:
        self.bot.tree.add_command(self._menu)

    async def cog_unload(self) -> None:
        self.bot.tree.remove_command(self._menu.name, type=self._menu.type)

    @abstractmethod
    def defaults(self, guild_id: int | None) -> dict[str, Any]:
        """The options of a game that somebody starts without naming any."""

    async def open_from_menu(self, interaction: discord.Interaction[Any], message: discord.Message) -> None:
        """Open a lobby in the channel of whatever message was chosen."""
        await self.open(interaction, self.defaults(interaction.guild_id))

    @property
    def painter(self) -> Painter:
        return self.bot.painter

    async def open(self, interaction: discord.Interaction[Any], options: dict[str, Any]) -> None:
        """Open a lobby: what the start command of every game does."""
        answer = Answer(interaction, self.bot.catalogue)

        async def work() -> None:
            click = answer.click()
            check_channel(interaction)
            check_start(self.bot, interaction)
            chosen = self.bot.servers.of(click.guild_id)
            session = self.bot.sessions.at(click.channel_id)
            row = await session.open(click, self.game, options, chosen.turn_seconds, chosen.hints)
            await self.painter.paint(row.id, answer)
            if not answer.posted:
                await answer.private(note(say("done-opened")))

        await answer.within(work())

    @app_commands.command(name="show", description=described("cmd-show"))
    async def show(self, interaction: discord.Interaction[Any]) -> None:
        answer = Answer(interaction, self.bot.catalogue)

        async def work() -> None:
            click = answer.click()
            row = await self.bot.sessions.at(click.channel_id).active()
            await self.painter.paint(row.id, answer, fresh=True)
            if not answer.posted:
                await answer.private(note(say("done-shown")))

        await answer.within(work())

    @app_commands.command(name="leave", description=described("cmd-leave"))
    async def leave(self, interaction: discord.Interaction[Any]) -> None:
        answer = Answer(interaction, self.bot.catalogue)

        async def work() -> None:
            click = answer.click()
            row = await self.bot.sessions.at(click.channel_id).active()
            if all(seat.user_id != click.user_id for seat in row.seats):
                raise Refused("error-not-in-game")
            question = say("ask-leave-lobby" if row.status == LOBBY else "ask-leave")
            await answer.private(confirm(question, "c.leave", say("ask-leave-yes")), row.id, row.version)

        await answer.within(work())

    @app_commands.command(name="end", description=described("cmd-end"))
    async def end(self, interaction: discord.Interaction[Any]) -> None:
        answer = Answer(interaction, self.bot.catalogue)

        async def work() -> None:
            click = answer.click()
            row = await self.bot.sessions.at(click.channel_id).active()
            check_manager(click, row)
            await answer.private(confirm(say("ask-end"), "c.end", say("ask-end-yes")), row.id, row.version)

        await answer.within(work())

    @app_commands.command(name="remove", description=described("cmd-remove"))
    @app_commands.describe(member=described("cmd-remove-member"))
    async def remove(self, interaction: discord.Interaction[Any], member: discord.User) -> None:
        answer = Answer(interaction, self.bot.catalogue)

        async def work() -> None:
            click = answer.click()
            row = await self.bot.sessions.at(click.channel_id).active()
            check_manager(click, row)
            if seat_number(row, member.id) is None:
                raise Refused("error-not-at-table")
            question = say("ask-remove", name=Name(clean(member.display_name)))
            token = f"c.remove.{member.id:x}"
            await answer.private(confirm(question, token, say("ask-remove-yes")), row.id, row.version)

        await answer.within(work())

    @app_commands.command(name="handover", description=described("cmd-handover"))
    @app_commands.describe(member=described("cmd-handover-member"), to=described("cmd-handover-to"))
    async def handover(
        self, interaction: discord.Interaction[Any], member: discord.User, to: discord.User | None = None
    ) -> None:
        answer = Answer(interaction, self.bot.catalogue)

        async def work() -> None:
            click = answer.click()
            if to is not None and to.bot:
                raise Refused("error-no-bots")
            level = default_level(self.game)
            heir = person(to.id, clean(to.display_name)) if to is not None else ai(level)
            row = await self.bot.sessions.at(click.channel_id).hand_over(click, member.id, heir)
            await self.painter.paint(row.id)
            other = Name(heir.name) if to is not None else say(f"ai-{level}")
            done = say("done-handed-over", name=Name(clean(member.display_name)), other=other)
            await answer.private(note(done))

        await answer.within(work())

    @app_commands.command(name="rules", description=described("cmd-rules"))
    async def rules(self, interaction: discord.Interaction[Any]) -> None:
        answer = Answer(interaction, self.bot.catalogue)

        async def work() -> None:
            screen = find(self.game).screen
            await answer.private(rules(self.game, screen, screen.topics()[0]))

        await answer.within(work())

    @app_commands.command(name="fair", description=described("cmd-fair"))
    async def fair(self, interaction: discord.Interaction[Any]) -> None:
        answer = Answer(interaction, self.bot.catalogue)

        async def work() -> None:
            await answer.private(explained(self.game))

        await answer.within(work())


@page("ru")
async def turn_rules(bot: DiceBot, answer: Answer, click: Click, parts: Sequence[str]) -> None:
    """Another topic of the rules."""
    if len(parts) != 2:
        raise Unreadable("error-old-button")
    game, topic = parts
    await answer.turn(rules(game, find(game).screen, topic))


def default_level(game: str) -> str:
    """The AI that takes over a seat where nobody has chosen a level: the second weakest, if there are two."""
    levels = tuple(find(game).policies)
    return levels[min(1, len(levels) - 1)]
