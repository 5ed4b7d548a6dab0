"""Screens as values: text and buttons, independent of the language and of Discord's components."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.games.seats import Seat
from bot.i18n.say import Argument, Name, Say, say

PRIMARY, SECONDARY, SUCCESS, DANGER = "primary", "secondary", "success", "danger"
"""Looks of a button; at most one PRIMARY in a screen."""

OPTIONS, RADIO, CHECKBOXES, CHANNELS, POSTABLE, ROLES, LINE = (
    "options",
    "radio",
    "checkboxes",
    "channels",
    "postable",
    "roles",
    "line",
)
"""Kinds of fields of a form, see :class:`Field`."""

MAX_BUTTONS = 5
"""Discord's limit of buttons in a row."""


@dataclass(frozen=True, slots=True)
class Text:
    """Lines of text. If a screen is too long, its ``spare`` texts lose their first lines."""

    lines: tuple[Say, ...]
    spare: bool = False

    @classmethod
    def of(cls, *lines: Say | None, spare: bool = False) -> Text:
        """Return a text of these lines, without those that are None."""
        return cls(tuple(filter(None, lines)), spare)


@dataclass(frozen=True, slots=True)
class Divider:
    """A thin line between parts."""


@dataclass(frozen=True, slots=True)
class Button:
    """A button. ``token`` says what a click means, and is unique in its screen; ``icon`` stands first."""

    token: str
    label: Say | None
    style: str = SECONDARY
    disabled: bool = False
    icon: str | None = None


@dataclass(frozen=True, slots=True)
class Buttons:
    """A row of at most :data:`MAX_BUTTONS`. Beside a ``roomy`` one, a short button fits on a phone."""

    buttons: tuple[Button, ...]
    roomy: bool = False

    @classmethod
    def of(cls, *buttons: Button | None, roomy: bool = False) -> Buttons:
        """Return a row of these buttons, without those that are None."""
        return cls(tuple(filter(None, buttons)), roomy)


@dataclass(frozen=True, slots=True)
class FieldOption:
    """One line of a menu or a group of buttons: the value that choosing it sends, and its label."""

    value: str
    label: Say
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Menu:
    """At most 25 buttons that stand as lines in a menu. Until it is opened it shows only the disabled one,
    which is chosen, or else ``hint``.
    """

    buttons: tuple[Button, ...]
    hint: Say | None = None


@dataclass(frozen=True, slots=True)
class Picture:
    """An image file that is sent with the screen under this ``name``; ``alt`` describes it in words."""

    name: str
    alt: Say


@dataclass(frozen=True, slots=True)
class File:
    """A file to open or save that is sent with the screen under this ``name``.

    In a message made of components, Discord shows a file only where a component names it.
    """

    name: str


@dataclass(frozen=True, slots=True)
class Section:
    """Lines of text with a button beside them."""

    lines: tuple[Say, ...]
    button: Button


Block = Text | Divider | Buttons | Menu | Picture | File | Section


@dataclass(frozen=True, slots=True)
class Screen:
    """A message. ``accent`` is the colour of its edge (0xRRGGBB), ``mention`` the person to notify by it."""

    blocks: tuple[Block, ...]
    accent: int | None = None
    mention: int | None = None

    @classmethod
    def of(cls, *blocks: Block | None, accent: int | None = None, mention: int | None = None) -> Screen:
        """Return a message of these blocks, without those that are None."""
        return cls(tuple(filter(None, blocks)), accent, mention)


@dataclass(frozen=True, slots=True)
class Field:
    """A labelled part of a form. What a person enters arrives under its ``name``.

    ``kind`` is OPTIONS for a menu of at most 25 ``options``, RADIO for 2 to 10 of which one is chosen,
    CHECKBOXES for at most 10 of which any can be chosen; CHANNELS, POSTABLE (channels that take messages) or
    ROLES for a menu of the server's, of which up to ``most`` can be chosen and ``chosen`` are; or LINE for a
    line of at most ``most`` characters, ``text`` at first, with a ``hint`` as long as it is empty, which it
    may stay unless it is ``required``.
    """

    name: str
    label: Say
    kind: str
    options: tuple[FieldOption, ...] = ()
    detail: Say | None = None
    most: int = 1
    chosen: tuple[int, ...] = ()
    text: str = ""
    hint: Say | None = None
    required: bool = True


@dataclass(frozen=True, slots=True)
class Form:
    """A form that a click opens. It is submitted under ``token``, with what was entered by field."""

    token: str
    title: Say
    fields: tuple[Field, ...]


Entered = Mapping[str, Sequence[str]]
"""What a person has entered into a form: the chosen values, or the text, of each field by its name."""


@dataclass(frozen=True, slots=True)
class ChangeView:
    """A click that only changes what its own table shows, e.g. which dice are marked. Nothing is stored.

    ``view`` is a short text that only the game's screen understands; "" is the view of a new table.
    """

    view: str


@dataclass(frozen=True, slots=True)
class Act:
    """A click that makes a move, and ``then`` others of the same seat, with no chance before the last one."""

    action: object
    then: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class Mark:
    """A notable event, marked in the score chart; the key ``chart-mark-<kind>`` explains its ``kind``."""

    seat: int
    kind: str


def choice_button(token: str, label: Say, chosen: bool) -> Button:
    """Return one of several buttons of which one is chosen. The chosen one stands out and is disabled."""
    return Button(token, label, PRIMARY if chosen else SECONDARY, disabled=chosen)


def button_rows(buttons: Sequence[Button], most: int = MAX_BUTTONS) -> tuple[Buttons, ...]:
    """Return the buttons in rows of ``most``; the last row may be shorter."""
    return tuple(Buttons(tuple(buttons[start : start + most])) for start in range(0, len(buttons), most))


def even_rows(buttons: Sequence[Button], most: int) -> tuple[Buttons, ...]:
    """Return the buttons in as few rows of at most ``most`` as possible, spread evenly over them."""
    rows = -(-len(buttons) // most)
    bounds = [-(-len(buttons) * row // rows) for row in range(rows + 1)]
    return tuple(Buttons(tuple(buttons[start:end])) for start, end in itertools.pairwise(bounds))


def message_link(guild_id: int, channel_id: int, message_id: int | None) -> str:
    """Return the address of a message, or of its channel if there is none."""
    channel = f"https://discord.com/channels/{guild_id}/{channel_id}"
    return channel if message_id is None else f"{channel}/{message_id}"


def person_name(name: str) -> Name | Say:
    """Return a person's stored name, or a word for somebody without one, e.g. whose data was deleted."""
    return Name(name) if name else say("unnamed-person")


def seat_name(seats: Sequence[Seat], number: int) -> Argument:
    """Return a person's name, or an AI's level, numbered if the game has several of that level."""
    seat = seats[number]
    if seat.human:
        return person_name(seat.name)
    alike = [other for other, its in enumerate(seats) if its.policy == seat.policy and not its.human]
    level = say(f"ai-{seat.policy}")
    return say("ai-numbered", level=level, number=alike.index(number) + 1) if len(alike) > 1 else level


def signed_points(points: int) -> Say:
    """Return points that were won or lost, with their sign."""
    if not points:
        return say("points-none")
    return say("points-won" if points > 0 else "points-lost", points=abs(points))
