"""The values of a game of Gambler: options, state, actions, outcomes, events."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Annotated

from bot.games.base import GameState
from bot.games.core import Leave
from bot.games.dice import FACES, Dice, dice_from_json
from bot.games.gambler.boards import BOARD_IDS, BOARDS, ROWS, Board
from bot.games.json_forms import ReadBy, one_of
from bot.games.options import GameOptions, choice, flag, number

MIN_SEATS, MAX_SEATS = 2, 6
NUMBER_OF_DICE = 30
DICE_A_TURN = 5
MAX_ROLLS = 5
"""The first roll of a turn, and up to four more (sheet)."""
START_POINTS = 80


def dice_each(seats: int) -> int:
    """Return how many dice each seat gets. With four seats, two dice stay unused (sheet).

    >>> [dice_each(seats) for seats in (2, 3, 4, 5, 6)]
    [15, 10, 7, 6, 5]
    """
    return NUMBER_OF_DICE // seats


def dice_in_play(seats: int) -> frozenset[int]:
    """Return the possible numbers of dice on the board and with the seats, if ``seats`` began the game.

    >>> sorted(dice_in_play(3)), sorted(dice_in_play(6))
    ([30], [28, 30])
    """
    return frozenset(present * dice_each(present) for present in range(MIN_SEATS, seats + 1))


class Stars(StrEnum):
    """Whether star rows of a board may show the same value."""

    INDEPENDENT = "independent"  # every row stands alone (sheet, de)
    DISTINCT = "distinct"  # no two star rows show the same value (sheet, fr)


@dataclass(frozen=True, slots=True)
class Options(GameOptions):
    """How star rows relate, how many points to reach, and how the boards come up.

    With ``beginners``, :data:`~bot.games.gambler.boards.MARKED` is the first board. With ``choose``, the seat
    that begins a round chooses its board, instead of chance.
    """

    stars: Stars = choice(Stars.INDEPENDENT, Stars.DISTINCT, setting="gambler_stars")
    target: int = number(500, least=300, most=1000, step=50, setting="gambler_target")
    beginners: bool = flag(False, added=True)
    choose: bool = flag(False, setting="gambler_choose", added=True)


class Phase(StrEnum):
    """What happens next."""

    BOARD = "board"  # chance turns the next board, or the seat that begins chooses it
    START = "start"  # the seat rolls for the first time in its turn
    ROLL = "roll"  # chance rolls the turn's dice that are not on the board
    PLACE = "place"  # the seat places a die, rolls again or stops
    OVER = "over"


NO_ROWS: tuple[tuple[int, ...], ...] = ((),) * ROWS


TurnDice = Annotated[Dice, ReadBy(partial(dice_from_json, most=DICE_A_TURN))]
BoardId = Annotated[str, ReadBy(one_of(BOARD_IDS))]
Face = Annotated[int, ReadBy(one_of(FACES))]
RowNumber = Annotated[int, ReadBy(one_of(range(ROWS)))]


@dataclass(frozen=True)
class State(GameState):
    """A position.

    ``rows`` are the dice on the board, row by row from left to right. ``dice`` are the numbers of dice of
    each seat that are not on the board, including those in hand. ``board`` is the id of the open board, ""
    before the first one; ``pile`` has the ids left to draw before a new shuffle; ``number`` counts rounds.

    About the turn: ``hand`` is the number of dice in play that are not on the board, ``roll`` what they show.
    ``rolls`` counts the rolls, ``placed`` the dice of this roll that were placed, ``gained`` the points won
    (or lost) so far.
    """

    options: Options
    dice: tuple[int, ...] = ()
    pile: tuple[BoardId, ...] = BOARD_IDS
    board: Annotated[str, ReadBy(one_of(("", *BOARD_IDS)))] = ""
    rows: tuple[tuple[int, ...], ...] = NO_ROWS
    number: int = 0
    phase: Phase = Phase.BOARD
    hand: int = 0
    roll: TurnDice = ()
    rolls: int = 0
    placed: int = 0
    gained: int = 0


def board_of(state: State) -> Board:
    """Return the open board. Before the first outcome of a game there is none."""
    return BOARDS[state.board]


def dice_to_roll(state: State) -> int:
    """Return the number of dice in the seat's next roll."""
    return min(DICE_A_TURN, state.dice[state.seat]) if state.phase is Phase.START else state.hand


# Actions of a seat.


@dataclass(frozen=True, slots=True)
class Choose:
    """Open this board of the pile, and begin the round on it."""

    board: BoardId


@dataclass(frozen=True, slots=True)
class RollDice:
    """Begin the turn with a roll, or roll all dice in hand again."""


@dataclass(frozen=True, slots=True)
class Place:
    """Put one die of the roll into the next box of a row. ``row`` counts from 0 at the top."""

    row: RowNumber
    die: Face


@dataclass(frozen=True, slots=True)
class Stop:
    """End the turn; the unplaced dice go back to the reserve."""


Action = Choose | RollDice | Place | Stop
ROLL_DICE = RollDice()
STOP = Stop()


# Outcomes of chance.


@dataclass(frozen=True, slots=True)
class Turn:
    """The board that is drawn, by id."""

    board: BoardId


@dataclass(frozen=True, slots=True)
class Roll:
    """The faces the dice show, ascending."""

    dice: TurnDice


Outcome = Turn | Roll
Move = Action | Outcome | Leave


class End(StrEnum):
    """Why a turn ended."""

    NO_FIT = "no_fit"  # no die of the roll fits
    STOPPED = "stopped"  # the seat stopped
    ALL_PLACED = "all_placed"  # every die of the turn is on the board
    BOARD_FULL = "board_full"  # the last box was filled


# Events.


@dataclass(frozen=True, slots=True)
class BoardTurned:
    """A round began."""

    board: str
    number: int  # of the round, from 1
    seat: int  # which begins
    dice: tuple[int, ...]  # of each seat
    reshuffled: bool  # all boards had been played and were shuffled again


@dataclass(frozen=True, slots=True)
class Rolled:
    seat: int
    dice: Dice
    number: int  # of the roll in this turn, from 1


@dataclass(frozen=True, slots=True)
class Placed:
    seat: int
    row: int
    box: int  # from 0 at the left
    die: int
    forced: bool  # it was the only legal placement, so it was made without asking


@dataclass(frozen=True, slots=True)
class RowCompleted:
    seat: int
    row: int
    value: int  # on the board; negative for a black row
    points: int  # that the seat got; negative if it paid
    score: int


@dataclass(frozen=True, slots=True)
class TurnEnded:
    seat: int
    how: End
    points: int  # won in the whole turn; negative if more was paid
    dice: int  # that the seat has left for this round


@dataclass(frozen=True, slots=True)
class RanOut:
    """The seat has no dice left, and is out for the rest of the round."""

    seat: int


@dataclass(frozen=True, slots=True)
class RoundEnded:
    """The last box of the board was filled."""

    seat: int  # who filled it
    board: str
    number: int
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SeatLeft:
    seat: int
    given: tuple[int, ...]  # its dice that went to each seat


Event = BoardTurned | Rolled | Placed | RowCompleted | TurnEnded | RanOut | RoundEnded | SeatLeft
