"""The daily game: ``/daily``, its private pages, and the result that a person shares."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from discord import app_commands
from discord.ext.commands import Cog

from bot.client import DiceBot
from bot.daily import screens
from bot.daily.days import date_of, streak
from bot.daily.game import Attempt
from bot.discordpy.answer import Answer
from bot.discordpy.handling import answered
from bot.games.core import Unreadable
from bot.i18n.names import clean
from bot.i18n.say import say
from bot.screens.button_ids import Page
from bot.screens.model import Screen
from bot.screens.private import note
from bot.sessions.request import Click, Refused
from cogs.command_texts import described
from cogs.membership import refresh_presence
from cogs.pages import page, read_number

MAX_DAY = 100_000
"""Later than any day that the bot will see."""

MAX_PAGE = 100_000
"""More pages than any list will have."""


class Daily(Cog):
    def __init__(self, bot: DiceBot) -> None:
        self.bot = bot

    @app_commands.command(name="daily", description=described("cmd-daily"))
    @answered
    async def daily(self, answer: Answer) -> None:
        await answer.private(await _front(self.bot, answer.click()))


@page(Page.DAILY)
async def answer_page(bot: DiceBot, answer: Answer, click: Click, parts: Sequence[str]) -> None:
    """Answer a click on a button of the daily game."""
    match list(parts):
        case [screens.OPEN]:
            # On a message that everybody sees.
            await answer.private(await _front(bot, click))
        case [screens.FRONT]:
            await answer.turn_page(await _front(bot, click))
        case [screens.BEGIN, day]:
            attempt = await bot.daily.begin(click.user_id, _day(day))
            await _put_on_list(bot, click, attempt)
            await answer.turn_page(await _game(bot, click, attempt))
        case [screens.GO_ON, day]:
            attempt = await bot.daily.begun(click.user_id, _day(day))
            await answer.turn_page(await _game(bot, click, attempt))
        case [screens.PRESS, day, made, *token]:
            attempt = await bot.daily.press(click.user_id, _day(day), read_number(made), ".".join(token))
            await answer.turn_page(await _game(bot, click, attempt))
        case [screens.LIST, day, screens.HERE | screens.ALL as where, at, *_]:
            await answer.turn_page(await _list(bot, click, _day(day), where, read_number(at, MAX_PAGE)))
        case [screens.AGREE | screens.WITHDRAW as which, day]:
            name = clean(click.name) if which == screens.AGREE else None
            await bot.store.daily.set_listed(click.user_id, name)
            await answer.turn_page(await _list(bot, click, _day(day), screens.ALL, 0))
        case [screens.SHARE, day]:
            await _share(bot, answer, click, await bot.daily.begun(click.user_id, _day(day)))
        case [screens.FAIR, day]:
            await answer.turn_page(await _fair(bot, click, _day(day)))
        case [screens.RECORD, day]:
            await _record(bot, answer, click, _day(day))
        case _:
            raise Unreadable("error-old-button")


async def _front(bot: DiceBot, click: Click) -> Screen:
    """Return the first page of today: what the game is, the game that a person plays, or its result."""
    today = bot.daily.today()
    attempt = await bot.daily.find(click.user_id, today)
    if attempt is not None:
        await _put_on_list(bot, click, attempt)
        return await _game(bot, click, attempt)
    before = await bot.store.daily.play(click.user_id, today - 1)
    unfinished = before is not None and before.turns is None and bot.daily.can_go_on(today - 1)
    days = await bot.store.daily.days_of(click.user_id)
    day = await bot.daily.seal_today()
    return screens.front(day, streak(days, today), today - 1 if unfinished else None)


async def _put_on_list(bot: DiceBot, click: Click, attempt: Attempt) -> None:
    """Put a person on the list of the server in which they open their game, and update their name."""
    await bot.store.note_member(click.guild_id, click.user_id, clean(click.name))
    await bot.store.daily.put_on_list(click.guild_id, attempt.day.day, click.user_id)
    if await bot.store.daily.listed_name(click.user_id) not in (None, clean(click.name)):
        await bot.store.daily.set_listed(click.user_id, clean(click.name))


async def _game(bot: DiceBot, click: Click, attempt: Attempt) -> Screen:
    """Return the page of a person's game: the table, or the result."""
    return await _result(bot, click, attempt) if attempt.progress.is_over else screens.table(attempt)


async def _result(bot: DiceBot, click: Click, attempt: Attempt, *, shared: bool = False) -> Screen:
    attempt = await bot.daily.accounted(attempt, click.asker)
    daily, day, me = bot.store.daily, attempt.day.day, click.user_id
    here = await daily.list_of(day, click.guild_id, 0, 0, me)
    everybody = await daily.list_of(day, None, 0, 0, me)
    achieved = screens.Achievements(
        streak(await daily.days_of(me), bot.daily.today()),
        screens.place_on(here, me),
        screens.place_on(everybody, me),
    )
    return screens.result(attempt, achieved, shared=shared)


async def _list(bot: DiceBot, click: Click, day: int, where: str, at: int) -> Screen:
    """Return a page of the list of a day. Today's is only for those who have finished their game."""
    me, daily = click.user_id, bot.store.daily
    stored_day = await bot.daily.day(day)
    if day >= bot.daily.today():
        play = await daily.play(me, day)
        if play is None or play.turns is None:
            raise Refused("error-daily-list-later")
    guild_id = click.guild_id if where == screens.HERE else None
    day_list = await daily.list_of(day, guild_id, at * screens.PAGE, screens.PAGE, me)
    if guild_id is not None and await refresh_presence(
        bot, guild_id, [line.user_id for line in day_list.lines]
    ):
        day_list = await daily.list_of(day, guild_id, at * screens.PAGE, screens.PAGE, me)
    listed = await daily.listed_name(me) is not None
    return screens.board(stored_day, where, day_list, at, me, today=bot.daily.today(), listed=listed)


async def _share(bot: DiceBot, answer: Answer, click: Click, attempt: Attempt) -> None:
    """Post a result to the channel."""
    attempt = await bot.daily.accounted(attempt, click.asker)
    if not attempt.progress.is_over or screens.share_text(attempt) is None:
        raise Refused("error-daily-share-later")
    key = click.user_id, attempt.day.day, click.channel_id
    shared = screens.shared(attempt, clean(click.name))
    await bot.shares.post(answer, key, shared, partial(_result, bot, click, attempt, shared=True))


async def _fair(bot: DiceBot, click: Click, day: int) -> Screen:
    recorded = await bot.daily.has_record(click.user_id, day)
    stored_day, opened = await bot.daily.day(day), bot.daily.is_open(day)
    return screens.fair(stored_day, opened=opened, opens=bot.daily.opens(day), recorded=recorded)


async def _record(bot: DiceBot, answer: Answer, click: Click, day: int) -> None:
    """Send the record of a person's game as a file."""
    text = await bot.daily.record(click.user_id, day, clean(click.name) or "?")
    name = f"daily-{date_of(day)}.jsonl"
    await answer.private(note(say("daily-record-note", file=name), file=name), files={name: text.encode()})


def _day(text: str) -> int:
    return read_number(text, MAX_DAY)


async def setup(bot: DiceBot) -> None:
    await bot.add_cog(Daily(bot))
