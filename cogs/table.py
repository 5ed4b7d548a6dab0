"""All buttons and forms of the bot: one listener receives every click, reads the id and calls the session."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from functools import partial

import discord
from discord import app_commands
from discord.ext import commands

from bot.client import DiceBot
from bot.discordpy.answer import Answer
from bot.discordpy.handling import handle
from bot.games.core import Unreadable
from bot.i18n.names import clean
from bot.i18n.say import Name, Say, facts, say
from bot.observability import context, metrics
from bot.registry import find
from bot.screens import button_ids
from bot.screens.button_ids import ButtonId, parse
from bot.screens.private import note, notes, rules
from bot.sessions.presentation import more_of
from bot.sessions.rated import binds
from bot.sessions.request import Click, Echo, Refused, Stale, seat_number
from bot.store.base import LIVE, GameRow
from cogs.advice import show_odds, show_review
from cogs.departures import let_departed_go, replaces_host, turn_passes_without_vote
from cogs.fairness import ask_word, show_dice, take_word
from cogs.history import load_finished_game, show_record, show_score_sheet
from cogs.new_table import welcome
from cogs.offers import answer_offer
from cogs.pages import game_of_channel, hex_number, turn_page
from cogs.permissions import check_channel, check_start, obstacle, tell_deleted_choices

FOREIGN = (
    app_commands.CommandNotFound,
    app_commands.CommandSignatureMismatch,
    app_commands.TransformerError,
)
"""Exceptions that discord.py raises for commands and options that this version has not registered."""

_log = logging.getLogger(__name__)


class Table(commands.Cog):
    """Handles clicks, and follows what happens to channels."""

    def __init__(self, bot: DiceBot) -> None:
        self.bot = bot

    @commands.Cog.listener()
    async def on_interaction(self, interaction: discord.Interaction[DiceBot]) -> None:
        answer = Answer(interaction)
        if interaction.type is discord.InteractionType.component:
            await handle(answer, self._click(answer))
        elif interaction.type is discord.InteractionType.modal_submit:
            await handle(answer, self._submit(answer))

    async def _click(self, answer: Answer) -> None:
        button = parse(answer.custom_id)
        if button.game_id == 0:
            await turn_page(self.bot, answer, button.token)
            return
        await self._on_table(answer, partial(self._press_button, answer, button))

    async def _submit(self, answer: Answer) -> None:
        """Take what somebody has entered into a form."""
        button = parse(answer.custom_id)
        if button.game_id == 0:
            await turn_page(self.bot, answer, button.token)
            return
        context.game.set(button.game_id)
        match button.token:
            case button_ids.WORD:
                await self._on_table(answer, partial(take_word, self.bot, answer, button))
            case token if token.startswith(button_ids.SET_OPTIONS):
                await self._on_table(answer, partial(self._set_options, answer, button))
            case _:
                raise Unreadable("error-old-button")

    async def _set_options(self, answer: Answer, button: ButtonId) -> None:
        click, digest = answer.click(), button.token.removeprefix(button_ids.SET_OPTIONS)
        session = self.bot.sessions.at(click.channel_id)
        row = await session.set_options(click, button.game_id, digest, answer.entered)
        await self.bot.painter.paint(row.id, answer)

    async def _on_table(self, answer: Answer, work: Callable[[], Awaitable[None]]) -> None:
        """Do what a click asks for; if its table was an old one, say so and show the present one."""
        try:
            try:
                await work()
            except Refused as refused:
                if not await replaces_host(self.bot, answer.click(), refused):
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
        found = await obstacle(answer.interaction)
        await answer.private(notes([Say(code), *([Say(found.code, facts(found.facts))] if found else [])]))
        if at_table:
            # It was not painted yet, or the bot can't write there.
            await painter.paint(row.id, answer, force=True)
        else:
            await painter.retire(row, answer)
            await painter.paint(row.id)

    async def _press_button(self, answer: Answer, button: ButtonId) -> None:
        painter = self.bot.painter
        context.game.set(button.game_id)
        click = answer.click()
        session = self.bot.sessions.at(click.channel_id)
        match button.token:
            case button_ids.TO_BOTTOM:
                await self._bring_down(answer, click, button.game_id)
            case button_ids.BACK:
                row = await session.back(click, button.game_id)
                await painter.paint(row.id, answer)
            case button_ids.VOTE if await turn_passes_without_vote(self.bot, click, button.game_id):
                if answer.is_on_private:
                    await answer.edit_private(note(say("done-departed")))
            case button_ids.VOTE:
                row = await session.vote(click, button.game_id)
                await self._show_table(answer, row.id)
                if answer.is_on_private:
                    await answer.edit_private(note(say("done-voted")))
            case button_ids.SKIP:
                await painter.paint((await self._watched(answer, click, button.game_id)).id, answer)
            case token if token.startswith(button_ids.ROLL_ON):
                row = await self._watched(answer, click, button.game_id)
                number = hex_number(token.removeprefix(button_ids.ROLL_ON))
                await painter.go_on(row.id, answer, number, seat_number(row, click.user_id))
            case button_ids.MORE:
                row = await session.running(click, button.game_id)
                await answer.private(more_of(row), row.id, row.version)
            case button_ids.SHEET:
                await show_score_sheet(self.bot, answer, await session.running(click, button.game_id))
            case button_ids.RULES:
                row = await game_of_channel(self.bot, answer, button.game_id)
                own = find(row.game).screen
                await answer.private(rules(row.game, own, own.topics[0]))
            case button_ids.REMATCH:
                await check_channel(answer.interaction)
                check_start(self.bot, answer.interaction)
                row = await session.rematch(click, button.game_id)
                await painter.paint(row.id)
                await painter.paint(button.game_id, answer, fresh=False, force=True)
                await tell_deleted_choices(self.bot, answer)
            case button_ids.ODDS:
                await show_odds(self.bot, answer, click, button.game_id)
            case button_ids.REVIEW:
                row = await load_finished_game(self.bot, answer, click, f"{button.game_id:x}")
                await show_review(self.bot, answer, row)
            case button_ids.FAIR:
                await show_dice(self.bot, answer, button.game_id)
            case button_ids.WORD:
                await ask_word(self.bot, answer, button)
            case button_ids.RECORD:
                row = await game_of_channel(self.bot, answer, button.game_id)
                await show_record(self.bot, answer, row)
            case button_ids.LEAVE:
                row = await session.leave(click, button.game_id)
                await answer.edit_private(note(say("done-left")))
                await painter.paint(row.id)
            case button_ids.END:
                game = await self.bot.store.game(button.game_id)
                if game is not None and binds(game, seat_number(game, click.user_id)):
                    await let_departed_go(self.bot, click, button.game_id)
                row = await session.end(click, button.game_id)
                if row.status == LIVE:
                    await answer.edit_private(note(say("done-end-asked")))
                    # Further down, so that it is seen.
                    await painter.paint(row.id, fresh=True, force=True)
                    return
                await answer.edit_private(note(say("done-ended")))
                await painter.paint(row.id)
                if click.user_id != row.host_id:
                    await answer.public(note(say("ended-by", name=Name(clean(click.name)))), {})
            case button_ids.AGREE:
                await let_departed_go(self.bot, click, button.game_id)
                row = await session.agree_to_end(click, button.game_id)
                await painter.paint(row.id, answer, force=True)
            case button_ids.PLAY_ON:
                row = await session.play_on(click, button.game_id)
                await painter.paint(row.id, answer, force=True)
            case token if token.startswith(button_ids.REMOVE):
                user_id = hex_number(token.removeprefix(button_ids.REMOVE))
                row = await session.remove(click, user_id, button.game_id)
                name = next((seat.name for seat in row.seats if seat.user_id == user_id), "")
                who = Name(name) if name else say("unnamed-person")
                await answer.edit_private(note(say("done-removed", name=who)))
                await painter.paint(row.id)
            case token if token.startswith(button_ids.OFFER):
                await answer_offer(self.bot, answer, button)
            case button_ids.OPTIONS:
                await answer.form(await session.options(click, button.game_id), game_id=button.game_id)
            case token if token.startswith(button_ids.LOBBY):
                pressed = await session.lobby(click, button.game_id, token)
                await painter.paint(pressed.row.id, answer)
                if token == button_ids.JOIN:
                    await welcome(self.bot, click)
            case token:
                pressed = await session.press(click, button.game_id, button.version, token)
                await painter.paint(
                    pressed.row.id,
                    answer,
                    view=pressed.view,
                    version=pressed.row.version,
                    steps=pressed.steps,
                )

    async def _watched(self, answer: Answer, click: Click, game_id: int) -> GameRow:
        """Return the game whose steps were clicked. Raises :class:`Stale` for a click not on its table."""
        row = await self.bot.sessions.at(click.channel_id).watch(click, game_id)
        if row.message_id != answer.message_id:
            raise Stale(row)
        return row

    async def _bring_down(self, answer: Answer, click: Click, game_id: int) -> None:
        """Post the table again. If the bot can't, update the clicked one and raise :class:`Refused`."""
        found = await obstacle(answer.interaction)
        try:
            before = await self.bot.sessions.at(click.channel_id).look(click, game_id)
        except Echo:
            raise found or Echo from None
        await self._show_table(answer, game_id, fresh=found is None)
        row = await self.bot.store.game(game_id)
        unmoved = (answer.message_id, before.message_id)
        if found is not None or (row is not None and row.message_id in unmoved):
            raise found or Refused("error-not-posted")
        if answer.is_on_private:
            await answer.edit_private(note(say("done-shown")))

    async def _show_table(self, answer: Answer, game_id: int, *, fresh: bool = False) -> None:
        """Show the table after a click on it, or on a private page, which can't become the table."""
        click = None if answer.is_on_private else answer
        await self.bot.painter.paint(game_id, click, fresh=fresh, force=True)

    @commands.Cog.listener()
    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        await self.bot.painter.channel_gone(channel.id)

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        """Look at locked threads again after events were lost."""
        await self.bot.deadlines.check_stopped()

    @commands.Cog.listener()
    async def on_thread_update(self, before: discord.Thread, after: discord.Thread) -> None:
        if before.locked != after.locked:
            await self.bot.deadlines.thread_changed(after.id, after.locked)
        if before.archived and not after.archived:
            await self.bot.painter.thread_opened(after.id)

    @commands.Cog.listener()
    async def on_thread_join(self, thread: discord.Thread) -> None:
        """Take up a thread that was archived or hidden until now: the library did not know it."""
        await self.bot.deadlines.thread_changed(thread.id, thread.locked)
        if not thread.archived:
            await self.bot.painter.thread_opened(thread.id)

    @commands.Cog.listener()
    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        await self.bot.painter.channel_gone(payload.thread_id)


async def on_command_error(
    interaction: discord.Interaction[DiceBot], error: app_commands.AppCommandError
) -> None:
    """Tell a person that their command has failed with an error that nothing else has handled."""
    if isinstance(error, FOREIGN):
        # A client may still offer a command or an option of an earlier version.
        _log.info("Interaction %s is not one of the bot's commands: %s", interaction.id, error)
        await Answer(interaction).private(note(say("error-unreadable")))
        return
    _log.error("Command of interaction %s has failed", interaction.id, exc_info=error)
    await Answer(interaction).private(note(say("error-internal")))


async def setup(bot: DiceBot) -> None:
    bot.tree.error(on_command_error)
    await bot.add_cog(Table(bot))
