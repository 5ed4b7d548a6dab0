"""What is stored of the daily game: the days, people's games, and the lists of a day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class DailyDay:
    """A day, counted from 1970-01-01 in UTC, and the ``secret`` that its dice follow from.

    ``par`` is how many turns the grandmaster takes with these dice; None until it is worked out.
    """

    day: int
    secret: bytes
    rules_version: int
    par: int | None = None


@dataclass(frozen=True, slots=True)
class DailyPlay:
    """A person's game of a day. Times are Unix seconds.

    ``choices`` is the text of what they chose (see :mod:`bot.daily.choices`) and ``made`` their number.
    ``ended_at`` and ``turns`` are None until the target is reached. ``lost`` is how many turns the choices
    cost on average; None until it is worked out.
    """

    user_id: int
    day: int
    choices: str = ""
    made: int = 0
    begun_at: float = 0.0
    ended_at: float | None = None
    turns: int | None = None
    lost: float | None = None


@dataclass(frozen=True, slots=True)
class DailyLine:
    """A line of a day's list. ``number`` counts lines from 1; people with as many turns share a ``place``."""

    user_id: int
    name: str
    turns: int
    lost: float | None
    place: int
    number: int


@dataclass(frozen=True, slots=True)
class DailyList:
    """A page of a day's list: its lines, and how many ``people`` are on the whole list."""

    lines: tuple[DailyLine, ...] = ()
    people: int = 0


class DailyStore(Protocol):
    """Storage of the daily game. What a method has written when it returns survives a crash."""

    async def make_day(self, day: int, secret: bytes, rules_version: int) -> DailyDay:
        """Return a day. If it is not stored yet, store it with this secret first."""
        ...

    async def day(self, day: int) -> DailyDay | None: ...

    async def set_par(self, day: int, par: int) -> None: ...

    async def begin(self, user_id: int, day: int, at: float) -> DailyPlay:
        """Begin a person's game of a day, unless they have begun it; return what is stored."""
        ...

    async def play(self, user_id: int, day: int) -> DailyPlay | None: ...

    async def write(self, play: DailyPlay, expected: int) -> bool:
        """Store the choices of a game, and its result if it is over. Return whether that was done.

        Nothing is stored unless the stored game has ``expected`` choices: the person may have chosen on
        another device in the meantime, or deleted their data.
        """
        ...

    async def set_lost(self, user_id: int, day: int, lost: float) -> None: ...

    async def days_of(self, user_id: int) -> tuple[int, ...]:
        """Return the days that a person has finished, the latest first."""
        ...

    async def put_on_list(self, guild_id: int, day: int, user_id: int) -> None:
        """Put a person on the list of a server for a day."""
        ...

    async def list_of(
        self, day: int, guild_id: int | None, start: int, limit: int, user_id: int
    ) -> DailyList:
        """Return a page of the list of a server, or of all who agree: the lines after ``start``, at most
        ``limit``, and the line of the person ``user_id``, wherever that is.

        On a server's list there are only members of it who are not hidden there.
        """
        ...

    async def listed_name(self, user_id: int) -> str | None:
        """Return the name under which a person agrees to stand on the list of all, or None."""
        ...

    async def set_listed(self, user_id: int, name: str | None) -> None:
        """Store that a person agrees to stand on the list of all under a name, with None that they don't."""
        ...
