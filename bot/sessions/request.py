"""A person's request to a game session, and the ways in which it can be turned down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bot.store.base import GameRow


class Refused(Exception):
    """A request that can't be granted. ``code`` is a catalogue key that says what to do; nothing changed."""

    def __init__(self, code: str, **facts: Any) -> None:
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
