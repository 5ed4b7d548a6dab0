"""People who are away: when a turn is played for them, and when the game waits for them.

A person may take ``turn_seconds`` for a move. Half-way they are notified once more, and at the end the turn
is played for them; a game's ``deadline`` is the next of these two moments. After :data:`MAX_MISSED` such
turns in a row the bot plays their seat until they are back. While no person is present the game waits, so
that it is never played to its end among absent people.

While a thread is locked nobody can click, so the clock of its game is stopped.

This module sets the deadlines; :func:`bot.sessions.commands.time_out` decides what happens when one has
passed, and :mod:`bot.services.deadlines` watches them.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from bot.games.values import replace
from bot.store.base import NEVER, GameRow

MAX_MISSED = 2
IDLE_SECONDS = 60.0
"""How long a turn must have been idle before the others may vote for the bot to play it."""

AI_SECONDS = 30.0
"""After how long the bot tries an AI's or an absent person's move again that has not been made."""

LATE_SECONDS = 60.0
"""If a deadline is noticed later than this, the bot was away when it passed: the person gets time again."""

IDLE_LOBBY_SECONDS = 3600.0
"""After how long an idle lobby closes."""

UNTOUCHED_SECONDS = 14 * 86_400.0
"""After how long without a move a game ends without a result."""

UNCERTAIN_SECONDS = 3600.0
"""How long a game that seems untouched is kept open before the next look, while the clock may be wrong."""


def lobby_deadline(now: float) -> float:
    """Return when a lobby closes unless somebody changes it."""
    return now + IDLE_LOBBY_SECONDS


def people(row: GameRow, left: Collection[int]) -> tuple[int, ...]:
    """Return the seats of the people who are in the game, away or not."""
    return tuple([number for number, seat in enumerate(row.seats) if seat.human and number not in left])


def attentive(row: GameRow, left: Collection[int]) -> tuple[int, ...]:
    """Return the seats of the people who are in the game and not away."""
    return tuple([seat for seat in people(row, left) if row.missed[seat] < MAX_MISSED])


def next_wait(row: GameRow, seat: int, left: Collection[int], now: float) -> dict[str, Any]:
    """Return the fields that change when ``seat`` is to move from ``now`` on: its deadline, whether the bot
    plays it, and so on.
    """
    present = attentive(row, left)
    by_bot = bool(present) and seat not in present
    deadline = now + _seconds_to_wait(row, present, by_bot=by_bot, reminded=False)
    return {"since": now, "ai_to_move": by_bot, "reminded": False, "votes": (), "deadline": deadline}


def with_deadline(row: GameRow, left: Collection[int]) -> GameRow:
    """Return the row with the deadline that follows from ``since``, ``reminded`` and ``ai_to_move``."""
    present = attentive(row, left)
    seconds = _seconds_to_wait(row, present, by_bot=row.ai_to_move, reminded=row.reminded)
    return replace(row, deadline=row.since + seconds)


def _seconds_to_wait(row: GameRow, present: Collection[int], *, by_bot: bool, reminded: bool) -> float:
    if by_bot:
        # The bot moves at once; the deadline is for trying again if that fails.
        return AI_SECONDS
    if row.turn_seconds and present:
        return row.turn_seconds if reminded else until_reminder(row)
    return UNTOUCHED_SECONDS


def until_reminder(row: GameRow) -> float:
    """Return how many seconds after the beginning of a wait the person is notified once more: half-way."""
    return row.turn_seconds / 2


def turn_ends(row: GameRow) -> float | None:
    """Return when the present turn is played for its person; None without a limit or with a stopped clock."""
    return row.since + row.turn_seconds if row.turn_seconds and row.deadline != NEVER else None


def stopped(row: GameRow, now: float) -> GameRow:
    """Return the row with its clock stopped."""
    return replace(row, deadline=NEVER, updated_at=now)


def continued(row: GameRow, left: Collection[int], now: float) -> GameRow:
    """Return the row with its clock running again: its player has as much time left as when it stopped."""
    stopped_for = max(now - row.updated_at, 0.0)
    return with_deadline(replace(row, since=row.since + stopped_for, updated_at=now), left)


def votes_needed(row: GameRow, seat: int, left: Collection[int]) -> int:
    """Return how many votes make the bot play the turn of ``seat``: those of over half of the other attentive
    people.
    """
    others = [other for other in attentive(row, left) if other != seat]
    return len(others) // 2 + 1
