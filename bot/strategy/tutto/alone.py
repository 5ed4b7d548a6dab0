"""Tutto alone, counted in turns: how many turns are still needed, and what each choice is worth.

The value of a position is minus the expected number of turns after the present one. So the solver of a turn
(:mod:`~bot.strategy.tutto.turn`) serves here as well: a lost turn leaves the score as it is, banking raises
it, and nothing comes after the target or a Cloverleaf. As everywhere in this package the next card is drawn
from the real pile, and later ones from a fresh deck.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from random import Random

from bot.games.tutto.state import Action, Options, Phase, State
from bot.strategy.tutto.alone_turns import TURNS_LEFT
from bot.strategy.tutto.horizon import stop_totals
from bot.strategy.tutto.patterns import STEP
from bot.strategy.tutto.turn import Level, Stakes, Turn
from bot.strategy.tutto.values import RULES, Valued, best, values

OPTIONS = Options()
"""The game that the numbers are for. Alone, nobody loses points, so ``modern`` would make no difference."""

_FINE = 4


def turns_left(score: int) -> float:
    """Return how many turns best play takes on average from a score, 0 at the target."""
    return TURNS_LEFT[score // STEP] if score < OPTIONS.target else 0.0


def stakes(left: Sequence[float]) -> Stakes:
    """Return the stakes of a turn. ``left`` are the turns that are left with its score, and with each higher
    one in steps."""
    banked = (*(-turns for turns in left), 0.0)
    return Stakes((Level(banked[0], banked),), won=0.0, most=0.0)


def choices(state: State) -> list[Valued]:
    """Return each legal action with minus the expected number of turns after this one.

    ``state`` is a game of :data:`OPTIONS` with one seat. Raises :class:`~bot.games.core.IllegalMove` where
    nobody is to move.
    """
    return values(state, _turn_of(state))


class Alone:
    """Takes as few turns as possible, on average."""

    def choose(self, state: State, rng: Random) -> Action:
        actions = RULES.legal(state)
        return actions[0] if len(actions) == 1 else best(choices(state)).action


def _turn_of(state: State) -> Turn:
    step = state.scores[0] // STEP
    # Turning a card is worked out even where stopping is clearly better: somebody may have turned one.
    turned = state.points // STEP + 1 if state.phase is Phase.TUTTO else 0
    (high,) = stop_totals(_stakes(step), state.deck)
    return _turn(step, -(-max(high, turned) // _FINE) * _FINE)


@lru_cache(maxsize=64)
def _stakes(step: int) -> Stakes:
    return stakes(TURNS_LEFT[step:])


@lru_cache(maxsize=64)
def _turn(step: int, high: int) -> Turn:
    return Turn(_stakes(step), 0, (high,))
