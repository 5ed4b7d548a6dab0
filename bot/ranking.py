"""What a leaderboard is made of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Sort(StrEnum):
    """What a leaderboard is sorted by."""

    WINS = "wins"
    GAMES = "games"
    RATE = "rate"
    BEST = "best"


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of a leaderboard. Equal values share a ``place`` (1, 1, 3)."""

    user_id: int
    name: str
    games: int
    wins: int
    best_turn: int
    place: int
