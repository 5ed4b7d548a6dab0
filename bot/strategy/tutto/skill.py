"""How well and how luckily each seat played a game of Tutto."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.games.core import Move
from bot.games.tutto.state import Action, Options, Outcome
from bot.strategy.skill import Measured, measured
from bot.strategy.tutto.appraiser import account
from bot.strategy.tutto.luck import luck
from bot.strategy.tutto.puzzles import puzzle_among
from bot.strategy.tutto.reasons import reason

VERSION = 9
"""Raise it if the numbers for the same game change, e.g. with a table: stored ones are worked out again."""


def measure(
    options: Options, seats: int, opening: Sequence[Outcome], moves: Sequence[Move[Action, Outcome]]
) -> tuple[Measured, ...]:
    """Return what is worked out for each seat from the log of a game.

    Raises :class:`~bot.games.core.IllegalMove` for an impossible log.
    """
    found = account(options, seats, opening, moves)
    by_seat = list(
        measured(found, luck(options, seats, moves), lambda decision: reason(decision).habit.value)
    )
    spot = puzzle_among(found.decisions)
    if spot is not None:
        by_seat[spot.seat] = replace(by_seat[spot.seat], puzzle=spot.move)
    return tuple(by_seat)
