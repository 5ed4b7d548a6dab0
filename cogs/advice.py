"""Odds and reviews, shown privately; a review can be shared."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import tzinfo

import discord
from discord import app_commands

from bot.client import DiceBot
from bot.discordpy.answer import Answer
from bot.discordpy.components import Files, cut
from bot.games.core import Unreadable
from bot.i18n.locales import moment
from bot.i18n.names import clean
from bot.i18n.say import Name, say
from bot.registry import find
from bot.screens import button_ids
from bot.screens.advice import CHANCES_CHART, Report, review_screen
from bot.screens.button_ids import ButtonId, Page
from bot.screens.model import Screen, seat_name
from bot.screens.private import note
from bot.sessions.commands import check_advice
from bot.sessions.request import Click, Refused
from bot.standings.periods import zone_of
from bot.standings.values import FinishedGame, Span
from bot.store.base import Damaged, GameRow, intact
from cogs.history import load_finished_game, visible_channels
from cogs.pages import page

MAX_CHOICES = 25
"""Discord's limit of autocomplete choices."""

MAX_CHOICE_NAME = 100
"""Discord's limit of characters of a choice."""


async def show_odds(bot: DiceBot, answer: Answer, button: ButtonId) -> None:
    """Show the odds of a running game privately."""
    click = answer.click()
    await answer.private(await bot.sessions.at(click.channel_id).odds(click, button.game_id))


async def check_no_rated_game(bot: DiceBot, user_id: int, game: str) -> None:
    """Raise :class:`Refused` if a person plays a rated game of this kind now, in any server."""
    for game_id in await bot.store.active_games_of(user_id):
        row = await bot.store.game(game_id)
        if row is not None and row.game == game and not isinstance(row.state, Damaged):
            check_advice(row, user_id)


async def show_review(bot: DiceBot, answer: Answer, row: GameRow) -> None:
    """Show the coach's review privately."""
    report = await bot.derived.review(row, answer.click().asker)
    channel_id = answer.interaction.channel_id
    is_shared = channel_id is not None and await bot.store.has_share(row.id, channel_id)
    share = "" if is_shared else Page.REVIEW.token(f"{row.id:x}", button_ids.SHARE)
    screen, files = await _review(bot, answer, row, report, answer.private_locale, share=share)
    await answer.private(screen, files=files)


async def chosen_game(bot: DiceBot, answer: Answer, game: str, typed: str | None) -> GameRow:
    """Return the finished game that was chosen for a command, or else the channel's latest of this kind.

    Raises :class:`Refused` if there is none that the person may see.
    """
    click = answer.click()
    if typed is not None:
        try:
            row = await load_finished_game(bot, answer, click, typed)
        except Unreadable:
            raise Refused("error-no-such-game") from None
        if row.game != game:
            raise Refused("error-no-such-game")
        return row
    for played in await bot.store.finished_in_channel(click.channel_id, Span(1, game)):
        latest = await bot.store.game(played.game_id)
        assert latest is not None
        return latest
    raise Refused("error-review-none")


async def suggested_games(
    bot: DiceBot, interaction: discord.Interaction[DiceBot], game: str, typed: str
) -> list[app_commands.Choice[str]]:
    """Return the finished games that a person may choose from, newest first: the channel's, then others.

    The list is up to :data:`bot.client.VISIBLE_SECONDS` old, because each typed letter asks for it.
    """
    guild_id, channel_id = interaction.guild_id, interaction.channel_id
    if guild_id is None or channel_id is None:
        return []
    key = guild_id, channel_id, interaction.user.id, game
    choices = bot.game_choices.get(key)
    if choices is None:
        async with bot.choosing:
            # An earlier letter may have worked them out meanwhile.
            choices = bot.game_choices.get(key)
            if choices is None:
                choices = await _choices(bot, interaction, guild_id, channel_id, game)
                bot.game_choices.put(key, choices)
    fitting = [choice for choice in choices if typed.casefold() in choice.name.casefold()]
    return fitting[:MAX_CHOICES]


async def _choices(
    bot: DiceBot, interaction: discord.Interaction[DiceBot], guild_id: int, channel_id: int, game: str
) -> list[app_commands.Choice[str]]:
    here = await bot.store.finished_in_channel(channel_id, Span(MAX_CHOICES, game))
    visible, span = visible_channels(interaction), Span(2 * MAX_CHOICES, game)
    others = await bot.store.finished_in_guild(guild_id, visible, interaction.user.id, span)
    zone, locale = zone_of(bot.servers.of(guild_id).time_zone), Answer(interaction).private_locale
    choices = []
    entry = find(game)
    for played in {one.game_id: one for one in (*here, *others)}.values():
        if not entry.has_review(len(played.seats)):
            continue
        name = _label(bot, locale, played, zone)
        choices.append(app_commands.Choice(name=name, value=f"{played.game_id:x}"))
        # A date in words takes a tenth of a millisecond; clicks go first.
        await asyncio.sleep(0)
    return choices


@page(Page.REVIEW)
async def answer_page(bot: DiceBot, answer: Answer, click: Click, parts: Sequence[str]) -> None:
    """Answer a click on a button that shows or shares a review."""
    match list(parts):
        case [game]:
            await show_review(bot, answer, await load_finished_game(bot, answer, click, game))
        case [game, button_ids.SHARE]:
            await _share(bot, answer, click, await load_finished_game(bot, answer, click, game))
        case _:
            raise Unreadable("error-old-button")


async def _share(bot: DiceBot, answer: Answer, click: Click, row: GameRow) -> None:
    key = row.id, click.channel_id
    # Two clicks at the same time share once; the database records only reviews that were really posted.
    if key in bot.sharing:
        raise Refused("error-review-shared")
    bot.sharing.add(key)
    try:
        if await bot.store.has_share(*key):
            raise Refused("error-review-shared")
        await answer.claim()
        await answer.acknowledge()
        report = await bot.derived.review(row, click.asker)
        screen, files = await _review(bot, answer, row, report, answer.shared_locale, by=clean(click.name))
        if await answer.public(screen, files):
            await bot.store.note_share(*key)
            screen, files = await _review(bot, answer, row, report, answer.private_locale)
            await answer.turn_page(screen, files)
        else:
            await answer.private(note(say("error-review-not-shared")))
    finally:
        bot.sharing.discard(key)


async def _review(
    bot: DiceBot,
    answer: Answer,
    row: GameRow,
    report: Report,
    locale: str,
    *,
    share: str = "",
    by: str | None = None,
) -> tuple[Screen, Files]:
    entry = find(row.game)
    goal = entry.screen.goal(intact(row.options))[0]
    picture = await bot.derived.chances_chart(row, report, locale, answer.click().asker)
    return review_screen(goal, row.seats, report, share=share, by=by), {CHANCES_CHART: picture}


def _label(bot: DiceBot, locale: str, played: FinishedGame, zone: tzinfo) -> str:
    """Return how a finished game is called as a choice: when it ended, and who played, the winners first."""
    others = [seat for seat in range(len(played.seats)) if seat not in played.winners]
    names = []
    for seat in (*played.winners, *others):
        who = seat_name(played.seats, seat)
        names.append(who.text if isinstance(who, Name) else bot.catalogue.text(locale, who))  # type: ignore[arg-type]
    text = f"{moment(locale, played.at, zone)} · {', '.join(names)}"
    return cut(text, MAX_CHOICE_NAME)
