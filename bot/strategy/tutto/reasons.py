"""Why a decision was costly, in terms that a person can use the next time."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bot.games.tutto.cards import Card
from bot.games.tutto.rules import stop_value
from bot.games.tutto.scoring import points
from bot.games.tutto.state import NUMBER_OF_DICE, STOP, TURN_CARD, Action, Keep, Phase, State, Stop
from bot.strategy.tutto.appraiser import Decision
from bot.strategy.tutto.odds import next_null
from bot.strategy.tutto.values import RULES


class Habit(StrEnum):
    """What is wrong with a decision; ``habit-<value>`` names it, ``why-<value>`` explains a single one."""

    TOO_RISKY = "risky"
    """Went on where stopping was better."""
    WON = "won"
    """Went on although stopping would have won the game."""
    AHEAD = "ahead"
    """Went on although stopping would have put the seat ahead in the last round."""
    TOO_SAFE = "safe"
    """Stopped where going on was better."""
    BEHIND = "behind"
    """Stopped in the last round with too few points to lead."""
    TOO_MANY = "many"
    """Put more dice aside than was good."""
    TOO_FEW = "few"
    """Put fewer dice aside than was good."""
    WRONG = "wrong"
    """Put the wrong dice aside."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why the best choice is better than the one played.

    ``played_null`` and ``best_null`` are the chances that the next card or roll loses the turn, ``at_stake``
    are the points that stopping would bank, ``lead`` is how far ahead of the best rival that would be
    (negative: behind).
    """

    habit: Habit
    played_null: float
    best_null: float
    at_stake: int
    lead: int


def reason(decision: Decision) -> Reason:
    """Return why a decision that cost something did."""
    state = decision.position
    at_stake = stop_value(state) or 0
    rivals = [
        score for seat, score in enumerate(state.scores) if seat != decision.seat and seat not in state.left
    ]
    lead = state.scores[decision.seat] + at_stake - max(rivals, default=0)
    return Reason(
        _habit(decision, lead),
        _next_loss(state, decision.played),
        _next_loss(state, decision.best),
        at_stake,
        lead,
    )


def _next_loss(state: State, action: Action) -> float:
    """Return the chance that what follows ``action`` loses the turn: after a Tutto, that is the next card."""
    tutto = isinstance(action, Keep) and len(state.aside) + len(action.dice) == NUMBER_OF_DICE
    return next_null(state, TURN_CARD if tutto and state.card is not Card.CLOVERLEAF else action)


def _wins(state: State) -> bool:
    """Return whether stopping ends the game with a win that is not shared."""
    after = RULES.apply(state, STOP).state
    return after.phase is Phase.OVER and after.winners == (state.seat,)


def _habit(decision: Decision, lead: int) -> Habit:
    played, best, last = decision.played, decision.best, decision.position.last_round
    if isinstance(best, Stop):
        if _wins(decision.position):
            return Habit.WON
        return Habit.AHEAD if last and lead > 0 else Habit.TOO_RISKY
    if isinstance(played, Stop):
        return Habit.BEHIND if last and lead <= 0 else Habit.TOO_SAFE
    assert isinstance(played, Keep)
    assert isinstance(best, Keep)
    if len(played.dice) != len(best.dice):
        return Habit.TOO_MANY if len(played.dice) > len(best.dice) else Habit.TOO_FEW
    assert points(played.dice) != points(best.dice) or played != best
    return Habit.WRONG
