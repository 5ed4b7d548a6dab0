"""How well and how luckily each seat played a game of Gambler."""

from __future__ import annotations

from collections.abc import Sequence

from bot.games.core import Move
from bot.games.gambler.state import Action, Options, Outcome
from bot.strategy.account import NoAccount
from bot.strategy.gambler.appraiser import SEATS, account
from bot.strategy.gambler.luck import luck
from bot.strategy.gambler.reasons import habit
from bot.strategy.skill import Measured, measured

VERSION = 5
"""Raise it if the numbers for the same game change, e.g. with a table: stored ones are worked out again."""


def measure(
    options: Options, seats: int, opening: Sequence[Outcome], moves: Sequence[Move[Action, Outcome]]
) -> tuple[Measured, ...]:
    """Return what is worked out for each seat from the log of a game; with more than two its luck only.

    Raises :class:`~bot.games.core.IllegalMove` for an impossible log.
    """
    points = luck(options, seats, opening, moves)
    try:
        found = account(options, seats, opening, moves) if seats == SEATS else None
    except NoAccount:
        found = None
    if found is None:
        return tuple(Measured(lucky, None) for lucky in points)
    return measured(found, points, lambda decision: habit(decision).value)
