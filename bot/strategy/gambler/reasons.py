"""Why a decision in Gambler was costly, in terms that a person can use the next time."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bot.games.dice import minus
from bot.games.gambler.boards import Row
from bot.games.gambler.state import DICE_A_TURN, Choose, Place, RollDice, State, Stop, board_of
from bot.strategy.gambler.appraiser import Decision
from bot.strategy.gambler.chances import chance_alone
from bot.strategy.gambler.odds import row_chance
from bot.strategy.gambler.simple import most_placeable, row_of
from bot.strategy.gambler.winning import rival

HELPFUL = 0.1
"""A die helps the rival if its chance to complete the row in its next turn rises by this."""


class Habit(StrEnum):
    """What is wrong with a decision; ``habit-<value>`` names it, ``why-<value>`` explains a single one."""

    BOARD = "gambler-board"
    """Chose another board to begin on."""
    AHEAD = "gambler-ahead"
    """Rolled again although ahead on the last board."""
    ROLLED = "gambler-rolled"
    """Rolled again where ending the turn was better."""
    BEHIND = "gambler-behind"
    """Ended the turn although behind on the last board."""
    ENDED = "gambler-ended"
    """Ended the turn where rolling again was better."""
    MISSED = "gambler-missed"
    """Did not fill a yellow row that this roll fills."""
    COSTS = "gambler-costs"
    """Placed a die in a black row without need."""
    HELPED = "gambler-helped"
    """Placed a die where the rival can fill the row next."""
    PLACED = "gambler-placed"
    """Placed a die that was worth more in hand."""
    KEPT = "gambler-kept"
    """Kept a die in hand that was worth more on the board."""
    PARKED = "gambler-parked"
    """Did not place a die in a black row, where it would have helped nobody."""
    ROW = "gambler-row"
    """Placed a die where another place or another die was better."""


_OF_THE_BEST = frozenset({Habit.MISSED, Habit.KEPT, Habit.PARKED, Habit.ROW})
"""What is explained with the row of the best choice, and not with that of the one played."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why the best choice is better than the one played.

    ``row`` is the index of the row that this is about, or None, ``value`` its value on the board, and
    ``missing`` how many dice it still needs after the best choice. ``chance`` is the chance that matters: of
    the rival to fill it in its next turn, or of the seat to do so in this one. ``lead`` is how far ahead of
    the rival the seat is in points; negative if it is behind.
    """

    habit: Habit
    row: int | None
    value: int
    missing: int
    chance: float
    lead: int


def reason(decision: Decision) -> Reason:
    """Return why a decision that cost something did. This may take tens of milliseconds."""
    state, found = decision.position, habit(decision)
    chance, row = 0.0, None
    if found is Habit.ENDED:
        chances = {at: row_chance(state, at) for at in _open_yellow_rows(state)}
        row = max(chances, key=chances.__getitem__, default=None)
        chance = chances.get(row, 0.0) if row is not None else 0.0
    elif isinstance(decision.best, Place) and found in _OF_THE_BEST:
        row = decision.best.row
    elif isinstance(decision.played, Place):
        row, chance = decision.played.row, _rivals_chance(state, decision.played)
    value = missing = 0
    if row is not None:
        on_it = len(state.rows[row]) + isinstance(decision.best, Place)
        value, missing = board_of(state).rows[row].value, len(board_of(state).rows[row].boxes) - on_it
    return Reason(found, row, value, missing, chance, _lead(decision))


def habit(decision: Decision) -> Habit:
    """Return what is wrong with a decision that cost something."""
    match decision.played, decision.best:
        case Choose(), _:
            return Habit.BOARD
        case RollDice(), Stop():
            return Habit.AHEAD if _last_board(decision.position) and _lead(decision) > 0 else Habit.ROLLED
        case Stop(), RollDice():
            return Habit.BEHIND if _last_board(decision.position) and _lead(decision) < 0 else Habit.ENDED
        case Place() as played, best:
            return _misplaced(decision.position, played, best if isinstance(best, Place) else None)
        case _, best:
            assert isinstance(best, Place)
            return Habit.MISSED if _fills(decision.position, best) else Habit.KEPT


def _misplaced(state: State, played: Place, best: Place | None) -> Habit:
    """Return what is wrong with placing a die. ``best`` is None if it was best to place none."""
    if best is not None and _fills(state, best):
        return Habit.MISSED
    if row_of(state, played).black and (best is None or not row_of(state, best).black):
        return Habit.COSTS
    row, on_it = row_of(state, played), state.rows[played.row]
    helps = _rivals_chance(state, played) - chance_alone(row, on_it, _rivals_hand(state))
    if not row.black and helps >= HELPFUL and (best is None or best.row != played.row):
        return Habit.HELPED
    if best is None:
        return Habit.PLACED
    return Habit.PARKED if row_of(state, best).black else Habit.ROW


def _fills(state: State, place: Place) -> bool:
    """Return whether placing a die, with others of this roll, fills a yellow row."""
    row, placed = row_of(state, place), (*state.rows[place.row], place.die)
    missing = len(row.boxes) - len(placed)
    return not row.black and most_placeable(row, placed, minus(state.roll, (place.die,))) == missing


def _rivals_chance(state: State, place: Place) -> float:
    """Return the rival's chance to fill the row of a placement in its next turn."""
    row, placed = row_of(state, place), (*state.rows[place.row], place.die)
    if len(placed) == len(row.boxes):
        return 0.0
    return chance_alone(row, placed, _rivals_hand(state))


def _rivals_hand(state: State) -> int:
    return min(DICE_A_TURN, state.dice[rival(state)])


def _open_yellow_rows(state: State) -> list[int]:
    def is_open(row: Row, placed: tuple[int, ...]) -> bool:
        return not row.black and len(placed) < len(row.boxes)

    rows = zip(board_of(state).rows, state.rows, strict=True)
    return [number for number, (row, placed) in enumerate(rows) if is_open(row, placed)]


def _last_board(state: State) -> bool:
    """Return whether somebody has reached the target, so that the game ends with this board."""
    return max(state.scores) >= state.options.target


def _lead(decision: Decision) -> int:
    state = decision.position
    return state.scores[decision.seat] - state.scores[rival(state)]
