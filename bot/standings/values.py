"""Leaderboards and statistics as values, independent of language and database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from bot.games.seats import Seat
from bot.strategy.skill import Skill

LUCK, LUCK_GAMES = "luck", "luck_games"
"""Feats of all games, beside each game's own: points of luck, and in how many games they were counted."""

SHOWN_START = 1000
"""The shown rating with which everybody starts."""

MIN_GAMES_FOR_RATE = 5
"""A ranking by win rate leaves out people with fewer finished games, because one win would be 100%."""


class Sort(StrEnum):
    """The value by which a leaderboard is sorted. FEAT is the game's own feat, e.g. Tuttos."""

    RATING = "rating"
    WINS = "wins"
    RATE = "rate"
    BEST = "best"
    FEAT = "feat"


class Period(StrEnum):
    """The games that a leaderboard counts: all, or those of the present month, week or day."""

    ALL = "all"
    MONTH = "month"
    WEEK = "week"
    DAY = "day"


class Board(StrEnum):
    """Which games standings count: those among people, or those of one person against AIs only."""

    PEOPLE = "people"
    AI = "ai"


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Which leaderboard to show: its server, game, sorting, period, and which games it counts.

    ``since`` is when the present ``period`` began in the server's time zone (Unix seconds; 0 for ALL).
    """

    guild_id: int
    game: str
    sort: Sort = Sort.WINS
    period: Period = Period.ALL
    since: int = 0
    board: Board = Board.PEOPLE


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of a leaderboard. Equal values share a ``place`` (1, 1, 3).

    ``rating`` is None on boards of games against AIs.
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
    """A frequent opponent of a person: the games they share, and in how many the person was ``ahead``."""

    user_id: int
    name: str
    games: int
    ahead: int


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A person's shown rating after their finished game of this ``number``; ``at`` is in Unix seconds."""

    number: int
    at: float
    rating: int


@dataclass(frozen=True, slots=True)
class SkillPoint:
    """How a person played their finished game of this ``number``."""

    number: int
    skill: Skill


@dataclass(frozen=True, slots=True)
class Stats:
    """A person's statistics for one game in one server, and which games they count.

    ``score`` and ``turns`` are sums over all games, ``streak`` is the number of games won in a row up to now.
    ``rank`` is the place by rating among ``ranked`` people; None for the unrated and the unlisted. ``since``
    is when their first game ended (Unix seconds). ``skills`` are their latest games whose skill is known,
    oldest first.
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
    skills: tuple[SkillPoint, ...] = ()
    board: Board = Board.PEOPLE


@dataclass(frozen=True, slots=True)
class ServerRecord:
    """A server's record: its ``value``, its holder, and the game in which it was set (None for a streak).

    ``channel_id`` and ``message_id`` are those of the game's table.
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
class Span:
    """Which finished games to list: at most ``limit`` of the kind ``game`` ("" for all), the newest first.

    They are those that ended last before the game with the ``finish`` number ``before``; or if ``after`` is
    given, those that ended next after the game with this number.
    """

    limit: int
    game: str = ""
    before: int = (1 << 63) - 1
    after: int | None = None


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """A finished game in a list. ``at`` is its end (Unix seconds), ``winners`` are the winning seats.

    ``finish`` numbers games in the order of their ends.
    """

    game_id: int
    finish: int
    game: str
    channel_id: int
    at: float
    seats: tuple[Seat, ...]
    winners: tuple[int, ...]
