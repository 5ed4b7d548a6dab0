"""A person's statistics, and the records of a server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import discord
from discord import app_commands
from discord.ext.commands import Cog

from bot.client import DiceBot
from bot.discordpy.answer import Answer
from bot.discordpy.components import Files
from bot.discordpy.handling import answered
from bot.games.core import Unreadable
from bot.i18n.names import name_of
from bot.i18n.say import GameName
from bot.registry import GAMES, find
from bot.screens import forecast
from bot.screens import stats as screens
from bot.screens.button_ids import Page
from bot.screens.model import Screen, person_name
from bot.sessions.request import Click, Refused
from bot.standings.values import Board, ServerRecord
from cogs.command_texts import described, game_choices
from cogs.history import can_see
from cogs.membership import refresh_presence, with_names
from cogs.pages import page, read_hex


class StatsCog(Cog):
    def __init__(self, bot: DiceBot) -> None:
        self.bot = bot
        self.menu = app_commands.ContextMenu(name=described("cmd-stats-menu"), callback=self.from_menu)

    @app_commands.command(name="stats", description=described("cmd-stats"))
    @app_commands.describe(member=described("cmd-stats-member"), game=described("cmd-leaderboard-game"))
    @app_commands.choices(game=game_choices())
    @answered
    async def stats(
        self, answer: Answer, member: discord.User | None = None, game: str | None = None
    ) -> None:
        await self._show(answer, member or answer.interaction.user, game)

    @answered
    async def from_menu(self, answer: Answer, member: discord.User | discord.Member) -> None:
        """Show the statistics of the person whose menu it is."""
        await self._show(answer, member, None)

    async def _show(self, answer: Answer, who: discord.User | discord.Member, game: str | None) -> None:
        click = answer.click()
        game = game or await self._played(click.guild_id, who.id)
        member = await self.bot.store.member(click.guild_id, who.id)
        if isinstance(who, discord.Member):
            self.bot.members.note(click.guild_id, who)
            if member is not None:
                await self.bot.store.note_member(click.guild_id, who.id, name_of(who))
        # People who are hidden from lists see their statistics privately.
        hidden = member is not None and member.unlisted
        locale = answer.private_locale if hidden else answer.shared_locale
        screen, files = await person(self.bot, click, game, who.id, name_of(who), locale)
        if hidden:
            await answer.private(screen, files=files)
        else:
            await answer.page(screen, files)

    async def _played(self, guild_id: int, user_id: int) -> str | None:
        """Return the first game of which there are statistics of a person, or None."""
        with_stats = await self.bot.store.games_with_stats(guild_id, user_id)
        return next((game for game in GAMES if game in with_stats), None)


@page(Page.STATS)
async def answer_page(bot: DiceBot, answer: Answer, click: Click, parts: Sequence[str]) -> None:
    """Answer a click that switches between a person's statistics and the server's records."""
    match list(parts):
        case [screens.RECORDS, game, user]:
            find(game)  # refuses a key that is no game's
            records = await bot.store.records(click.guild_id, game)
            if await refresh_presence(bot, click.guild_id, [record.user_id for record in records]):
                records = await bot.store.records(click.guild_id, game)
            records = with_names(bot, click.guild_id, records)
            records = tuple(_for_reader(record, answer) for record in records)
            await answer.turn_page(screens.records(game, records, click.guild_id, read_hex(user)))
        case [screens.FORECASTS, game, user]:
            find(game)
            await answer.private(await forecasts(bot, click, game, read_hex(user)))
        case [screens.PERSON, game, user]:
            screen, files = await person(bot, click, game, read_hex(user), "", answer.page_locale)
            await answer.turn_page(screen, files)
        case [screens.PERSON, game, user, board] if board in tuple(Board):
            shown = Board(board)
            screen, files = await person(bot, click, game, read_hex(user), "", answer.page_locale, shown)
            await answer.turn_page(screen, files)
        case _:
            raise Unreadable("error-old-button")


def _for_reader(record: ServerRecord, answer: Answer) -> ServerRecord:
    """Return a record without its game's channel if the reader may not see that."""
    if record.channel_id is None or can_see(answer.interaction, record.channel_id):
        return record
    return replace(record, channel_id=None, message_id=None)


async def person(
    bot: DiceBot,
    click: Click,
    game: str | None,
    user_id: int,
    name: str,
    locale: str,
    board: Board | None = None,
) -> tuple[Screen, Files]:
    """Return the screen of a person's statistics and its pictures.

    They are of the chosen ``board``; None stands for games among people, or if there are none, against AIs.
    Without a ``game`` there are none. Raises :class:`Refused` then, or if the clicker may see none.
    """
    member = await bot.store.member(click.guild_id, user_id)
    if member is not None and member.unlisted and user_id != click.user_id:
        raise Refused("error-stats-hidden", name=person_name(member.name or name))
    known_as = person_name(name or (member.name if member else ""))
    if game is None:
        raise Refused("error-no-stats-any", name=known_as)
    entry = find(game)
    stats = await bot.store.stats(click.guild_id, game, user_id, board or Board.PEOPLE)
    if stats is None and board is None:
        stats = await bot.store.stats(click.guild_id, game, user_id, Board.AI)
    if stats is None:
        raise Refused(
            "error-no-stats" if board is None else f"error-no-stats-{board.value}",
            name=known_as,
            game=GameName(game),
        )
    shown = bot.members.names(click.guild_id, {user_id: name or stats.name})[user_id]
    opponents = with_names(bot, click.guild_id, stats.opponents)
    stats = replace(stats, name=shown, opponents=opponents)
    files: Files = {}
    if screens.charts(stats.curve, stats.skills):
        files = await bot.derived.statistics_charts(stats.curve, stats.skills, locale, click.asker)
    return screens.statistics(entry, stats, files), files


async def forecasts(bot: DiceBot, click: Click, game: str, user_id: int) -> Screen:
    """Return the clicker's chances to win: against a person, or on their own page their usual opponents.

    Raises :class:`Refused` if nothing is known of that person, or if they are hidden from lists or have left.
    """
    if user_id == click.user_id:
        stats = await bot.store.stats(click.guild_id, game, user_id)
        others = [opponent.user_id for opponent in stats.opponents] if stats is not None else []
        members = {other: await bot.store.member(click.guild_id, other) for other in others}
        people = {other: who.name for other, who in members.items() if who is not None and who.present}
    else:
        member = await bot.store.member(click.guild_id, user_id)
        if member is None:
            raise Refused("error-no-stats", name=person_name(""), game=GameName(game))
        if member.unlisted or not member.present:
            reason = "error-stats-hidden" if member.unlisted else "error-challenge-absent"
            raise Refused(reason, name=person_name(member.name))
        people = {user_id: member.name}
    names = bot.members.names(click.guild_id, people)
    chances = await bot.store.forecasts(click.guild_id, game, click.user_id, people)
    return forecast.forecasts(game, [(names[other], chances.get(other)) for other in people])


async def setup(bot: DiceBot) -> None:
    cog = StatsCog(bot)
    await bot.add_cog(cog)
    bot.tree.add_command(cog.menu)
