"""What each button of a game does: a table from tokens to functions, one for each button."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from bot.client import DiceBot
from bot.discordpy.answer import Answer
from bot.games.core import Unreadable
from bot.i18n.names import clean
from bot.i18n.say import Name, say
from bot.registry import find
from bot.screens import button_ids
from bot.screens.button_ids import ButtonId
from bot.screens.model import person_name
from bot.screens.private import note, rules_page
from bot.sessions import commands, lobby
from bot.sessions.presentation import more_of
from bot.sessions.rated import binds
from bot.sessions.request import Click, Echo, Refused, Stale, seat_number
from bot.store.base import LIVE, GameRow
from cogs.advice import show_odds, show_review
from cogs.departures import let_departed_go, pass_turn_of_departed
from cogs.fairness import ask_word, show_dice, take_word
from cogs.history import load_finished_game, show_record, show_score_sheet
from cogs.new_table import not_shown, welcome
from cogs.offers import answer_offer
from cogs.pages import carry_out, game_of_channel, read_hex
from cogs.permissions import check_channel, check_start, obstacle, tell_deleted_choices

Handler = Callable[[DiceBot, Answer, ButtonId], Awaitable[None]]
"""Does what a button of a game stands for."""


def handler_of(token: str) -> Handler:
    """Return what handles a button: one that all games share, or else a move of its game."""
    handler = HANDLERS.get(token)
    if handler is not None:
        return handler
    return next((family for beginning, family in FAMILIES if token.startswith(beginning)), move)


def form_handler_of(token: str) -> Handler:
    """Return what takes a form that was submitted. Raises :class:`Unreadable` for a token of no form."""
    if token == button_ids.WORD:
        return take_word
    if token.startswith(button_ids.SET_OPTIONS):
        return set_options
    raise Unreadable("error-old-button")


# The lobby.


async def change_lobby(bot: DiceBot, answer: Answer, button: ButtonId) -> None:
    """Join, leave, add or remove an AI player, start or cancel."""
    click = answer.click()
    row = await bot.sessions.at(click.channel_id).press_lobby(click, button.game_id, button.token)
    await bot.painter.paint(row.id, answer)
    if button.token == button_ids.JOIN:
        await welcome(bot, click)


async def ask_options(bot: DiceBot, answer: Answer, button: ButtonId) -> None:
    """Open the form with the options of the game."""
    click = answer.click()
    form = await bot.sessions.at(click.channel_id).options(click, button.game_id)
    await answer.form(form, game_id=button.game_id)


async def set_options(bot: DiceBot, answer: Answer, button: ButtonId) -> None:
    """Take the options that were entered, and show them in the lobby."""
    digest = button.token.removeprefix(button_ids.SET_OPTIONS)
    command = partial(lobby.set_options, digest=digest, entered=answer.entered)
    row = await carry_out(bot, answer, button, command)
    await bot.painter.paint(row.id, answer)


# The table of a running game.


async def move(bot: DiceBot, answer: Answer, button: ButtonId) -> None:
    """Make a move of the game, or show what it would be."""
    click = answer.click()
    session = bot.sessions.at(click.channel_id)
    pressed = await session.press(click, button.game_id, button.version, button.token)
    row = pressed.row
    await bot.painter.paint(row.id, answer, view=pressed.view, version=row.version, made=pressed.made)


async def show_next_step(bot: DiceBot, answer: Answer, button: ButtonId) -> None:
    """Show the step after the one that the button belongs to."""
    click = answer.click()
    row = await _watched(bot, answer, click, button.game_id)
    step = read_hex(button.token.removeprefix(button_ids.ROLL_ON))
    await bot.painter.go_on(row.id, answer, step, seat_number(row, click.user_id))


async def skip_steps(bot: DiceBot, answer: Answer, button: ButtonId) -> None:
    """Show the end of what is shown step by step."""
    row = await _watched(bot, answer, answer.click(), button.game_id)
    await bot.painter.paint(row.id, answer)


async def _watched(bot: DiceBot, answer: Answer, click: Click, game_id: int) -> GameRow:
    """Return the game whose steps were clicked. Raises :class:`Stale` for a click not on its table."""
    row = await bot.sessions.at(click.channel_id).watch(click, game_id)
    if row.message_id != answer.message_id:
        raise Stale(row)
    return row


async def come_back(bot: DiceBot, answer: Answer, button: ButtonId) -> None:
    """Let a person who was away play again."""
    row = await carry_out(bot, answer, button, commands.come_back)
    await bot.painter.paint(row.id, answer)


async def agree_to_end(bot: DiceBot, answer: Answer, button: ButtonId) -> None:
    """Agree to the wish to end a rated game."""
    await let_departed_go(bot, answer.click(), button.game_id)
    row = await carry_out(bot, answer, button, commands.agree_to_end)
    await bot.painter.paint(row.id, answer, force=True)


async def play_on(bot: DiceBot, answer: Answer, button: ButtonId) -> None:
    """Turn down the wish to end a rated game."""
    row = await carry_out(bot, answer, button, commands.play_on)
    await bot.painter.paint(row.id, answer, force=True)


# The private page behind "More". Tables of earlier versions had some of its buttons.


async def show_more(bot: DiceBot, answer: Answer, button: ButtonId) -> None:
    click = answer.click()
    row = await bot.sessions.at(click.channel_id).running(click, button.game_id)
    await answer.private(more_of(row, click.user_id), row.id, row.version)


async def show_sheet(bot: DiceBot, answer: Answer, button: ButtonId) -> None:
    click = answer.click()
    row = await bot.sessions.at(click.channel_id).running(click, button.game_id)
    await show_score_sheet(bot, answer, row)


async def show_rules(bot: DiceBot, answer: Answer, button: ButtonId) -> None:
    row = await game_of_channel(bot, answer, button.game_id)
    own = find(row.game).screen
    await answer.private(rules_page(row.game, own, own.topics[0]))


async def bring_down(bot: DiceBot, answer: Answer, button: ButtonId) -> None:
    """Post the table again, below. If the bot can't, update the clicked one and raise :class:`Refused`."""
    click = answer.click()
    refusal = await obstacle(answer.interaction)
    try:
        before = await bot.sessions.at(click.channel_id).look(click, button.game_id)
    except Echo:
        raise refusal or Echo from None
    await _show_table(bot, answer, button.game_id, fresh=refusal is None)
    row = await bot.store.game(button.game_id)
    unmoved = (answer.message_id, before.message_id)
    if refusal is not None or (row is not None and row.message_id in unmoved):
        raise refusal or Refused("error-not-posted")
    if answer.is_on_private:
        await answer.turn_page(note(say("done-shown")))


