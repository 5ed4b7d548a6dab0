"""The part of a state on which the chances before a turn depend, and what a Plus/Minus Tutto makes of it."""

from __future__ import annotations

from dataclasses import dataclass

from bot.games.tutto.rules import leaders
from bot.games.tutto.scoring import PLUS_MINUS_POINTS
from bot.games.tutto.state import Edition, Options, State


@dataclass(frozen=True, slots=True)
class Position:
    """The part of a state on which the chances depend: no turn and no deck. ``seat`` is the seat to move."""

    options: Options
    scores: tuple[int, ...]
    left: tuple[int, ...]
    seat: int
    last_round: bool

    @classmethod
    def of(cls, state: State) -> Position:
        return cls(state.options, state.scores, state.left, state.seat, state.last_round)

    @property
    def misses(self) -> bool:
        """Whether a Plus/Minus card ends the turn of the seat to move (classic: it leads)."""
        return self.options.edition is Edition.CLASSIC and self.seat in self.leaders

    @property
    def leaders(self) -> tuple[int, ...]:
        """The seats with the most banked points; none while nobody has points."""
        return leaders(State(self.options, self.scores, self.left))

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats that are still in the game, in playing order."""
        return tuple(seat for seat in range(len(self.scores)) if seat not in self.left)


def deducted(position: Position) -> tuple[int, ...]:
    """Return the scores after a Plus/Minus Tutto of the seat to move."""
    scores = list(position.scores)
    for seat in position.leaders:
        if seat != position.seat:
            loss = PLUS_MINUS_POINTS
            if position.options.edition is Edition.CURRENT:
                loss = min(loss, max(scores[seat], 0))
            scores[seat] -= loss
    return tuple(scores)
