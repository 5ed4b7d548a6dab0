"""A person's request to a game session, and the ways in which it can be turned down."""

from __future__ import annotations

from dataclasses import dataclass

from bot.i18n.say import Argument
from bot.store.base import GameRow

DOUBLE_CLICK_SECONDS = 3.0
"""A stale click this soon after the same person's accepted one is its echo and gets no answer."""


class Refused(Exception):
    """A request that can't be granted. ``code`` is a catalogue key that says what to do; nothing changed."""

    def __init__(self, code: str, **facts: Argument) -> None:
        super().__init__(code)
        self.code = code
        self.facts = facts


class Stale(Refused):
    """Normal: the table moved on after the person saw it. ``row`` is the game as it is now."""

    def __init__(self, row: GameRow, code: str = "error-stale") -> None:
        super().__init__(code)
        self.row = row


class Echo(Exception):
    """The same click once more, or its double: to be acknowledged, and nothing else."""

    def __init__(self, row: GameRow | None = None) -> None:
        super().__init__()
        self.row = row


@dataclass(frozen=True, slots=True)
class Click:
    """A person's request: who, where, through which interaction (its id is the idempotency key).

    ``may_manage`` says whether they hold Manage Messages in that channel, as Discord says with the request.
    """

    interaction_id: int
    user_id: int
    name: str
    guild_id: int
    channel_id: int
    locale: str
    may_manage: bool = False


@dataclass(frozen=True, slots=True)
class Pressed:
    """What a click led to: the game now, and the view its table shall show (of a ``ChangeView``)."""

    row: GameRow
    view: str = ""


@dataclass(frozen=True, slots=True)
class Woken:
    """What a deadline led to: the game now, and whether only its player is to be called once more."""

    row: GameRow
    remind: bool = False


def seat_number(game: GameRow, user_id: int) -> int | None:
    """Return the number of a person's seat, None if they have none."""
    return next((number for number, seat in enumerate(game.seats) if seat.user_id == user_id), None)


def check_host(click: Click, game: GameRow) -> None:
    """Raise :class:`Refused` unless the host clicks."""
    if click.user_id != game.host_id:
        raise Refused("error-host-only")


def check_manager(click: Click, game: GameRow) -> None:
    """Raise :class:`Refused` unless the host or a moderator clicks."""
    if click.user_id != game.host_id and not click.may_manage:
        raise Refused("error-manager-only")