async def vote(bot: DiceBot, answer: Answer, button: ButtonId) -> None:
    """Vote for the bot to play an idle person's turn; there is no need if that person has left the server."""
    click = answer.click()
    if await pass_turn_of_departed(bot, click, button.game_id):
        done = "done-departed"
    else:
        row = await bot.sessions.at(click.channel_id).vote(click, button.game_id)
        await _show_table(bot, answer, row.id)
        done = "done-voted"
    if answer.is_on_private:
        await answer.turn_page(note(say(done)))


async def _show_table(bot: DiceBot, answer: Answer, game_id: int, *, fresh: bool = False) -> None:
    """Show the table after a click on it, or on a private page, which can't become the table."""
    through = None if answer.is_on_private else answer
    await bot.painter.paint(game_id, through, fresh=fresh, force=True)


# The answer yes to a question before something final.


async def leave(bot: DiceBot, answer: Answer, button: ButtonId) -> None:
    row = await carry_out(bot, answer, button, commands.leave)
    await answer.turn_page(note(say("done-left")))
    await bot.painter.paint(row.id)


async def end(bot: DiceBot, answer: Answer, button: ButtonId) -> None:
    """End the game, or ask the others for their consent if it is rated."""
    click = answer.click()
    row = await bot.store.game(button.game_id)
    if row is not None and binds(row, seat_number(row, click.user_id)):
        await let_departed_go(bot, click, button.game_id)
    row = await carry_out(bot, answer, button, commands.end)
    if row.status == LIVE:
        await answer.turn_page(note(say("done-end-asked")))
        # Further down, so that it is seen.
        await bot.painter.paint(row.id, fresh=True, force=True)
        return
    await answer.turn_page(note(say("done-ended")))
    await bot.painter.paint(row.id)
    if click.user_id != row.host_id:
        await answer.public(note(say("ended-by", name=Name(clean(click.name)))), {})


async def remove(bot: DiceBot, answer: Answer, button: ButtonId) -> None:
    """Remove another person from the game."""
    user_id = read_hex(button.token.removeprefix(button_ids.REMOVE))
    row = await carry_out(bot, answer, button, partial(commands.remove, user_id=user_id))
    name = next((seat.name for seat in row.seats if seat.user_id == user_id), "")
    await answer.turn_page(note(say("done-removed", name=person_name(name))))
    await bot.painter.paint(row.id)


# Below the result.


async def rematch(bot: DiceBot, answer: Answer, button: ButtonId) -> None:
    """Open a lobby for the same people, and take the button away from the result."""
    click = answer.click()
    await check_channel(answer.interaction)
    check_start(bot, answer.interaction)
    row = await bot.sessions.at(click.channel_id).rematch(click, button.game_id)
    await bot.painter.paint(row.id)
    await bot.painter.paint(button.game_id, answer, force=True)
    hidden = await not_shown(bot, row)
    if hidden is not None:
        await answer.private(hidden)
    await tell_deleted_choices(bot, answer)


async def review(bot: DiceBot, answer: Answer, button: ButtonId) -> None:
    row = await load_finished_game(bot, answer, answer.click(), f"{button.game_id:x}")
    await show_review(bot, answer, row)


async def record(bot: DiceBot, answer: Answer, button: ButtonId) -> None:
    await show_record(bot, answer, await game_of_channel(bot, answer, button.game_id))


HANDLERS: dict[str, Handler] = {
    # The lobby's other buttons are in FAMILIES.
    button_ids.OPTIONS: ask_options,
    button_ids.WORD: ask_word,
    button_ids.FAIR: show_dice,
    button_ids.BACK: come_back,
    button_ids.SKIP: skip_steps,
    button_ids.AGREE: agree_to_end,
    button_ids.PLAY_ON: play_on,
    button_ids.MORE: show_more,
    button_ids.ODDS: show_odds,
    button_ids.RULES: show_rules,
    button_ids.SHEET: show_sheet,
    button_ids.TO_BOTTOM: bring_down,
    button_ids.VOTE: vote,
    button_ids.LEAVE: leave,
    button_ids.END: end,
    button_ids.REMATCH: rematch,
    button_ids.REVIEW: review,
    button_ids.RECORD: record,
}
"""By the whole token."""

FAMILIES: tuple[tuple[str, Handler], ...] = (
    (button_ids.LOBBY, change_lobby),
    (button_ids.ROLL_ON, show_next_step),
    (button_ids.REMOVE, remove),
    (button_ids.OFFER, answer_offer),
)
"""By how a token begins; the rest of it says more, such as the number of a step or the id of a person."""
