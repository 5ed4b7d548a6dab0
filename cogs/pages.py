"""Dispatches clicks on buttons that belong to no game: lists, settings, rules. They never expire.

Such a button's token begins with a short name of its page and a dot; with :func:`page`, the cog of the page
registers the function that answers clicks on it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from bot.client import DiceBot
from bot.discordpy.answer import Answer
from bot.games.core import Unreadable
from bot.screens.button_ids import ButtonId, Page
from bot.sessions.request import Click, Command
from bot.store.base import GameRow

PageHandler = Callable[[DiceBot, Answer, Click, Sequence[str]], Awaitable[None]]
"""Answers a click on a page; takes the parts of the token after the page's name."""

_handlers: dict[str, PageHandler] = {}
"""By the name of the page."""


def page(name: Page) -> Callable[[PageHandler], PageHandler]:
    """Register the decorated function for clicks on tokens ``<name>.…``."""

    def register(handler: PageHandler) -> PageHandler:
        _handlers[name] = handler
        return handler

    return register


async def dispatch(bot: DiceBot, answer: Answer, token: str) -> None:
    """Answer a click on a button of a page. Raises :class:`Unreadable` for a token of no known page."""
    click = answer.click()
    name, *parts = token.split(".")
    handler = _handlers.get(name)
    if handler is None:
        raise Unreadable("error-old-button")
    await handler(bot, answer, click, parts)


async def game_of_channel(bot: DiceBot, answer: Answer, game_id: int) -> GameRow:
    """Return the game that a button names. Raises :class:`Unreadable` unless it is of the clicked channel."""
    row = await bot.store.game(game_id)
    if row is None or row.channel_id != answer.interaction.channel_id:
        raise Unreadable("error-old-button")
    return row


async def carry_out(bot: DiceBot, answer: Answer, button: ButtonId, command: Command) -> GameRow:
    """Run a command on the game that a button names."""
    click = answer.click()
    return await bot.sessions.at(click.channel_id).carry_out(command, click, button.game_id)


MAX_NUMBER = (1 << 63) - 1
"""The largest number that databases store, and larger than any id of Discord's."""

MAX_DIGITS, MAX_HEX_DIGITS = len(str(MAX_NUMBER)), len(f"{MAX_NUMBER:x}")


def read_number(text: str, most: int = MAX_NUMBER) -> int:
    """Read a number in a token or in a menu's value. Raises :class:`Unreadable` for anything else."""
    if not (text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS and int(text) <= most):
        raise Unreadable("error-old-button")
    return int(text)


def read_hex(text: str) -> int:
    """Read a hexadecimal number in a token. Raises :class:`Unreadable` for anything else."""
    if not 0 < len(text) <= MAX_HEX_DIGITS or set(text) - set("0123456789abcdef"):
        raise Unreadable("error-old-button")
    if (value := int(text, 16)) > MAX_NUMBER:
        raise Unreadable("error-old-button")
    return value


def page_count(lines: int, page_size: int) -> int:
    """Return how many pages a list takes; an empty list has one page."""
    return max(1, -(-lines // page_size))
