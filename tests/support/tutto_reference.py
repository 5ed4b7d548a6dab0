"""The value of a turn of Tutto by brute force: every choice is tried with the rules.

Slow, and short enough to be believed; for holding ``bot.strategy.tutto`` against.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bot.games.core import CHANCE
from bot.games.tutto import Tutto
from bot.games.tutto.cards import FULL_DECK, Card
from bot.games.tutto.state import STOP, Action, Outcome, Phase, State

RULES = Tutto()


class Reference:
    """The best play of a turn that is worth ``leaf(state)`` once it has ended in ``state``.

    The next card comes from the state's pile, later ones from a fresh deck. Whoever may stop with ``settled``
    points or more does so, and a Fireworks ends with ``burnt`` points; both must make no difference.
    """

    def __init__(self, leaf: Callable[[State], float], settled: int, burnt: int | None = None) -> None:
        self._leaf, self._settled = leaf, settled
        self._burnt = settled if burnt is None else burnt
        self._known: dict[tuple[State, bool], float] = {}

    def actions(self, state: State) -> dict[Action, float]:
        return {action: self._after(state, action, True) for action in RULES.legal(state)}

    def value(self, state: State, real: bool = True) -> float:
        """``real``: the next card is the first one from now on."""
        if state.card is Card.FIREWORKS:
            if state.points >= self._burnt:
                return self._leaf(_banked(state))
        elif state.points >= self._settled and STOP in RULES.legal(state):
            return self._leaf(_banked(state))
        state = _plain(state, real)
        key = (state, real)
        if key not in self._known:
            if RULES.to_move(state) == CHANCE:
                outcomes = RULES.chance(state)
                later = real and state.phase is not Phase.DRAW
                total = sum(weight * self._after(state, outcome, later) for outcome, weight in outcomes)
                self._known[key] = total / sum(weight for _, weight in outcomes)
            else:
                self._known[key] = max(self._after(state, action, real) for action in RULES.legal(state))
        return self._known[key]

    def _after(self, state: State, move: Action | Outcome, real: bool) -> float:
        after: State = RULES.apply(state, move).state
        return self._leaf(after) if after.finished > state.finished else self.value(after, real)


def _plain(state: State, real: bool) -> State:
    """The state without what makes no difference: which dice are aside, and a pile that isn't drawn from."""
    aside = state.aside if state.card is Card.STRAIGHT else (1,) * len(state.aside)
    return replace(state, aside=aside, deck=state.deck if real else FULL_DECK)


def _banked(state: State) -> State:
    after: State = RULES.apply(replace(state, phase=Phase.TUTTO), STOP).state
    return after
