"""How well and how luckily each seat played a game of Tutto."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from bot.games.core import Move
from bot.games.tutto.state import Action, Options, Outcome
from bot.strategy.skill import Measured, Skill
from bot.strategy.tutto.account import Account, account
from bot.strategy.tutto.luck import luck
from bot.strategy.tutto.reasons import reason


def measure(options: Options, seats: int, moves: Sequence[Move[Action, Outcome]]) -> tuple[Measured, ...]:
    """Return what is worked out for each seat from the moves of a game.

    Raises :class:`~bot.games.core.IllegalMove` for an impossible log.
    """
    found, points = account(options, seats, moves), luck(options, seats, moves)
    habits: list[defaultdict[str, float]] = [defaultdict(float) for _ in range(seats)]
    for decision in found.decisions:
        if decision.real and decision.cost > 0.0:
            habits[decision.seat][reason(decision).habit.value] += decision.cost
    return tuple(Measured(points[seat], skill_of(found, seat), dict(habits[seat])) for seat in range(seats))


def skill_of(found: Account, seat: int) -> Skill:
    """Return the skill of a seat from the account of a game."""
    costs = [one.cost for one in found.decisions if one.seat == seat and one.real]
    return Skill(
        games=1,
        choices=len(costs),
        errors=sum(costs),
        squares=sum(cost * cost for cost in costs),
        luck=found.luck(seat),
        adjusted=found.adjusted(seat),
        won=found.chances[-1][seat],
    )
