"""AI players of Tutto, weakest first."""

from __future__ import annotations

from random import Random

from bot.games.tutto.cards import Card
from bot.games.tutto.rules import stop_value
from bot.games.tutto.scoring import valid_dice
from bot.games.tutto.state import STOP, TURN_CARD, Action, Keep, Phase, State
from bot.strategy.tutto.pairs import Basis, two_player_chances
from bot.strategy.tutto.position import Position
from bot.strategy.tutto.values import RULES, best, points_turn, values
from bot.strategy.tutto.winning import turn

ENOUGH = 350
"""Points at which the casual player stops."""

TIMID = 150
"""Points at which the beginner stops."""

SLIP = 0.25
"""How often the beginner chooses at random."""

EQUAL = 1e-12
"""Winning chances that differ by less count as equal."""


def rule_of_thumb(state: State) -> Action:
    """Return what most people do: put all valid dice aside, and stop as soon as that banks 350 points."""
    value = stop_value(state)
    if value is not None and value >= ENOUGH:
        return STOP
    if state.phase is Phase.CHOOSE:
        assert isinstance(state.card, Card)
        return Keep(valid_dice(state.roll, state.card, state.aside))
    return TURN_CARD


class Beginner:
    """Plays cautiously, with the mistakes of a first game.

    It stops at 150 points and never turns a second card. In a quarter of its choices it keeps a random legal
    set, such as one 5 of three, and rolls on regardless of what it can lose.
    """

    def choose(self, state: State, rng: Random) -> Action:
        if state.phase is not Phase.CHOOSE:
            return STOP if state.phase is Phase.TUTTO else TURN_CARD
        keeps = [action for action in RULES.legal(state) if isinstance(action, Keep)]
        if rng.random() < SLIP:
            return rng.choice(keeps)
        value = stop_value(state)
        # The largest set comes first.
        return keeps[0] if value is None or value < TIMID else STOP


class Casual:
    """Puts all valid dice aside and stops as soon as that banks 350 points or more."""

    def choose(self, state: State, rng: Random) -> Action:
        return rule_of_thumb(state)


class Expert:
    """Maximises the expected points of the turn, regardless of the scores."""

    def choose(self, state: State, rng: Random) -> Action:
        actions = RULES.legal(state)
        return actions[0] if len(actions) == 1 else best(values(state, points_turn(state))).action


class Grandmaster:
    """Maximises the winning chance, or plays like the expert where no table has it."""

    def __init__(self) -> None:
        self._expert = Expert()

    def basis(self, state: State) -> Basis:
        """Return the basis of the choice in ``state``; POINTS means that the expert chooses."""
        basis = two_player_chances(Position.of(state))[1]
        return Basis.POINTS if basis is Basis.ESTIMATE else basis

    def choose(self, state: State, rng: Random) -> Action:
        actions = RULES.legal(state)
        if len(actions) == 1:
            return actions[0]
        if self.basis(state) is Basis.POINTS:
            return self._expert.choose(state, rng)
        solved, _ = turn(state)
        choices = values(state, solved)
        top = best(choices)
        equal = {choice.action for choice in choices if top.value - choice.value <= EQUAL}
        if len(equal) == 1:
            return top.action
        # These make no difference for winning, so choose for points.
        return best([choice for choice in values(state, points_turn(state)) if choice.action in equal]).action
