"""The grandmaster: plays for the winning chance."""

from __future__ import annotations

from random import Random

from bot.games.gambler.state import ROLL_DICE, Action, Phase, State
from bot.strategy.gambler.expert import Expert
from bot.strategy.gambler.winning import Basis, basis, values


class Grandmaster:
    """Takes the action with the highest winning chance, or plays like the expert where that isn't known."""

    def __init__(self) -> None:
        self._expert = Expert()

    def choose(self, state: State, rng: Random) -> Action:
        if state.phase is Phase.START:
            return ROLL_DICE
        if basis(state) is Basis.POINTS:
            return self._expert.choose(state, rng)
        # The first of equal actions, so that the choice is the same each time.
        return max(values(state), key=lambda valued: valued[1])[0]
