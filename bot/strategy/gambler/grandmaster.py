"""The grandmaster: plays for the winning chance."""

from __future__ import annotations

from random import Random

from bot.games.gambler.state import ROLL_DICE, Action, Phase, State
from bot.strategy.gambler import many_players
from bot.strategy.gambler.expert import Expert
from bot.strategy.gambler.winning import Basis, basis, values


class Grandmaster:
    """Takes the action with the highest winning chance, which is known for two seats and estimated for three
    to six; where there is none, it plays like the expert."""

    def __init__(self) -> None:
        self._expert = Expert()

    def choose(self, state: State, rng: Random) -> Action:
        if state.phase is Phase.START:
            return ROLL_DICE
        if basis(state) is not Basis.POINTS:
            valued = values(state)
        elif state.phase is Phase.PLACE and many_players.has_network(state):
            valued = many_players.values(state)
        else:
            return self._expert.choose(state, rng)
        # The first of equal actions, so that the choice is the same each time.
        return max(valued, key=lambda one: one[1])[0]
