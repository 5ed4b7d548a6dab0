"""A screen: text and buttons, before they are put into a language and into Discord's components."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from bot.games.core import Unreadable
from bot.games.seats import Seat
from bot.i18n.say import Argument, Name, Say, say

PRIMARY, SECONDARY, SUCCESS, DANGER = "primary", "secondary", "success", "danger"
"""Looks of a button; at most one PRIMARY in a screen."""

OPTIONS, CHANNELS, ROLES = "options", "channels", "roles"
"""What a menu is made of."""


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
    """A row of at most five buttons."""

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
class Look:
    """A click that only changes what its own table shows, e.g. which dice are marked. Nothing is stored."""

    view: str


@dataclass(frozen=True, slots=True)
class Act:
    """A click that makes a move."""

    action: Any


@dataclass(frozen=True, slots=True)
class Line:
    """What one turn has brought so far, told piece by piece."""

    seat: int
    pieces: tuple[Say, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that stood out in a game's course; ``kind`` is explained by the key ``race-mark-<kind>``."""

    seat: int
    kind: str


class GameScreen(Protocol):
    """What one game shows. States, actions and events are its own."""

    @property
    def shown(self) -> Collection[str]:
        """Keys of story pieces that say what the table shows anyway, if they come last."""
        ...

    @property
    def facts(self) -> Mapping[str, Argument]:
        """Numbers and pictures that the pages of the rules name, in each reader's own way of writing."""
        ...

    def goal(self, options: Any) -> tuple[Say, ...]:
        """What is played, for lobby and table: edition, target and the like."""
        ...

    def body(self, state: Any, view: str) -> tuple[Block, ...]:
        """The middle of the table: cards, dice, boards. ``view`` is "" or of a :class:`Look`."""
        ...

    def controls(self, state: Any, view: str) -> tuple[Buttons, ...]:
        """The buttons of the seat to move."""
        ...

    def accent(self, state: Any) -> int | None: ...

    def press(self, state: Any, token: str) -> Look | Act:
        """What a click on one of the controls means. Raises :class:`Unreadable`."""
        ...

    def narrate(self, lines: Sequence[Line], events: Sequence[Any]) -> tuple[Line, ...]:
        """``lines`` with what ``events`` add to them: pieces to the last turn, or new turns."""
        ...

    def feats(self, feats: dict[str, int]) -> tuple[Say, ...]:
        """The game's own columns of a result, e.g. how many Tuttos."""
        ...

    def marks(self, events: Sequence[Any]) -> tuple[Mark, ...]:
        """What of the events is marked in the picture of the race."""
        ...

    def topics(self) -> tuple[str, ...]:
        """The pages of the rules; page ``x`` of game ``g`` has keys ``g-rules-x`` and ``g-rules-x-title``."""
        ...


def seat_name(seats: Sequence[Seat], number: int) -> Argument:
    """What a seat is called: a person by their name, an AI by its level, numbered if there are several."""
    seat = seats[number]
    if seat.human:
        return Name(seat.name) if seat.name else say("nobody")
    alike = [other for other, its in enumerate(seats) if its.policy == seat.policy and not its.human]
    level = say(f"ai-{seat.policy}")
    return say("ai-numbered", level=level, number=alike.index(number) + 1) if len(alike) > 1 else level


def unreadable() -> Unreadable:
    """The answer to a token that no screen of ours has made."""
    return Unreadable("error-unreadable")
