"""Asks a person to take over a seat, and takes the answer."""

from __future__ import annotations

from functools import partial

import discord

from bot.client import DiceBot
from bot.discordpy.answer import Answer
from bot.games.core import Unreadable
from bot.i18n.names import clean
from bot.i18n.say import say
from bot.screens import offers as screens
from bot.screens.button_ids import OFFER, ButtonId
from bot.screens.private import note
from bot.sessions import offers
from bot.sessions.offers import find_offer
from bot.sessions.request import Echo, Refused
from bot.store.base import DECLINED, OPEN, TAKEN, WITHDRAWN
from cogs.pages import carry_out, read_hex
from cogs.permissions import check_can_come

ANSWERS = {screens.TAKE: TAKEN, screens.DECLINE: DECLINED, screens.WITHDRAW: WITHDRAWN}
"""What each button below a question answers."""


async def ask_to_take_over(
    bot: DiceBot, answer: Answer, member: discord.User | discord.Member, to: discord.User | discord.Member
) -> None:
    """Ask the person ``to``, by a public message with buttons, to take over the seat of ``member``."""
    if to.bot:
        raise Refused("error-no-bots")
    check_can_come(answer.interaction, to, hidden="error-offer-hidden")
    click = answer.click()
    command = partial(offers.ask, user_id=member.id, to=to.id)
    row = await bot.sessions.at(click.channel_id).carry_out(command, click)
    offer = find_offer(row, click.interaction_id)
    assert offer is not None
    question = screens.question(
        offer.interaction_id, row.game, row.seats, offer.seated, offer.user_id, clean(click.name), offer.until
    )
    asked = await bot.painter.ask(row, question, answer)
    if not answer.posted:
        await answer.private(note(say("done-offered" if asked else "error-not-posted")))


async def answer_offer(bot: DiceBot, answer: Answer, button: ButtonId) -> None:
    """Take an answer to a question, and show in its message what became of it."""
    given, _, digits = button.token.removeprefix(OFFER).partition(".")
    if given not in ANSWERS:
        raise Unreadable("error-old-button")
    number = read_hex(digits)
    try:
        command = partial(offers.answer, number=number, given=ANSWERS[given])
        row = await carry_out(bot, answer, button, command)
    except Echo as echo:
        if echo.row is None:
            raise
        row = echo.row
    except Refused as refused:
        if refused.code == "error-offer-over":
            await answer.turn_page(screens.over())
        raise
    offer = find_offer(row, number)
    if offer is not None and offer.answer != OPEN:
        await answer.turn_page(screens.answered(offer.answer, row.seats, offer.seated, offer.user_id))
    await bot.painter.paint(row.id)
