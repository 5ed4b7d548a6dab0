"""A screen: text and buttons, before they are put into a language and into Discord's components."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.games.seats import Seat
from bot.i18n.say import Argument, Name, Say, say

PRIMARY, SECONDARY, SUCCESS, DANGER = "primary", "secondary", "success", "danger"
"""Looks of a button; at most one PRIMARY in a screen."""

OPTIONS, CHANNELS, ROLES = "options", "channels", "roles"
"""What a menu is made of."""


MAX_BUTTONS = 5
"""Discord's limit of buttons in a row."""


@dataclass(frozen=True, slots=True)
class Text:
    """Lines of text. If a screen grows too long its ``spare`` texts lose their first lines."""

    lines: tuple[Say, ...]
    spare: bool = False


@dataclass(frozen=True, slots=True)
class Divider:
    """A thin line between parts."""


@dataclass(frozen=True, slots=True)
class Button:
    """``token`` says what a click means; it is unique within its screen. ``icon`` goes before the label.

    With ``label_is_fallback`` a drawn icon stands alone, and where it is not drawn the label does.
    """

    token: str
    label: Say | None
    style: str = SECONDARY
    disabled: bool = False
    icon: str | None = None
    label_is_fallback: bool = False


@dataclass(frozen=True, slots=True)
class Buttons:
    """A row of at most :data:`MAX_BUTTONS`."""

    buttons: tuple[Button, ...]


@dataclass(frozen=True, slots=True)
class MenuOption:
    """One line of a menu: what a click on it gives, how it reads, and a few more words below."""

    value: str
    label: Say
    detail: Say | None = None
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Menu:
    """A menu of at most 25 options, in a row of its own. A choice comes as a click on ``token`` with values.

    ``kind`` is OPTIONS, or CHANNELS or ROLES for a menu of those of the server, of which as many as ``most``
    may be chosen and ``chosen`` are.
    """

    token: str
    prompt: Say
    options: tuple[MenuOption, ...] = ()
    kind: str = OPTIONS
    most: int = 1
    chosen: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Picture:
    """An image file that goes with the screen under this ``name``; ``alt`` says in words what it shows."""

    name: str
    alt: Say


@dataclass(frozen=True, slots=True)
class File:
    """A file that goes with the screen under this ``name``, to be opened or saved.

    Discord shows a file of a message made of components only where such a component names it.
    """

    name: str


Block = Text | Divider | Buttons | Menu | Picture | File


@dataclass(frozen=True, slots=True)
class Screen:
    """``accent`` colours the edge (0xRRGGBB); ``mention`` is the person to notify when it is posted."""

    blocks: tuple[Block, ...]
    accent: int | None = None
    mention: int | None = None


@dataclass(frozen=True, slots=True)
class ChangeView:
    """A click that only changes what its own table shows, e.g. which dice are marked. Nothing is stored.

    ``view`` is a short text of the game's own, which its screen is given back; "" is the view of a new table.
    """

    view: str


@dataclass(frozen=True, slots=True)
class Act:
    """A click that makes a move."""

    action: object


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that stood out in a game's course; ``kind`` is explained by the key ``chart-mark-<kind>``."""

    seat: int
    kind: str


def choice_button(token: str, label: Say, chosen: bool) -> Button:
    """Return a button of several of which one is chosen; that one stands out and does nothing."""
    return Button(token, label, PRIMARY if chosen else SECONDARY, disabled=chosen)


def button_rows(buttons: Sequence[Button], most: int = MAX_BUTTONS) -> tuple[Buttons, ...]:
    """Return the buttons in rows of ``most``; the last row may be shorter."""
    return tuple(Buttons(tuple(buttons[start : start + most])) for start in range(0, len(buttons), most))


def message_link(guild_id: int, channel_id: int, message_id: int) -> str:
    """Return the address of a message."""
    return f"https://discord.com/channels/{guild_id}/{channel_id}/{message_id}"


def seat_name(seats: Sequence[Seat], number: int) -> Argument:
    """What a seat is called: a person by their name, an AI by its level, numbered if there are several."""
    seat = seats[number]
    if seat.human:
        return Name(seat.name) if seat.name else say("unnamed-person")
    alike = [other for other, its in enumerate(seats) if its.policy == seat.policy and not its.human]
    level = say(f"ai-{seat.policy}")
    return say("ai-numbered", level=level, number=alike.index(number) + 1) if len(alike) > 1 else level
