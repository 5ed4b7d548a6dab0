"""How well a person decides, whatever the dice do: a performance rating with its confidence.

The *performance rating* is the mean error of a real decision, in thousandths of a win; 0 is perfect. Forced
choices, and those among equal actions, don't count, and others by the root of what is at stake: many small
ones would otherwise hide the few that decide games (benchmarks/skill.md). A game has few decisions, and most
of them are easy, so the rating of one game says little: the interval says how little.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from operator import attrgetter

from bot.strategy.account import A, Account, Decision, S

THOUSAND = 1000.0
CONFIDENT = 1.96
"""Standard errors to each side of a 95% interval."""

WINDOW = 10
"""A moving average is over at most this many games."""

MIN_AVERAGED = 3
"""A moving average begins with this many games, because one or two say too little."""


@dataclass(frozen=True, slots=True)
class Skill:
    """What a seat's real decisions cost in winning chance, and its luck, in one game or summed over several.

    ``errors`` is the sum of what the real decisions cost, ``squares`` the sum of the squares. ``choices`` is
    their number, in which each counts by the root of its stake; one with the game's usual stake counts 1.
    ``luck`` is what chance made of the winning chance in the seat's own turns, ``adjusted`` the result
    without luck (see :class:`~bot.strategy.account.Account`), ``won`` the real one.
    """

    games: int = 0
    choices: float = 0.0
    errors: float = 0.0
    squares: float = 0.0
    luck: float = 0.0
    adjusted: float = 0.0
    won: float = 0.0

    @property
    def rating(self) -> float | None:
        """The mean error of a real decision in thousandths of a win, or None without decisions."""
        return THOUSAND * self.errors / self.choices if self.choices else None

    @property
    def interval(self) -> float | None:
        """Half the width of the rating's 95% interval, or None with fewer than two decisions."""
        if self.choices < 2:
            return None
        mean = self.errors / self.choices
        variance = max(0.0, self.squares / self.choices - mean * mean) * self.choices / (self.choices - 1)
        return THOUSAND * CONFIDENT * sqrt(variance / self.choices)


_values = attrgetter(*Skill.__slots__)


def total(skills: Iterable[Skill]) -> Skill:
    """Return the sum over several games.

    >>> total([Skill(1, 10, 0.02), Skill(1, 30, 0.02)]).rating
    1.0
    """
    return Skill(*map(sum, zip(*map(_values, skills), strict=True)))


def moving_ratings(skills: Sequence[Skill]) -> tuple[float | None, ...]:
    """Return after each game the rating of the last :data:`WINDOW` games.

    It is None before game :data:`MIN_AVERAGED`, and where these games had no real decision.

    >>> moving_ratings([Skill(1, 10, 0.03), Skill(1, 20, 0.03), Skill(1, 30, 0.06)])
    (None, None, 2.0)
    """
    means = (total(skills[max(0, end - WINDOW) : end]).rating for end in range(1, len(skills) + 1))
    return tuple(mean if end >= MIN_AVERAGED else None for end, mean in enumerate(means, start=1))


@dataclass(frozen=True, slots=True)
class Measured:
    """What is worked out for a seat after a game: its luck in points, its skill (None if winning chances are
    not known), and what each of its bad ``habits`` cost in winning chance (the text ``habit-<name>`` names
    it).

    ``puzzle`` is the number of one of its moves, from 0, that makes a puzzle for others; a game has one at
    most.
    """

    luck: int
    skill: Skill | None
    habits: Mapping[str, float] = field(default_factory=dict)
    puzzle: int | None = None


def skill_of(account: Account[S, A], seat: int) -> Skill:
    """Return the skill of a seat from the account of a game."""
    real = [one for one in account.decisions if one.seat == seat and one.real]
    costs = [one.cost for one in real]
    return Skill(
        games=1,
        choices=sum(sqrt(one.stake / account.usual_stake) for one in real),
        errors=sum(costs),
        squares=sum(cost * cost for cost in costs),
        luck=account.luck(seat),
        adjusted=account.adjusted(seat),
        won=account.chances[-1][seat],
    )


def measured(
    account: Account[S, A], luck: Sequence[int], habit: Callable[[Decision[S, A]], str]
) -> tuple[Measured, ...]:
    """Return what is stored of each seat. ``luck`` is by seat in points, ``habit`` names what is wrong with
    a decision."""
    habits: list[defaultdict[str, float]] = [defaultdict(float) for _ in luck]
    for decision in account.decisions:
        if decision.real and decision.cost > 0.0:
            habits[decision.seat][habit(decision)] += decision.cost
    return tuple(
        Measured(points, skill_of(account, seat), dict(habits[seat])) for seat, points in enumerate(luck)
    )
