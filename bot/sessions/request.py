"""A person's request to a game session, and the exceptions that refuse it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from bot.i18n.say import Argument
from bot.screens.model import seat_name
from bot.store.base import Change, GameRow, MoveRow

DOUBLE_CLICK_SECONDS = 3.0
"""A stale click this soon after the same person's accepted one is a double click, and gets no answer."""


class Refused(Exception):
    """The request is refused, and nothing changed. ``code`` is a catalogue key that says what to do."""

    def __init__(self, code: str, **facts: Argument) -> None:
        super().__init__(code)
        self.code = code
        self.facts = facts


class Stale(Refused):
    """The click was on an old table, which is normal. ``row`` is the current game."""

    def __init__(self, row: GameRow, code: str = "error-stale") -> None:
        super().__init__(code, game=row.game)
        self.row = row


class Echo(Exception):
    """The same click again, or the second half of a double click; the bot only acknowledges it."""

    def __init__(self, row: GameRow | None = None) -> None:
        super().__init__()
        self.row = row


class Asker(NamedTuple):
    """Who asks for something: a person in a server; ``user_id`` 0 is the bot itself, for the server."""

    guild_id: int
    user_id: int


class Click(NamedTuple):
    """A person's request: who, where, and the interaction, whose id is the idempotency key.

    ``may_manage`` is whether they have Manage Messages in that channel, according to the interaction.
    ``username`` tells them apart from people of the same name.
    """

    interaction_id: int
    user_id: int
    name: str
    guild_id: int
    channel_id: int
    locale: str
    may_manage: bool = False
    username: str = ""

    @property
    def asker(self) -> Asker:
        return Asker(self.guild_id, self.user_id)


Command = Callable[[GameRow, Click, float], Change]
"""A pure function that returns what a click changes in a game at a time in Unix seconds, or raises
:class:`Refused`; see :mod:`bot.sessions.commands` and :mod:`bot.sessions.lobby`."""


class ClickMoves(NamedTuple):
    """The moves of one click: the person's, and those of AIs after it. ``before`` is the game until then."""

    before: GameRow
    moves: tuple[MoveRow, ...]


class Pressed(NamedTuple):
    """The outcome of a click: the current game, the view for its table (from a ``ChangeView``), and the moves
    that it has made, if any."""

    row: GameRow
    view: str = ""
    made: ClickMoves | None = None


@dataclass(frozen=True, slots=True)
class Woken:
    """The outcome of a deadline: the current game, and whether to remind its player."""

    row: GameRow
    remind: bool = False


def seat_number(row: GameRow, user_id: int) -> int | None:
    """Return the number of a person's seat, or None."""
    return next((number for number, seat in enumerate(row.seats) if seat.user_id == user_id), None)


def check_host(click: Click, row: GameRow) -> None:
    """Raise :class:`Refused` unless the clicker is the host of this lobby."""
    if click.user_id != row.host_id:
        host = seat_number(row, row.host_id)
        assert host is not None, "the host of a lobby has a seat in it"
        raise Refused("error-host-only", host=seat_name(row.seats, host))


def check_manager(click: Click, row: GameRow) -> None:
    """Raise :class:`Refused` unless the clicker is the host or has Manage Messages."""
    if click.user_id != row.host_id and not click.may_manage:
        raise Refused("error-manager-only")
