"""The account of luck and errors in a game of Gambler for two.

Between turns, and for the board that is drawn next, the value of a position is that of
:func:`~bot.strategy.gambler.winning.standing`, read from the tables; within a turn it is counted out from the
values of the turn's ends. Both come from packed tables and differ a little; ``gap`` has the difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from random import Random

from bot.games.core import Move
from bot.games.gambler.state import Action, Options, Outcome, Phase, State
from bot.strategy import account as accounts
from bot.strategy.account import Appraiser, NoAccount
from bot.strategy.gambler.expert import after_roll, worth
from bot.strategy.gambler.race import race
from bot.strategy.gambler.simple import Casual
from bot.strategy.gambler.winning import RULES, Basis, basis, standing, turn, values

SEATS = 2
"""How many seats a game has whose winning chances are known."""

Decision = accounts.Decision[State, Action]
Account = accounts.Account[State, Action]


def account(
    options: Options, seats: int, opening: Sequence[Outcome], moves: Sequence[Move[Action, Outcome]]
) -> Account:
    """Return the account of a game of two from its log; see :func:`bot.strategy.account.account`.

    Raises :class:`~bot.strategy.account.NoAccount` without all tables.
    """
    if race(options.target) is None:
        raise NoAccount("error-review-game")
    return accounts.account(GamblerAppraiser(), options, seats, opening, moves)


class GamblerAppraiser(Appraiser[State, Action, Outcome]):
    """Winning chances from the tables, and from the turn that is counted out."""

    rules = RULES
    usual_stake = 0.06

    def __init__(self) -> None:
        self.basis = Basis.TABLE
        self._usual = Casual()

    def standing(self, state: State) -> tuple[float, ...]:
        if state.phase is not Phase.OVER:
            self.note(basis(state))
        return standing(state)

    def worth(self, state: State) -> float:
        if state.phase in (Phase.START, Phase.BOARD):
            return self.standing(state)[state.seat]
        return worth(turn(state), state)

    def choices(self, state: State) -> Sequence[tuple[Action, float]]:
        # Sorting is stable, so the first of equal actions is the one that a grandmaster takes.
        return sorted(values(state), key=itemgetter(1), reverse=True)

    def usual(self, state: State) -> Action:
        if state.phase is Phase.BOARD:
            # No board is usual, so that choosing one is never praised.
            return self.choices(state)[0][0]
        return self._usual.choose(state, Random(0))

    def ended(self, before: State, after: State) -> float:
        return after_roll(turn(before), before, after)
