"""Where a new table opens: in the channel, or in a thread of its own that its people are added to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import discord

from bot.client import DiceBot
from bot.discordpy.answer import Answer
from bot.discordpy.components import mentions, render
from bot.discordpy.threads import add_to_thread, is_own_thread, remove_start, start_thread
from bot.games.core import Unreadable
from bot.games.options import declared, packed, unpacked
from bot.i18n.names import clean
from bot.i18n.say import GameName, Say, say
from bot.registry import find
from bot.screens import new_table as screens
from bot.screens.button_ids import JOIN, Page
from bot.screens.model import Screen, message_link
from bot.screens.new_table import NewTable, announcement, question
from bot.screens.private import note
from bot.sessions.notifying import Reason
from bot.sessions.request import Click, Echo, Refused
from bot.store.base import GameRow
from bot.store.guild_settings import ASK, CHANNEL, THREAD
from bot.store.notifications import MENTION
from cogs.pages import page, read_hex, read_number
from cogs.permissions import check_channel, check_start, tell_deleted_choices

_PLACES = {screens.HERE: CHANNEL, screens.IN_THREAD: THREAD}
"""Where to open a table, by the button that asks for it."""

_WITH_THREADS = (discord.ChannelType.text, discord.ChannelType.news)
"""The types of channels in which a thread can be started from a message."""

_NEEDED = ("create_public_threads", "send_messages_in_threads")
"""The permissions that the bot needs for a thread, besides those for a table in the channel."""


def new_table(game: str, options: Mapping[str, Any], rated: bool, invited: int | None) -> NewTable:
    """Return a table to be opened. Raises :class:`~bot.games.core.GameError` for invalid options."""
    kind = find(game).rules.options_type
    values = find(game).rules.options(options).values()
    return NewTable(game, packed(declared(kind), values), rated, invited)


async def open_table(
    bot: DiceBot, answer: Answer, table: NewTable, where: str, *, asked: bool = False
) -> None:
    """Open a table in the channel or in a thread, or ask its host where; ``asked``: they have answered.

    Where there can be no thread it opens in the channel, and its host is told why.
    """
    await check_channel(answer.interaction)
    check_start(bot, answer.interaction)
    why: Say | None = None
    told: Screen | None = None
    if isinstance(answer.interaction.channel, discord.Thread):
        where = CHANNEL
    elif where != CHANNEL:
        why = _why_no_thread(answer.interaction)
        where = CHANNEL if why is not None else where
    if where == ASK:
        taken = await bot.store.active_game(answer.click().channel_id) is not None
        await answer.private(question(table, taken=taken))
        return
    if where == THREAD:
        told = await _open_in_thread(bot, answer, table)
        if told is None:
            why = _why_refused(answer.interaction)
    if where == CHANNEL or why is not None:
        told = await _open_in_channel(bot, answer, table, why)
    if told is not None:
        await (answer.turn_page if asked else answer.private)(told)
    await tell_deleted_choices(bot, answer)


def _why_no_thread(interaction: discord.Interaction[DiceBot]) -> Say | None:
    """Return why the bot can start no thread in the interaction's channel, or None if it can."""
    if interaction.channel is None or interaction.channel.type not in _WITH_THREADS:
        return say("place-kind")
    mine = interaction.app_permissions
    missing = next((name for name in _NEEDED if not getattr(mine, name)), None)
    return _missing(missing) if missing is not None else None


def _why_refused(interaction: discord.Interaction[DiceBot]) -> Say:
    """Return why Discord may have refused a thread; it starts none from a message that the bot can't see."""
    if not interaction.app_permissions.read_message_history:
        return _missing("read_message_history")
    return say("place-refused")


def _missing(permission: str) -> Say:
    return say("place-permission", missing=say(f"permission-{permission.replace('_', '-')}"))


async def _open_in_channel(bot: DiceBot, answer: Answer, table: NewTable, why: Say | None) -> Screen | None:
    """Open a table in the channel. Return what to tell its host; ``why`` says why there is no thread."""
    click = answer.click()
    try:
        row = await _open(bot, click, table)
    except Refused as refused:
        if why is None:
            raise
        raise Refused("place-and", first=why, second=say(refused.code, **refused.facts)) from None
    # The page whose button was clicked stays as it is.
    through = answer if answer.is_command else None
    await bot.painter.paint(row.id, through, invited=table.invited)
    hidden = await not_shown(bot, row)
    if hidden is not None:
        return hidden
    if why is not None:
        return note(say("place-stays", why=why))
    if answer.is_on_private or (answer.is_command and not answer.posted):
        return note(say("done-opened"))
    return None


