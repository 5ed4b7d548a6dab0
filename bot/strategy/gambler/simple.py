"""The AI players that don't look ahead: beginner and casual."""

from __future__ import annotations

from random import Random

from bot.games.dice import Dice, minus
from bot.games.gambler.boards import Row
from bot.games.gambler.fitting import accepts
from bot.games.gambler.rules import Gambler
from bot.games.gambler.state import ROLL_DICE, STOP, Action, Phase, Place, State, board_of

RULES = Gambler()


class Beginner:
    """Completes a yellow row if one die does it. Otherwise it places only the die it must, anywhere.

    It avoids completing black rows, and rolls again as long as it has two dice or more.
    """

    def choose(self, state: State, rng: Random) -> Action:
        legal = RULES.legal(state)
        places = [action for action in legal if isinstance(action, Place)]
        filling = [action for action in places if missing(state, action.row) == 1]
        paying = [action for action in filling if not row_of(state, action).black]
        if paying:
            return max(paying, key=lambda action: row_of(state, action).value)
        if STOP not in legal:
            return rng.choice([action for action in places if action not in filling] or places or legal)
        return ROLL_DICE if state.hand > 1 else STOP


class Casual:
    """Completes every yellow row that the roll allows, and helps the other players as little as possible.

    It places a die that it must place in a black row that this does not complete, or else in the row with the
    least value per open box. It rolls again while a yellow row has one or two open boxes and it has two dice
    or more.
    """

    def choose(self, state: State, rng: Random) -> Action:
        legal = RULES.legal(state)
        if state.phase is Phase.BOARD:
            return rng.choice(legal)
        places = [action for action in legal if isinstance(action, Place)]
        filling = [action for action in places if self._fills(state, action)]
        if filling:
            return max(filling, key=lambda action: (row_of(state, action).value, -missing(state, action.row)))
        if STOP not in legal:
            return min(places, key=lambda action: _help(state, action)) if places else ROLL_DICE
        near = any(
            not row.black and 0 < len(row.boxes) - len(placed) <= NEAR
            for row, placed in zip(board_of(state).rows, state.rows, strict=True)
        )
        return ROLL_DICE if near and state.hand > 1 else STOP

    @staticmethod
    def _fills(state: State, action: Place) -> bool:
        """Return whether ``action``, with more dice of this roll, completes a yellow row."""
        row = row_of(state, action)
        placed = (*state.rows[action.row], action.die)
        rest = minus(state.roll, (action.die,))
        return not row.black and most_placeable(row, placed, rest) == len(row.boxes) - len(placed)


NEAR = 2
"""The casual player tries to complete rows with at most this many open boxes."""


def _help(state: State, action: Place) -> float:
    """Return how much a placement helps the next player, as points per open box."""
    row, rest = row_of(state, action), missing(state, action.row) - 1
    if row.black:
        return 0.0 if rest else float("inf")
    return row.value / rest


def row_of(state: State, action: Place) -> Row:
    return board_of(state).rows[action.row]


def missing(state: State, row: int) -> int:
    """Return how many boxes of a row are open."""
    return len(board_of(state).rows[row].boxes) - len(state.rows[row])


def most_placeable(row: Row, placed: tuple[int, ...], dice: Dice) -> int:
    """Return how many of ``dice``, all of one roll, fit at most in ``row`` after ``placed``."""
    return max(
        (
            1 + most_placeable(row, (*placed, face), minus(dice, (face,)))
            for face in accepts(row, placed)
            if face in dice
        ),
        default=0,
    )
