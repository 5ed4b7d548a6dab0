"""The commands of each game: `/<game> start`, `show` and so on, and its entry in the menu of messages."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import discord
from discord import app_commands

from bot.client import DiceBot
from bot.discordpy.answer import Answer
from bot.discordpy.handling import answered
from bot.games.core import Unreadable
from bot.games.options import Choice, Flag, Number, Option, declared
from bot.i18n.names import name_of
from bot.i18n.say import Name, say
from bot.registry import GAMES, find
from bot.screens.button_ids import END, LEAVE, REMOVE, Page
from bot.screens.elsewhere import games_page
from bot.screens.entry import Entry
from bot.screens.fairness import explained
from bot.screens.lobby_options import RATED
from bot.screens.private import confirm, note, rules_page
from bot.sessions import commands
from bot.sessions.rated import binds, is_rated
from bot.sessions.request import Click, Refused, check_manager, seat_number
from bot.store.base import LIVE, LOBBY, GameRow
from cogs.advice import chosen_game, show_review, suggested_games
from cogs.command_texts import described
from cogs.departures import replace_departed_host
from cogs.elsewhere import games_elsewhere, is_reposted
from cogs.lobby import default_options, open_lobby
from cogs.offers import ask_to_take_over
from cogs.pages import page
from cogs.tutto import odds_command

SlashCommand = app_commands.Command[Any, ..., None]

OWN_COMMANDS: Mapping[str, Sequence[Callable[[DiceBot], SlashCommand]]] = {"tutto": (odds_command,)}
"""The commands that only one game has, by its key."""


class GameCommands(app_commands.Group):
    """The commands of one game. The options that the game declares define its start command."""

    def __init__(self, bot: DiceBot, entry: Entry) -> None:
        self.bot = bot
        self.game = entry.rules.key
        self.options = declared(entry.rules.options_type)
        super().__init__(name=self.game, description=described(f"cmd-{self.game}"))
        self.add_command(self._start())
        for own in OWN_COMMANDS.get(self.game, ()):
            self.add_command(own(bot))
        if entry.coach is not None:
            self.add_command(self._review())
        # An entry in the menu of any message, under "Apps", also for people who can't type commands.
        self.menu = app_commands.ContextMenu(
            name=described(f"cmd-{self.game}-menu"), callback=self.open_from_menu
        )

    def _start(self) -> SlashCommand:
        """Build the command that opens a lobby, with a parameter for each option and for ``rated``."""

        async def start(interaction: discord.Interaction[DiceBot], **given: Any) -> None:
            rated = given.pop(RATED)
            named = {name: value for name, value in given.items() if value is not None}
            options = default_options(self.bot, self.game, interaction.guild_id) | named
            await self.open(interaction, options, rated)

        parameters = [inspect.Parameter("interaction", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
        kind = inspect.Parameter.KEYWORD_ONLY
        for name, option in {**self.options, RATED: Flag(True)}.items():
            parameters.append(inspect.Parameter(name, kind, default=None, annotation=_annotation(option)))
        # discord.py reads the parameters of a command from the signature of its callback.
        start.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        texts = {name: described(f"cmd-{self.game}-start-{name}") for name in self.options}
        texts[RATED] = described("cmd-start-rated")
        callback = app_commands.describe(**texts)(start)
        return app_commands.Command(
            name="start", description=described(f"cmd-{self.game}-start"), callback=callback
        )

    def _review(self) -> SlashCommand:
        """Build the command that shows the coach's review of a finished game."""

        @app_commands.command(name="review", description=described("cmd-review"))
        @app_commands.describe(game=described("cmd-review-game"))
        @answered
        async def review(answer: Answer, game: str | None = None) -> None:
            await show_review(self.bot, answer, await chosen_game(self.bot, answer, self.game, game))

        @review.autocomplete("game")
        async def games(
            interaction: discord.Interaction[DiceBot], typed: str
        ) -> list[app_commands.Choice[str]]:
            return await suggested_games(self.bot, interaction, self.game, typed)

        return review

    async def open_from_menu(
        self, interaction: discord.Interaction[DiceBot], message: discord.Message
    ) -> None:
        """Open a lobby in the channel of the chosen message."""
        await self.open(interaction, default_options(self.bot, self.game, interaction.guild_id))

    @answered
    async def open(self, answer: Answer, options: dict[str, Any], rated: bool | None = None) -> None:
        """Open a lobby; every game's start command calls this."""
        await open_lobby(self.bot, answer, self.game, options, rated=rated)

    @app_commands.command(name="show", description=described("cmd-show"))
    @answered
    async def show(self, answer: Answer) -> None:
        click = answer.click()
        try:
            row = await self.bot.sessions.at(click.channel_id).active()
        except Refused:
            elsewhere = await games_elsewhere(self.bot, click)
            if not elsewhere:
                raise
            await answer.private(games_page(elsewhere))
            return
        await self.bot.painter.paint(row.id, answer, fresh=True)
        if not answer.posted:
            shown = await is_reposted(self.bot, row)
            await answer.private(note(say("done-shown" if shown else "error-not-posted")))

    @app_commands.command(name="leave", description=described("cmd-leave"))
    @answered
    async def leave(self, answer: Answer) -> None:
        click = answer.click()
        row = await self.bot.sessions.at(click.channel_id).active()
        if all(seat.user_id != click.user_id for seat in row.seats):
            raise Refused("error-not-in-game")
        question = say("ask-leave-lobby" if row.status == LOBBY else f"ask-leave{_if_rated(row)}")
        await answer.private(confirm(question, LEAVE, say("ask-leave-yes")), row.id, row.version)

    async def _game_to_manage(self, answer: Answer) -> GameRow:
        """Return the game of this channel. Raise :class:`Refused` unless the person may manage it."""
        click = answer.click()
        session = self.bot.sessions.at(click.channel_id)
        row = await session.active()
        try:
            check_manager(click, row)
        except Refused as refused:
            if not await replace_departed_host(self.bot, click, refused):
                raise
            row = await session.active()
        return row

    @app_commands.command(name="end", description=described("cmd-end"))
    @answered
    async def end(self, answer: Answer) -> None:
        row = await self._game_to_manage(answer)
        kind = "ask-end-rated" if binds(row, seat_number(row, answer.click().user_id)) else "ask-end"
        await answer.private(confirm(say(kind), END, say(f"{kind}-yes")), row.id, row.version)

    @app_commands.command(name="remove", description=described("cmd-remove"))
    @app_commands.describe(member=described("cmd-remove-member"))
    @answered
    async def remove(self, answer: Answer, member: discord.User) -> None:
        row = await self._game_to_manage(answer)
        if seat_number(row, member.id) is None:
            raise Refused("error-not-at-table")
        question = say(f"ask-remove{_if_rated(row)}", name=Name(name_of(member)))
        token = f"{REMOVE}{member.id:x}"
        await answer.private(confirm(question, token, say("ask-remove-yes")), row.id, row.version)

    @app_commands.command(name="handover", description=described("cmd-handover"))
    @app_commands.describe(member=described("cmd-handover-member"), to=described("cmd-handover-to"))
    @answered
    async def handover(self, answer: Answer, member: discord.User, to: discord.User | None = None) -> None:
        await self._game_to_manage(answer)
        if to is not None:
            await ask_to_take_over(self.bot, answer, member, to)
            return
        click, level = answer.click(), find(self.game).default_level
        command = partial(commands.hand_over, user_id=member.id, policy=level)
        row = await self.bot.sessions.at(click.channel_id).carry_out(command, click)
        await self.bot.painter.paint(row.id)
        name = Name(name_of(member))
        await answer.private(note(say("done-handed-over", name=name, other=say(f"ai-{level}"))))

    @app_commands.command(name="rules", description=described("cmd-rules"))
    @answered
    async def rules(self, answer: Answer) -> None:
        screen = find(self.game).screen
        await answer.private(rules_page(self.game, screen, screen.topics[0]))

    @app_commands.command(name="fair", description=described("cmd-fair"))
    @answered
    async def fair(self, answer: Answer) -> None:
        await answer.private(explained(self.game))


