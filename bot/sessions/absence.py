"""People who are away: when a turn is played for them, and when the game waits for them.

A person may take ``turn_seconds`` for a move. Half-way they are called once more; at the deadline the turn
is played for them. After :data:`MAX_MISSED` such turns in a row their seat goes on by itself until they are
back. While no person is attentive the game stands still, so that it is never played out among absent ones.
"""

from __future__ import annotations

from collections.abc import Collection

from bot.games.values import replace
from bot.store.base import GameRow

MAX_MISSED = 2
IDLE_SECONDS = 60.0
"""How long a turn must have been idle before the others may vote to have it played."""

AI_SECONDS = 30.0
"""A move that needs no person and has not been made after this long is tried again."""

UNTOUCHED_SECONDS = 14 * 86_400.0
"""A game that nobody has touched for this long ends without a result."""


def people(row: GameRow, left: Collection[int]) -> tuple[int, ...]:
    """The seats of the people who are in the game, away or not."""
    return tuple([number for number, seat in enumerate(row.seats) if seat.human and number not in left])


def attentive(row: GameRow, left: Collection[int]) -> tuple[int, ...]:
    """The seats of the people who are in the game and not away."""
    return tuple([seat for seat in people(row, left) if row.missed[seat] < MAX_MISSED])


def plays_automatically(row: GameRow, seat: int, left: Collection[int]) -> bool:
    """Whether ``seat`` moves without a person now: it is an AI's or an absent one's, and somebody is here."""
    if not attentive(row, left):
        return False
    return not row.seats[seat].human or row.missed[seat] >= MAX_MISSED


def waiting(row: GameRow, seat: int, left: Collection[int]) -> GameRow:
    """The row once ``seat`` is to move: does it go by itself, and if not, until when is it waited for."""
    by_itself = plays_automatically(row, seat, left)
    deadline = _deadline(row, left, by_itself, reminded=False)
    return replace(row, ai_to_move=by_itself, reminded=False, votes=(), deadline=deadline)


def with_deadline(row: GameRow, left: Collection[int]) -> GameRow:
    """The row with the deadline that follows from ``since`` and from whether its person was called."""
    return replace(row, deadline=_deadline(row, left, row.ai_to_move, row.reminded))


def _deadline(row: GameRow, left: Collection[int], by_itself: bool, reminded: bool) -> float:
    if by_itself:
        # It moves at once; should that fail, it is tried again.
        return row.since + AI_SECONDS
    if row.turn_seconds and attentive(row, left):
        return row.since + (row.turn_seconds if reminded else row.turn_seconds / 2)
    return row.since + UNTOUCHED_SECONDS


def votes_needed(row: GameRow, seat: int, left: Collection[int]) -> int:
    """How many of the other attentive people must want the turn of ``seat`` played: over half of them."""
    others = [other for other in attentive(row, left) if other != seat]
    return len(others) // 2 + 1
