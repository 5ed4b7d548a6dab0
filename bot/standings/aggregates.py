"""Totals and records of people, updated result by result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from bot.games import codec
from bot.standings.mastery import HABIT
from bot.standings.periods import CURRENT_PERIODS, period_start
from bot.standings.ratings import Rating
from bot.standings.values import Period

Key = tuple[int, str, str, int]
"""Guild id, game key, board and user id."""

LASTING = frozenset({Period.ALL, Period.MONTH})
"""The periods whose leaderboards may have enough people to need an index."""

MAX_RECORDS = 20
"""How many people to keep for each record of a server, so that others can replace hidden ones."""

RECORDS = ("best_turn", "score", "feat", "streak")
"""The kinds of a server's records."""


@dataclass(slots=True)
class Totals:
    """The totals of one person for one game, server, board and period: a row of the table ``totals``.

    ``rating`` is the number that people see. ``mu`` and ``sigma`` are what it comes from, None for the
    unrated; ``feats`` are the summed feats of their games, as JSON. Only the totals of all time have these.
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
        """Build totals from the columns of a row, in the order of the fields."""
        return cls(*row)

    @property
    def strength(self) -> Rating | None:
        """The person's rating; None for the unrated."""
        return None if self.mu is None or self.sigma is None else Rating(self.mu, self.sigma)

    @strength.setter
    def strength(self, rating: Rating) -> None:
        self.mu, self.sigma = rating.mu, rating.sigma

    def count(self, feats: Mapping[str, int]) -> None:
        """Add the feats of one game."""
        self.feats = more_feats(self.feats, feats)

    def add(self, result: Mapping[str, Any], rating: int | None) -> None:
        """Add a result. ``rating`` is the person's shown rating after it."""
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
        """Return the columns of the row, including its key."""
        guild_id, game, board, user_id = key
        return {
            "guild_id": guild_id,
            "game": game,
            "board": board,
            "period": period.value,
            "since": since,
            "user_id": user_id,
            "lasting": int(period in LASTING),
            "rate": self.wins / self.games,
            **{name: getattr(self, name) for name in COLUMNS},
        }


COLUMNS = tuple(field.name for field in fields(Totals))
"""The fields of :class:`Totals` in order; columns of the table ``totals`` have the same names."""


def more_feats(counted: str, feats: Mapping[str, int]) -> str:
    """Return summed feats (as JSON) plus further ones, without habits whose cost has become 0.

    >>> more_feats('{"habit_safe":5,"tuttos":1}', {"habit_safe": -5, "tuttos": -1})
    '{"tuttos":0}'
    """
    total = codec.loads(counted)
    for feat, count in feats.items():
        total[feat] = total.get(feat, 0) + count
    return codec.dumps({feat: count for feat, count in total.items() if count or HABIT not in feat})


class CurrentPeriods:
    """The totals of one server's present day, week and month."""

    def __init__(self, at: float, zone: str) -> None:
        self._since = {period: period_start(period, at, zone) for period in CURRENT_PERIODS}
        self._totals: dict[tuple[Period, Key], Totals] = {}

    @property
    def earliest(self) -> int:
        """When the longest of these periods began, in Unix seconds."""
        return min(self._since.values())

    def add(self, result: Mapping[str, Any], rating: int | None) -> None:
        """Add a result to the periods that it falls into, as :meth:`Totals.add` does."""
        key = (result["guild_id"], result["game"], result["board"], result["user_id"])
        for period, since in self._since.items():
            if result["ended_at"] >= since:
                self._totals.setdefault((period, key), Totals()).add(result, rating)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the columns of all totals."""
        for (period, key), totals in self._totals.items():
            yield totals.row(key, period, self._since[period])


@dataclass(frozen=True, slots=True)
class Best:
    """A value that a person has reached, the game in which they did, and when (Unix seconds)."""

    value: int
    game_id: int
    at: float


class Records:
    """The records of one game in a server: the best values by kind and person, of equal ones the older."""

    def __init__(self) -> None:
        self._bests: dict[str, dict[int, Best]] = {kind: {} for kind in RECORDS}

    def add(self, kind: str, user_id: int, best: Best) -> int | None:
        """Add a value of a person. Return the person who drops out for it (maybe the same), or None."""
        bests = self._bests[kind]
        old = bests.get(user_id)
        if best.value <= 0 or (old is not None and best.value <= old.value):
            return None
        bests[user_id] = best
        if len(bests) <= MAX_RECORDS:
            return None
        last = min(bests, key=lambda user: (bests[user].value, -bests[user].at, -bests[user].game_id, -user))
        del bests[last]
        return last

    def rows(self, guild_id: int, game: str) -> Iterator[dict[str, Any]]:
        for kind, bests in self._bests.items():
            for user_id, best in bests.items():
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
    """Yield the values of one result by kind of record. ``streak`` is the person's streak including it."""
    for kind, value in record_values(result, streak):
        yield kind, Best(value, result["game_id"], result["ended_at"])


def record_values(result: Mapping[str, Any], streak: int) -> Iterator[tuple[str, int]]:
    """Like :func:`reached`, with the values only."""
    for kind in RECORDS:
        yield kind, streak if kind == "streak" else result[kind]
