"""TotalsByPerson over results, added up one result after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from bot.games import codec
from bot.standings.periods import CURRENT_PERIODS, period_start
from bot.standings.ratings import Rating
from bot.standings.values import Period

Key = tuple[int, str, int]
"""Server, game and person."""

LASTING = frozenset({Period.ALL, Period.MONTH})
"""The periods in which there may be so many people that their leaderboards need indexes."""

MAX_RECORDS = 20
"""So many people are kept for each record of a server: when the first are hidden, the next are there."""

RECORDS = ("best_turn", "score", "feat", "streak")


@dataclass(slots=True)
class Totals:
    """One person's results of one game in one server and period.

    ``mu`` and ``sigma`` are what is believed about their strength, None for the unrated; ``feats`` adds up
    the counts of their games, as JSON. Only the sum of all time has either.
    """

    games: int = 0
    wins: int = 0
    score: int = 0
    turns: int = 0
    best_turn: int | None = None
    feat: int = 0
    rating: int | None = None
    streak: int = 0
    longest_streak: int = 0
    first_at: float = 0.0
    mu: float | None = None
    sigma: float | None = None
    feats: str = "{}"

    @classmethod
    def stored(cls, row: Any) -> Totals:
        """From the columns of a row of the table ``totals``, in their order."""
        return cls(*row)

    @property
    def strength(self) -> Rating | None:
        """What is believed about the person's strength; None for the unrated."""
        return None if self.mu is None or self.sigma is None else Rating(self.mu, self.sigma)

    @strength.setter
    def strength(self, rating: Rating) -> None:
        self.mu, self.sigma = rating.mu, rating.sigma

    def count(self, feats: Mapping[str, int]) -> None:
        """Add counts of one game."""
        self.feats = more_feats(self.feats, feats)

    def add(self, result: Mapping[str, Any], rating: int | None) -> None:
        """Count one more result, after which the person's rating is shown as ``rating``."""
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
        self.rating = rating
        self.streak = self.streak + 1 if won else 0
        self.longest_streak = max(self.longest_streak, self.streak)

    def row(self, key: Key, period: Period, since: int) -> dict[str, Any]:
        """The row of the table ``totals``."""
        guild_id, game, user_id = key
        return {
            "guild_id": guild_id,
            "game": game,
            "period": period.value,
            "since": since,
            "user_id": user_id,
            "lasting": int(period in LASTING),
            "rate": self.wins / self.games,
            **{name: getattr(self, name) for name in COLUMNS},
        }


COLUMNS = tuple(field.name for field in fields(Totals))
"""What a sum has in common with the table ``totals``, in the order of its fields."""


def more_feats(counted: str, feats: Mapping[str, int]) -> str:
    """Counts as JSON with those of one more game."""
    total = codec.loads(counted)
    for feat, number in feats.items():
        total[feat] = total.get(feat, 0) + number
    return codec.dumps(total)


class CurrentPeriods:
    """The sums of one server's present day, week and month."""

    def __init__(self, at: float, zone: str) -> None:
        self._since = {period: period_start(period, at, zone) for period in CURRENT_PERIODS}
        self._totals: dict[tuple[Period, Key], Totals] = {}

    @property
    def earliest(self) -> int:
        return min(self._since.values())

    def add(self, result: Mapping[str, Any], rating: int | None) -> None:
        key = (result["guild_id"], result["game"], result["user_id"])
        for period, since in self._since.items():
            if result["ended_at"] >= since:
                self._totals.setdefault((period, key), Totals()).add(result, rating)

    def rows(self) -> Iterator[dict[str, Any]]:
        for (period, key), one in self._totals.items():
            yield one.row(key, period, self._since[period])


@dataclass(frozen=True, slots=True)
class Best:
    """What somebody has reached, and in which game."""

    value: int
    game_id: int
    at: float


class Records:
    """The best values of one game in one server, one a person and kind; of equal ones the first stands."""

    def __init__(self) -> None:
        self._found: dict[str, dict[int, Best]] = {kind: {} for kind in RECORDS}

    def add(self, kind: str, user_id: int, best: Best) -> int | None:
        """Note what somebody has reached; return who must give way for it, who may be they themselves."""
        found = self._found[kind]
        old = found.get(user_id)
        if best.value <= 0 or (old is not None and best.value <= old.value):
            return None
        found[user_id] = best
        if len(found) <= MAX_RECORDS:
            return None
        last = min(found, key=lambda user: (found[user].value, -found[user].at, -found[user].game_id, -user))
        del found[last]
        return last

    def rows(self, guild_id: int, game: str) -> Iterator[dict[str, Any]]:
        for kind, found in self._found.items():
            for user_id, best in found.items():
                yield {
                    "guild_id": guild_id,
                    "game": game,
                    "kind": kind,
                    "user_id": user_id,
                    "value": best.value,
                    "game_id": best.game_id,
                    "at": best.at,
                }


def reached(result: Mapping[str, Any], streak: int) -> Iterator[tuple[str, Best]]:
    """What one result is worth by kind of record; ``streak`` is that of its person with this game."""
    for kind, value in worth(result, streak):
        yield kind, Best(value, result["game_id"], result["ended_at"])


def worth(result: Mapping[str, Any], streak: int) -> Iterator[tuple[str, int]]:
    """The same without the game in which it was reached."""
    for kind in RECORDS:
        yield kind, streak if kind == "streak" else result[kind]
