"""A guide to a first game: three pages, each with a picture."""

from __future__ import annotations

from collections.abc import Iterable

from bot.games.core import Unreadable
from bot.i18n.say import Icons, say
from bot.screens.button_ids import Page
from bot.screens.model import PRIMARY, SECONDARY, SUCCESS, Block, Button, Buttons, Picture, Screen, Text

PAGES = ("open", "turn", "end")
ACCENT = 0x6B78F5


def picture_of(page: str) -> str:
    """Return the name of the file with the picture of a page."""
    return f"help-{page}.png"


def open_buttons(games: Iterable[str]) -> Buttons:
    """Return a button for each game that opens a table of it in the channel of the click."""
    return Buttons(tuple(Button(Page.OPEN.token(game), say(f"cmd-{game}-menu"), SUCCESS) for game in games))


def help_page(page: str, games: Iterable[str], *, pictured: bool) -> Screen:
    """Show one page, with a button for each page; on the first page also one for each of ``games``.

    Raises :class:`Unreadable` for an unknown page.
    """
    if page not in PAGES:
        raise Unreadable("error-old-button")
    text = say(
        f"help-{page}",
        number=PAGES.index(page) + 1,
        pages=len(PAGES),
        kept=Icons(("die-5-kept",)),
        off=Icons(("die-3-off",)),
    )
    blocks: list[Block] = [Text.of(text)]
    if pictured:
        blocks.append(Picture(picture_of(page), say(f"help-{page}-alt")))
    number = PAGES.index(page)
    if number == 0:
        blocks.append(open_buttons(games))
    buttons = [
        Button(
            Page.HELP.token(other),
            say(f"help-{other}-title", number=index + 1),
            PRIMARY if index == number + 1 else SECONDARY,
            disabled=other == page,
        )
        for index, other in enumerate(PAGES)
    ]
    return Screen.of(*blocks, Buttons.of(*buttons), accent=ACCENT)