async def _open_in_thread(bot: DiceBot, answer: Answer, table: NewTable) -> Screen | None:
    """Open a table in a thread of its own. Return what to tell its host, or None if there is no thread."""
    refused = bot.sessions.refuse_new()
    if refused is not None:
        raise refused
    click = answer.click()
    if answer.message_id is not None:
        # A double click must not make two threads.
        if bot.threads_opened.get((answer.message_id, click.user_id)):
            raise Echo
        bot.threads_opened.put((answer.message_id, click.user_id), True)
    channel = bot.get_partial_messageable(click.channel_id, guild_id=click.guild_id)
    name = clean(click.name)
    screen = announcement(table.game, name, table.invited)
    if table.invited is not None:
        way = await bot.notifier.way(click.guild_id, table.invited, Reason.ASKED)
        screen = replace(screen, mention=table.invited if way == MENTION else None)
    title = say("place-name", game=GameName(table.game), name=name)
    thread_id = await start_thread(
        bot,
        channel,
        bot.catalogue.text(answer.shared_locale, title),
        # Without drawn emojis, which Discord may refuse.
        render(screen, bot.catalogue.plain(), answer.shared_locale),
        mentions(screen),
        f"{click.interaction_id:x}.place",
    )
    if thread_id is None:
        return None
    try:
        row = await _open(bot, click._replace(channel_id=thread_id), table)
    except BaseException:
        await remove_start(channel, thread_id)
        raise
    await bot.painter.paint(row.id)
    await add_to_thread(bot, thread_id, click.user_id)
    return await not_shown(bot, row) or note(say("place-opened", thread=f"<#{thread_id}>"))


async def not_shown(bot: DiceBot, opened: GameRow) -> Screen | None:
    """Return what to tell the host of a table that was opened but that Discord has refused, else None."""
    row = await bot.store.game(opened.id)
    if row is None or row.message_id is not None:
        return None
    return note(say("place-not-shown", channel=f"<#{row.channel_id}>", game=row.game))


async def _open(bot: DiceBot, click: Click, table: NewTable) -> GameRow:
    options = unpacked(declared(find(table.game).rules.options_type), table.options)
    if options is None:
        raise Unreadable("error-old-button")
    seconds = bot.servers.of(click.guild_id).turn_seconds
    return await bot.sessions.at(click.channel_id).open(click, table.game, options, seconds, table.rated)


@page(Page.PLACE)
async def answer_page(bot: DiceBot, answer: Answer, click: Click, parts: Sequence[str]) -> None:
    """Answer a click on the question where to open a table, or on the message of its thread."""
    match list(parts):
        case [screens.JOIN]:
            # The thread has the id of its message.
            row = await bot.store.active_game(answer.message_id or 0)
            if row is None or row.guild_id != click.guild_id:
                raise Refused("error-table-gone")
            await join(bot, answer, row)
        case [screens.HERE | screens.IN_THREAD as where, game, rated, invited, *options]:
            find(game)
            table = NewTable(
                game, tuple(map(read_number, options)), read_number(rated, 1) == 1, read_hex(invited) or None
            )
            await open_table(bot, answer, table, _PLACES[where], asked=True)
        case _:
            raise Unreadable("error-old-button")


async def join(bot: DiceBot, answer: Answer, row: GameRow) -> None:
    """Take a seat in a lobby of another channel, as with its own button."""
    click = answer.click()._replace(channel_id=row.channel_id, may_manage=False)
    joined = await bot.sessions.at(row.channel_id).press_lobby(click, row.id, JOIN)
    await bot.painter.paint(row.id)
    await welcome(bot, click)
    link = message_link(row.guild_id, row.channel_id, joined.message_id)
    await answer.private(note(say("place-joined", link=link)))


async def welcome(bot: DiceBot, click: Click) -> None:
    """Add a person who has taken a seat to the table's thread, if the bot has made it for the table."""
    if is_own_thread(bot, click.guild_id, click.channel_id):
        await add_to_thread(bot, click.channel_id, click.user_id)
