"""Seasons: the months of UTC, counted from January 1970, and who was best in one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice

FIRST_YEAR = 1970

MAX_LINES = 10
"""How many people are kept of a season of a game."""


@dataclass(frozen=True, slots=True)
class Score:
    """What a person did in a season of a game."""

    user_id: int
    wins: int
    games: int


@dataclass(frozen=True, slots=True)
class SeasonLine:
    """A line of the board of a season. People with as many wins share a ``place`` (1, 1, 3).

    ``user_id`` is None, and ``name`` "", for people who were erased or want to be on no list.
    """

    place: int
    user_id: int | None
    name: str
    wins: int
    games: int


def month_at(at: float) -> int:
    """Return the month of a time in Unix seconds.

    >>> month_at(0), month_at(1_700_000_000)
    (0, 646)
    """
    moment = datetime.fromtimestamp(at, UTC)
    return (moment.year - FIRST_YEAR) * 12 + moment.month - 1


def starts_at(month: int) -> float:
    """Return when a month begins, in Unix seconds.

    >>> starts_at(646)
    1698796800.0
    """
    year, index = divmod(month, 12)
    return datetime(FIRST_YEAR + year, index + 1, 1, tzinfo=UTC).timestamp()


def places(scores: Iterable[Score]) -> tuple[tuple[int, Score], ...]:
    """Return at most :data:`MAX_LINES` scores with their places. ``scores`` are sorted, most wins first.

    >>> [place for place, _ in places([Score(1, 5, 9), Score(2, 3, 3), Score(3, 3, 8), Score(4, 1, 1)])]
    [1, 2, 2, 4]
    """
    placed: list[tuple[int, Score]] = []
    for position, score in enumerate(islice(scores, MAX_LINES), 1):
        shared = placed and placed[-1][1].wins == score.wins
        placed.append((placed[-1][0] if shared else position, score))
    return tuple(placed)
