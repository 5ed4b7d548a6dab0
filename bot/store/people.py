"""The interface for storing members of servers, and for exporting and deleting a person's data."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class MemberRow:
    """A person in one server: whether they are in it, and whether they are hidden from leaderboards."""

    name: str
    present: bool
    unlisted: bool


class StillSeated(Exception):
    """The person to be erased still has a seat in the lobbies or running games ``game_ids``."""

    def __init__(self, game_ids: Sequence[int]) -> None:
        super().__init__(str(list(game_ids)))
        self.game_ids = tuple(game_ids)


TO_ERASE = "erase:"
"""What the keys of notes begin with that ask to delete a person's data; the person's id follows."""


class PeopleStore(Protocol):
    """The members of all servers, and what is stored about people."""

    async def member(self, guild_id: int, user_id: int) -> MemberRow | None: ...

    async def note_member(self, guild_id: int, user_id: int, name: str) -> None:
        """Store the name that a person last had in a server."""
        ...

    async def unlisted(self, guild_id: int, users: Collection[int]) -> frozenset[int]:
        """Return which of the ``users`` want to be on no list of the server."""
        ...

    async def absent(self, guild_id: int, limit: int) -> tuple[int, ...]:
        """Return people who were not in the server at the last check, longest unchecked first."""
        ...

    async def set_present(self, guild_id: int, presence: Mapping[int, bool], at: float) -> None:
        """Store who was in the server and who was not."""
        ...

    async def set_unlisted(self, guild_id: int, user_id: int, name: str, unlisted: bool) -> None: ...

    async def active_games_of(self, user_id: int) -> tuple[int, ...]:
        """Return the ids of the lobbies and running games in which a person has a seat, or is asked to take
        one."""
        ...

    async def erase(self, user_id: int) -> None:
        """Delete a person's data in all servers. Their seats stay, without a name.

        Raises :class:`StillSeated` while they have a seat in a lobby or a running game, or are asked to take
        one.
        """
        ...

    async def to_erase(self) -> tuple[int, ...]:
        """Return the people whose data is to be deleted, by the wish of an operator or after a restore."""
        ...

    async def export(self, user_id: int) -> Mapping[str, Any]:
        """Return a person's stored data except their games."""
        ...

    async def export_games(self, user_id: int, after: int, limit: int) -> tuple[Mapping[str, Any], ...]:
        """Return a person's next games after the id ``after``, each with their moves and result."""
        ...
