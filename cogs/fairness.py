"""The private page about the dice of a game, and the words that people add to them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from bot.client import DiceBot
from bot.discordpy.answer import Answer
from bot.i18n.names import WORD_LENGTH
from bot.i18n.say import say
from bot.screens.button_ids import WORD, ButtonId
from bot.screens.fairness import Confirmed, Finding, page, record_button, word_button
from bot.screens.model import LINE, Button, Field, Form, Screen
from bot.screens.private import note
from bot.sessions import lobby
from bot.sessions.presentation import dice_source
from bot.store.base import ABORTED, FINISHED, LOBBY, GameRow
from cogs.pages import carry_out, game_of_channel

MAX_PROBLEM = 500
"""How many characters of a problem are shown."""


async def show_dice(bot: DiceBot, answer: Answer, button: ButtonId) -> None:
    """Answer a click on "Fair?" below a lobby or a table."""
    row = await game_of_channel(bot, answer, button.game_id)
    buttons = [record_button()] if row.status in (FINISHED, ABORTED) and row.state is not None else []
    if row.status == LOBBY:
        buttons = [word_button()]
    await answer.private(await dice_page(bot, answer, row, buttons), row.id, row.version)


async def dice_page(bot: DiceBot, answer: Answer, row: GameRow, buttons: Sequence[Button]) -> Screen:
    """Return the page about the dice of a game; if it has ended, with the result of a check."""
    finding = await _checked(bot, answer, row) if row.status in (FINISHED, ABORTED) else None
    return page(dice_source(row), finding, buttons)


async def _checked(bot: DiceBot, answer: Answer, row: GameRow) -> Finding:
    """Return what a check of the dice has found."""
    fairness = await bot.derived.check(row, answer.click().asker)
    if fairness is None:
        return say("fair-no-dice")
    if fairness.other_rules is not None:
        return say("fair-other-rules", **fairness.other_rules.facts)
    if fairness.problem:
        return say("fair-problem", problem=fairness.problem.replace("`", "'")[:MAX_PROBLEM])
    return Confirmed(fairness.moves, fairness.outcomes, fairness.deleted)


async def ask_word(bot: DiceBot, answer: Answer, button: ButtonId) -> None:
    """Open the form in which somebody at the table types a word."""
    click = answer.click()
    word = await bot.sessions.at(click.channel_id).word(click, button.game_id)
    line = Field(
        "text",
        say("word-label"),
        LINE,
        detail=say("word-detail"),
        most=WORD_LENGTH,
        text=word,
        hint=say("word-hint"),
        required=False,
    )
    await answer.form(Form(WORD, say("word-title"), (line,)), game_id=button.game_id, version=button.version)


async def take_word(bot: DiceBot, answer: Answer, button: ButtonId) -> None:
    """Add the word that was typed, and show it in the lobby.

    The form is opened from a private page, or from the button that lobbies of earlier versions have.
    """
    text = "".join(answer.entered.get("text", ()))
    row = await carry_out(bot, answer, button, partial(lobby.add_word, text=text))
    await bot.painter.paint(row.id, None if answer.is_on_private else answer)
    if answer.is_on_private:
        await answer.turn_page(note(say("done-word")))
