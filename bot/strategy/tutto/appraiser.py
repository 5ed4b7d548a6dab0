"""The account of luck and errors in a game of Tutto.

Between turns the value of a position is that of :func:`~bot.strategy.tutto.winning.chances`, so what the pile
holds for the first card of a turn counts as luck. With two players ``gap`` is 0.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.games.core import Move
from bot.games.tutto.state import Action, Options, Outcome, Phase, State
from bot.strategy import account as accounts
from bot.strategy.account import Appraiser
from bot.strategy.tutto.pairs import Basis
from bot.strategy.tutto.patterns import STEP
from bot.strategy.tutto.policies import rule_of_thumb
from bot.strategy.tutto.turn import Turn
from bot.strategy.tutto.values import RULES, best, values, worth
from bot.strategy.tutto.winning import chances, turn

Decision = accounts.Decision[State, Action]
Account = accounts.Account[State, Action]


def account(
    options: Options, seats: int, opening: Sequence[Outcome], moves: Sequence[Move[Action, Outcome]]
) -> Account:
    """Return the account of a game from its log; see :func:`bot.strategy.account.account`."""
    return accounts.account(_Tutto(), options, seats, opening, moves)


class _Tutto(Appraiser[State, Action, Outcome]):
    """Winning chances from the tables, and from the solved turn."""

    rules = RULES
    usual_stake = 0.0213

    def __init__(self) -> None:
        self.basis = Basis.TABLE

    def standing(self, state: State) -> tuple[float, ...]:
        found, basis = chances(state)
        self.note(basis)
        return found

    def worth(self, state: State) -> float:
        if state.phase is Phase.START:
            return self.standing(state)[state.seat]
        return worth(state, self._turn(state))

    def choices(self, state: State) -> Sequence[tuple[Action, float]]:
        if state.phase is Phase.START:
            return [(action, self.worth(state)) for action in RULES.legal(state)]
        found = values(state, self._turn(state))
        top = best(found)
        return [(one.action, one.value) for one in (top, *(each for each in found if each is not top))]

    def usual(self, state: State) -> Action:
        return rule_of_thumb(state)

    def _turn(self, state: State) -> Turn:
        # Solve turning a card even where stopping is clearly better: somebody may have turned one.
        high = state.points // STEP + 1 if state.phase in (Phase.TUTTO, Phase.DRAW) else 0
        solved, basis = turn(state, high=high, shown=True)
        self.note(basis)
        return solved
