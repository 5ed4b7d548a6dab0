"""Finished games: the list, the page of a game, its replay, its record and the fairness check."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import discord
from discord import app_commands
from discord.ext.commands import Cog

from bot.client import DiceBot
from bot.discordpy import visibility
from bot.discordpy.answer import Answer
from bot.discordpy.handling import answered
from bot.games.core import CORRUPT_DATA_ERRORS, Unreadable
from bot.games.seats import Seat
from bot.i18n.say import say
from bot.records.game_log import OtherRules
from bot.records.record import RecordError
from bot.records.score_sheet import csv_of
from bot.registry import find
from bot.screens import history as screens
from bot.screens.button_ids import Page
from bot.screens.history import CHANNEL, PAGE, SERVER, ListPage, ShownFrame
from bot.screens.model import Button, Screen, Text, message_link
from bot.screens.private import note
from bot.screens.score_sheet import SheetLine, score_sheet
from bot.sessions.presentation import screen_of
from bot.sessions.request import Click, Refused
from bot.standings.values import FinishedGame, Span
from bot.store.base import FINISHED, GameRow
from cogs.command_texts import described
from cogs.fairness import dice_page
from cogs.pages import page, read_hex, read_number

MAX_FRAMES = 1 << 40
"""More frames than any replay has."""


class History(Cog):
    def __init__(self, bot: DiceBot) -> None:
        self.bot = bot

    @app_commands.command(name="history", description=described("cmd-history"))
    @app_commands.describe(where=described("cmd-history-where"))
    @app_commands.choices(
        where=[
            app_commands.Choice(name=described("history-channel"), value=CHANNEL),
            app_commands.Choice(name=described("history-server"), value=SERVER),
        ]
    )
    @answered
    async def history(self, answer: Answer, where: str = CHANNEL) -> None:
        await answer.private(await list_screen(self.bot, answer, answer.click(), ListPage(where)))


@page(Page.HISTORY)
async def answer_page(bot: DiceBot, answer: Answer, click: Click, parts: Sequence[str]) -> None:
    """Answer a click on the list or on one of its games. These pages are always private."""
    match list(parts):
        case [screens.LIST, screens.FIND, scope, _]:
            await answer.private(await list_screen(bot, answer, click, _list_page(scope, "0")))
        case [screens.LIST, kind, scope, at]:
            newer = kind == screens.NEWER
            await answer.turn_page(await list_screen(bot, answer, click, _list_page(scope, at), newer=newer))
        case [screens.GAME, game, scope, at]:
            row = await load_finished_game(bot, answer, click, game)
            await answer.turn_page(await _game(bot, answer, row, _list_page(scope, at)))
        case [screens.REPLAY, game, frame, _, scope, at]:
            row = await load_finished_game(bot, answer, click, game)
            await answer.turn_page(
                await _replay(bot, click, row, read_number(frame, MAX_FRAMES), _list_page(scope, at))
            )
        case [screens.RECORD, game, _, _]:
            await show_record(bot, answer, await load_finished_game(bot, answer, click, game))
        case [screens.FAIR, game, scope, at]:
            row = await load_finished_game(bot, answer, click, game)
            here = _list_page(scope, at)
            buttons = (
                Button(here.token(screens.RECORD, game), say("end-record")),
                Button(here.token(screens.GAME, game), say("history-back")),
            )
            await answer.turn_page(await dice_page(bot, answer, row, buttons))
        case _:
            raise Unreadable("error-old-button")


async def list_screen(
    bot: DiceBot, answer: Answer, click: Click, here: ListPage, *, newer: bool = False
) -> Screen:
    """Return a page of finished games: with ``newer`` those after ``here``, otherwise those before it.

    If these are too few for a page, return the newest games.
    """
    channels = visible_channels(answer.interaction) if here.scope == SERVER else []
    games: tuple[FinishedGame, ...] = ()
    if newer and here.before:
        games = await _finished(bot, click, channels, here.scope, Span(PAGE + 1, after=here.before))
        # One more than fits shows that there are even newer ones.
        games = games[1:] if len(games) > PAGE else ()
        here = ListPage(here.scope, games[0].finish + 1 if games else 0)
    if here.before:
        games = await _finished(bot, click, channels, here.scope, Span(PAGE + 1, before=here.before))
    if not games:
        here = ListPage(here.scope)
        games = await _finished(bot, click, channels, here.scope, Span(PAGE + 1))
    shown = await _for_others(bot, click, games[:PAGE])
    return screens.history(shown, here, more=len(games) > PAGE, visible=channels)


async def _for_others(bot: DiceBot, click: Click, games: Sequence[FinishedGame]) -> tuple[FinishedGame, ...]:
    """Return the games without the names of people who hide themselves from lists."""
    people = {seat.user_id for game in games for seat in game.seats if seat.user_id is not None}
    hidden = await bot.store.unlisted(click.guild_id, people) - {click.user_id}
    return tuple(replace(game, seats=without_names(game.seats, hidden)) for game in games)


def without_names(seats: Sequence[Seat], hidden: Collection[int]) -> tuple[Seat, ...]:
    """Return the seats of a game without the names of these people."""
    return tuple(Seat("human") if seat.user_id in hidden else seat for seat in seats)


async def _finished(
    bot: DiceBot, click: Click, channels: Sequence[int], scope: str, span: Span
) -> tuple[FinishedGame, ...]:
    if scope == CHANNEL:
        return await bot.store.finished_in_channel(click.channel_id, span)
    return await bot.store.finished_in_guild(click.guild_id, channels, click.user_id, span)


async def load_finished_game(bot: DiceBot, answer: Answer, click: Click, game_id: str) -> GameRow:
    """Return a finished game that the clicker may see: from a channel they see, or one they have played in.

    It lacks the names of people who hide themselves from lists. Raises :class:`Refused` for all other games,
    also those of other servers, and :class:`Unreadable` if ``game_id`` is none.
    """
    row = await bot.store.game(read_hex(game_id))
    if row is None or row.guild_id != click.guild_id or row.status != FINISHED:
        raise Refused("error-no-such-game")
    people = {seat.user_id for seat in row.seats} | {seat.user_id for seat in row.former}
    if click.user_id not in people and not can_see(answer.interaction, row.channel_id):
        raise Refused("error-no-such-game")
    others = {user_id for user_id in people if user_id not in (None, click.user_id)}
    hidden = await bot.store.unlisted(click.guild_id, others)
    if not hidden:
        return row
    former = tuple(replace(seat, name="") if seat.user_id in hidden else seat for seat in row.former)
    return replace(row, seats=without_names(row.seats, hidden), former=former)


def can_see(interaction: discord.Interaction[DiceBot], channel_id: int) -> bool:
    """Return whether the person can see a channel or thread of the server, as far as that is known."""
    if channel_id == interaction.channel_id:
        return True
    guild, member = interaction.guild, interaction.user
    if guild is None or not isinstance(member, discord.Member):
        return False
    place = guild.get_channel_or_thread(channel_id)
    if isinstance(place, discord.Thread):
        place = None if place.is_private() else place.parent
    return place is not None and place.permissions_for(member).view_channel


def visible_channels(interaction: discord.Interaction[DiceBot]) -> list[int]:
    """Return the channels and threads of the server that the person can see, as far as that is known.

    The answer is up to :data:`bot.client.VISIBLE_SECONDS` old.
    """
    here = [interaction.channel_id] if interaction.channel_id else []
    guild, member = interaction.guild, interaction.user
    if guild is None or not isinstance(member, discord.Member):
        return here
    remembered = interaction.client.visibility
    visible = remembered.get(guild.id)
    if visible is None:
        visible = visibility.Visibility(guild)
        remembered.put(guild.id, visible)
    return [*dict.fromkeys([*here, *visible.of(member)])]


async def _game(bot: DiceBot, answer: Answer, row: GameRow, here: ListPage) -> Screen:
    try:
        end = await screen_of(bot.store, row)
    except (*CORRUPT_DATA_ERRORS, AssertionError):
        # Its log may still be readable.
        end = Screen.of(Text.of(say("history-damaged")))
    link = ""
    if row.message_id is not None and can_see(answer.interaction, row.channel_id):
        link = message_link(row.guild_id, row.channel_id, row.message_id)
    return screens.game(end, row.id, here, link, coach=find(row.game).has_review(len(row.seats)))


async def _replay(bot: DiceBot, click: Click, row: GameRow, at: int, here: ListPage) -> Screen:
    try:
        replay = await bot.derived.frames(row, click.asker)
    except OtherRules as other:
        return screens.no_replay(row.id, here, say(other.code, **other.facts))
    entry = find(row.game)
    if not replay.count:
        return screens.no_replay(row.id, here, say("replay-damaged"))
    last = replay.count - 1
    at = min(at, last)
    frame = replay.at(at)
    shown = ShownFrame(frame.state, frame.decision, frame.lines, at, last, replay.damaged)
    return screens.replay(entry.rules, entry.screen, row.seats, shown, row.id, here)


async def show_score_sheet(bot: DiceBot, answer: Answer, row: GameRow) -> None:
    """Show the score sheet of a game, with all of it as a file."""
    lines = await bot.derived.score_sheet(row, answer.click().asker)
    name, data = _sheet_file(bot, answer, row, lines)
    await answer.private(score_sheet(lines, row.seats, name), files={name: data} if lines else {})


def _sheet_file(bot: DiceBot, answer: Answer, row: GameRow, lines: Sequence[SheetLine]) -> tuple[str, bytes]:
    """Return the name and the contents of the file with a score sheet."""
    locale = answer.private_locale
    names = [
        seat.name or "?" if seat.human else bot.catalogue.text(locale, say(f"ai-{seat.policy}"))
        for seat in row.seats
    ]
    return f"{row.game}-{row.id}.csv", csv_of(lines, names)


async def show_record(bot: DiceBot, answer: Answer, row: GameRow) -> None:
    """Send the record of a game as a file. Raises :class:`Refused` if there is none."""
    try:
        text = await bot.derived.record(row, answer.click().asker)
    except OtherRules:
        raise
    except (RecordError, *CORRUPT_DATA_ERRORS):
        raise Refused("error-damaged") from None
    if text is None:
        raise Refused("error-record-later")
    name = f"{row.game}-{row.id}.jsonl"
    files = {name: text.encode()}
    shown = note(say("end-record-note", file=name), file=name)
    if lines := await bot.derived.score_sheet(row, answer.click().asker):
        sheet, files[sheet] = _sheet_file(bot, answer, row, lines)
        more = note(say("end-sheet-note"), file=sheet)
        shown = replace(shown, blocks=(*shown.blocks, *more.blocks))
    await answer.private(shown, files=files)


def _list_page(scope: str, at: str) -> ListPage:
    """Read the page of the list that a token names."""
    if scope not in (CHANNEL, SERVER):
        raise Unreadable("error-old-button")
    return ListPage(scope, read_number(at))


async def setup(bot: DiceBot) -> None:
    await bot.add_cog(History(bot))
