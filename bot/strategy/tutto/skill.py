"""How well and how luckily each seat played a game of Tutto."""

from __future__ import annotations

from collections.abc import Sequence

from bot.games.core import Move
from bot.games.tutto.state import Action, Options, Outcome
from bot.strategy.skill import Skill
from bot.strategy.tutto.account import Account, account
from bot.strategy.tutto.luck import luck


def skills(found: Account, points: Sequence[int] | None = None) -> tuple[Skill, ...]:
    """Return the skill of each seat from the account of a game; ``points`` is the luck in points by seat."""
    return tuple(_skill(found, seat, points[seat] if points else 0) for seat in range(len(found.gap)))


def measure(options: Options, seats: int, moves: Sequence[Move[Action, Outcome]]) -> tuple[Skill, ...]:
    """Return the skill of each seat from the moves of a game.

    Raises :class:`~bot.games.core.IllegalMove` for an impossible log.
    """
    return skills(account(options, seats, moves), luck(options, seats, moves))


def _skill(found: Account, seat: int, points: int) -> Skill:
    costs = [one.cost for one in found.decisions if one.seat == seat and one.real]
    return Skill(
        games=1,
        choices=len(costs),
        errors=sum(costs),
        squares=sum(cost * cost for cost in costs),
        luck=found.luck(seat),
        adjusted=found.adjusted(seat),
        won=found.chances[-1][seat],
        points=points,
    )
