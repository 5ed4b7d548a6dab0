"""What leaderboards and statistics are made of: values, before a language or a database is involved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from bot.games.seats import Seat

LUCK, LUCK_GAMES = "luck", "luck_games"
"""Counts besides the games' own feats: points of luck, and in how many games."""

SHOWN_START = 1000
"""The rating everybody starts with."""

MIN_GAMES_FOR_RATE = 5
"""Who has finished fewer games is not ranked by win rate: one won game would be 100%."""


class Sort(StrEnum):
    """What a leaderboard is sorted by. FEAT is the game's own count, e.g. Tuttos."""

    RATING = "rating"
    WINS = "wins"
    RATE = "rate"
    BEST = "best"
    FEAT = "feat"


class Period(StrEnum):
    """Which games a leaderboard counts: all, or those since the month, week or day began."""

    ALL = "all"
    MONTH = "month"
    WEEK = "week"
    DAY = "day"


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Which leaderboard: of which server and game, sorted by what, over which games.

    ``since`` is when the present ``period`` began in the server's time zone (Unix seconds; 0 for ALL).
    """

    guild_id: int
    game: str
    sort: Sort = Sort.WINS
    period: Period = Period.ALL
    since: int = 0


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of a leaderboard. Equal values share a ``place`` (1, 1, 3).

    ``rating`` is None for somebody who has only played against AIs.
    """

    user_id: int
    name: str
    place: int
    games: int
    wins: int
    best_turn: int
    feat: int
    rating: int | None


@dataclass(frozen=True, slots=True)
class Opponent:
    """Somebody one has often played with: how many games, and in how many one was placed before them."""

    user_id: int
    name: str
    games: int
    ahead: int


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The rating after somebody's ``number``-th finished game."""

    number: int
    at: float
    rating: int


@dataclass(frozen=True, slots=True)
class Stats:
    """What is known about one person's finished games of one kind in one server.

    ``score`` and ``turns`` are sums over all games, ``streak`` is the number of games won in a row up to now.
    ``rank`` is the place by rating among ``ranked`` people, None for the unrated and for who is not listed.
    """

    user_id: int
    name: str
    games: int
    wins: int
    score: int
    turns: int
    best_turn: int
    streak: int
    longest_streak: int
    rating: int | None
    rank: int | None
    ranked: int
    since: float
    feats: Mapping[str, int] = field(default_factory=dict)
    opponents: tuple[Opponent, ...] = ()
    curve: tuple[CurvePoint, ...] = ()


@dataclass(frozen=True, slots=True)
class ServerRecord:
    """A server's record: its ``value``, who holds it, and in which game it was set (None for a streak).

    ``channel_id`` and ``message_id`` say where that game's table stands.
    """

    kind: str
    value: int
    user_id: int
    name: str
    game_id: int | None = None
    channel_id: int | None = None
    message_id: int | None = None
    at: float | None = None


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """One finished game in a list of them; ``winners`` are the numbers of the winning seats."""

    game_id: int
    game: str
    channel_id: int
    at: float
    seats: tuple[Seat, ...]
    winners: tuple[int, ...]
