"""Sums over results, added up one result after the other. What the store keeps must always equal these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bot.periods import PASSING, began
from bot.ranking import Period

Key = tuple[int, str, int]
"""Server, game and person."""


@dataclass(slots=True)
class Sum:
    """One person's results of one game in one server and period."""

    games: int = 0
    wins: int = 0
    score: int = 0
    turns: int = 0
    best_turn: int | None = None
    feat: int = 0
    streak: int = 0
    longest_streak: int = 0
    first_at: float = 0.0

    def add(self, result: Mapping[str, Any]) -> None:
        won = result["place"] == 1
        if not self.games:
            self.first_at = result["ended_at"]
        self.games += 1
        self.wins += won
        self.score += result["score"]
        self.turns += result["turns"]
        best = result["best_turn"]
        self.best_turn = best if self.best_turn is None else max(self.best_turn, best)
        self.feat += result["feat"]
        self.streak = self.streak + 1 if won else 0
        self.longest_streak = max(self.longest_streak, self.streak)

    def row(self, key: Key, period: Period, since: int) -> dict[str, Any]:
        """The row of the table ``totals``, but for the rating."""
        guild_id, game, user_id = key
        return {
            "guild_id": guild_id,
            "game": game,
            "period": period.value,
            "since": since,
            "user_id": user_id,
            "games": self.games,
            "wins": self.wins,
            "score": self.score,
            "turns": self.turns,
            "best_turn": self.best_turn,
            "feat": self.feat,
            "streak": self.streak,
            "longest_streak": self.longest_streak,
            "first_at": self.first_at,
        }


class Passing:
    """The sums of one server's present day, week and month."""

    def __init__(self, at: float, zone: str) -> None:
        self._since = {period: began(period, at, zone) for period in PASSING}
        self._sums: dict[tuple[Period, Key], Sum] = {}

    @property
    def earliest(self) -> int:
        return min(self._since.values())

    def add(self, result: Mapping[str, Any]) -> None:
        key = (result["guild_id"], result["game"], result["user_id"])
        for period, since in self._since.items():
            if result["ended_at"] >= since:
                self._sums.setdefault((period, key), Sum()).add(result)

    def rows(self) -> Iterator[dict[str, Any]]:
        for (period, key), one in self._sums.items():
            yield one.row(key, period, self._since[period])
