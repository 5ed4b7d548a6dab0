"""Which board a finished game counts on.

A game among people counts if at least two of them made moves themselves in at least half of their turns, and
one of a single person with AIs counts on the AIs' board if that person did. What the bot played for somebody
who was away is not theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from bot.standings.values import Board


@dataclass(frozen=True, slots=True)
class Part:
    """One seat's part in a finished game.

    ``turns`` counts its finished turns, ``own_turns`` those in which its person made a move themselves (0 for
    an AI). A turn that ended because its person left may count in ``own_turns`` only.
    """

    human: bool
    turns: int
    own_turns: int

    @property
    def played(self) -> bool:
        """Whether a person made moves themselves in at least half of the seat's turns, and in one or more."""
        return self.human and self.own_turns > 0 and 2 * self.own_turns >= self.turns


class Uncounted(StrEnum):
    """Why a game counts on no board; the end of the game says so with the text ``end-uncounted-<reason>``."""

    ABSENT = "absent"
    """Fewer than two people played at least half of their turns themselves."""
    ALONE = "alone"
    """The only person did not play at least half of their turns themselves."""


def verdict(parts: Sequence[Part]) -> Board | Uncounted:
    """Return the board on which a finished game counts, or why it counts on none.

    >>> verdict([Part(True, 8, 8), Part(True, 8, 4)]), verdict([Part(True, 8, 8), Part(True, 8, 3)])
    (<Board.PEOPLE: 'people'>, <Uncounted.ABSENT: 'absent'>)
    """
    if sum(part.human for part in parts) > 1:
        return Board.PEOPLE if enough_played(parts) else Uncounted.ABSENT
    return Board.AI if any(part.played for part in parts) else Uncounted.ALONE


def enough_played(parts: Sequence[Part]) -> bool:
    """Return whether at least two people have played."""
    return sum(part.played for part in parts) > 1
