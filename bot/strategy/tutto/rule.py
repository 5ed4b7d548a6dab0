"""A rule to remember: the simplest way to play well, and what it gives away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from bot.games.tutto.rules import stop_value
from bot.games.tutto.scoring import points
from bot.games.tutto.state import NUMBER_OF_DICE, STOP, TURN_CARD, Action, Edition, Keep, Phase, State
from bot.strategy.tutto.values import RULES

FEW = 2
"""Up to how many dice left the smaller number of points is enough to stop."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Put aside one die or one triplet at a time, and stop with enough points; a :class:`Policy`.

    ``stop`` points are enough with one or two dice left, ``more`` with three and more; after a Tutto a card
    is turned with fewer than ``card`` points. ``loss`` is the winning chance that this gives away in a game
    of two to 6000, from 0 to 1 (benchmarks/skill.md).
    """

    stop: int
    more: int
    card: int
    loss: float

    def choose(self, state: State, rng: Random) -> Action:
        legal = RULES.legal(state)
        if state.phase is not Phase.CHOOSE:
            return STOP if state.phase is Phase.TUTTO and state.points >= self.card else TURN_CARD
        keeps = [action for action in legal if isinstance(action, Keep)]
        # The largest set comes first.
        left, banked = NUMBER_OF_DICE - len(state.aside) - len(keeps[0].dice), stop_value(state)
        if not left:
            return keeps[0]
        if banked is not None and banked >= (self.stop if left <= FEW else self.more):
            return STOP
        fewest = min(len(keep.dice) for keep in keeps)
        return max((keep for keep in keeps if len(keep.dice) == fewest), key=lambda keep: points(keep.dice))


TO_REMEMBER: Mapping[Edition, Rule] = {
    Edition.CURRENT: Rule(350, 400, 850, 0.047),
    Edition.MODERN: Rule(350, 400, 850, 0.046),
    Edition.CLASSIC: Rule(400, 500, 850, 0.077),
}