@page(Page.RULES)
async def turn_rules(bot: DiceBot, answer: Answer, click: Click, parts: Sequence[str]) -> None:
    """Answer a click on another topic of the rules."""
    if len(parts) != 2:
        raise Unreadable("error-old-button")
    game, topic = parts
    await answer.turn_page(rules_page(game, find(game).screen, topic))


@page(Page.OPEN)
async def open_from_page(bot: DiceBot, answer: Answer, click: Click, parts: Sequence[str]) -> None:
    """Open a lobby of the game that the button of a page names."""
    game = find(".".join(parts)).rules.key
    await open_lobby(bot, answer, game, default_options(bot, game, click.guild_id))


def _if_rated(row: GameRow) -> str:
    """Return what a question's key ends with if it has to say what leaving a rated game means."""
    return "-rated" if row.status == LIVE and is_rated(row) else ""


def _annotation(option: Option) -> Any:
    """Return the annotation from which discord.py makes an optional parameter."""
    match option:
        case Number(least=least, most=most):
            return app_commands.Range[int, least, most] | None
        case Choice(values=values):
            return Literal[values] | None
        case Flag():
            return bool | None


async def setup(bot: DiceBot) -> None:
    for entry in GAMES.values():
        group = GameCommands(bot, entry)
        bot.tree.add_command(group)
        bot.tree.add_command(group.menu)
