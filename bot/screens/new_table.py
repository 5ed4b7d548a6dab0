"""Where a new table is: the question to its host, and the message whose thread it is in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.i18n.say import GameIcon, GameName, Mention, Name, Say, say
from bot.screens.button_ids import Page
from bot.screens.lobby import ACCENT
from bot.screens.model import PRIMARY, SUCCESS, Button, Buttons, Screen, Text

HERE, IN_THREAD, JOIN = "c", "t", "j"
"""Tokens: open the table in this channel or in a thread, and take a seat at the table of the thread."""


@dataclass(frozen=True, slots=True)
class NewTable:
    """A table to be opened: its game, its options as :func:`bot.games.options.packed` makes them, whether it
    is rated, and a person to invite.
    """

    game: str
    options: tuple[int, ...]
    rated: bool
    invited: int | None = None


def token(where: str, table: NewTable) -> str:
    """Return the token that opens a table somewhere. Nothing about it is kept elsewhere."""
    return Page.PLACE.token(where, table.game, int(table.rated), f"{table.invited or 0:x}", *table.options)


def question(table: NewTable, *, taken: bool) -> Screen:
    """Ask where to open a table; ``taken`` is whether the channel has a game already."""
    here = Button(token(HERE, table), say("place-here"), disabled=taken)
    return Screen.of(
        Text.of(say("place-question", game=GameName(table.game))),
        Text.of(say("place-taken" if taken else "place-question-what")),
        Buttons.of(Button(token(IN_THREAD, table), say("place-thread"), PRIMARY), here),
    )


def announcement(game: str, host: str, invited: int | None) -> Screen:
    """Announce a table in the channel; the table itself is in the thread of this message."""
    lines: Sequence[Say] = [say("place-announced", icon=GameIcon(game), name=Name(host), game=GameName(game))]
    if invited is not None:
        lines = [*lines, say("lobby-invited", who=Mention(invited), host=Name(host))]
    join = Buttons.of(Button(Page.PLACE.token(JOIN), say("lobby-join"), SUCCESS))
    return Screen.of(Text.of(*lines), join, accent=ACCENT, mention=invited)
