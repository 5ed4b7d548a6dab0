"""The names of the seats of a game, in full and as short as there is room for."""

from __future__ import annotations

from collections.abc import Sequence

from bot.games.seats import Seat
from bot.i18n.identity_cache import IdentityCache
from bot.i18n.say import Argument, Name, resolve
from bot.screens.model import Block, Text, seat_name

SHORT_NAME, SHORTEST_NAME = 16, 10
"""The limit of characters of a name where a line must not wrap on a phone, and in running text."""

names_of: IdentityCache[Sequence[Seat], Sequence[Argument]] = IdentityCache(
    lambda seats: [seat_name(seats, number) for number in range(len(seats))]
)
"""Returns the names of all seats, see :func:`~bot.screens.model.seat_name`."""

short_names_of: IdentityCache[Sequence[Seat], Sequence[Argument]] = IdentityCache(
    lambda seats: short_names([seat_name(seats, number) for number in range(len(seats))])
)
"""Returns the names of all seats, shortened as by :func:`short_names`."""

shortest_names_of: IdentityCache[Sequence[Seat], Sequence[Argument]] = IdentityCache(
    lambda seats: short_names(short_names_of(seats), SHORTEST_NAME)
)
"""Returns the names of all seats, shortened for running text."""


def short_names(names: Sequence[Argument], most: int = SHORT_NAME) -> list[Argument]:
    """Cut people's names to ``most`` characters, except for those that would then be alike."""
    cut = [
        Name(f"{name.text[: most - 1].rstrip()}…")
        if isinstance(name, Name) and len(name.text) > most
        else name
        for name in names
    ]
    return [name if cut.count(short) > 1 else short for name, short in zip(names, cut, strict=True)]


def plain_name(seats: Sequence[Seat], number: int) -> Argument:
    """Return a seat's name for a text without markdown, where an escaped name would show its backslashes."""
    name = seat_name(seats, number)
    return name.text if isinstance(name, Name) else name


def named(block: Block, seats: Sequence[Seat]) -> Block:
    """Return the block with the names of seats filled in."""
    if not isinstance(block, Text):
        return block
    names = names_of(seats)
    return Text(tuple([resolve(line, names.__getitem__) for line in block.lines]), block.spare)
