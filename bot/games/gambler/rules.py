"""The rules of Gambler as a :class:`~bot.games.core.Game`.

The source of a rule is named as "sheet" (both languages agree), "sheet, de" or "sheet, fr", or "settled" (the
sheet leaves it open; docs/rules.md lists these rules).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, TypeVar

from bot.games.base import BaseGame, best_seats
from bot.games.core import (
    CHANCE,
    OVER,
    Applied,
    IllegalMove,
    Leave,
    Outcomes,
    SeatStats,
    check_seats,
    leave_or_raise,
    legal_or_raise,
    next_seat,
)
from bot.games.dice import minus, rolls
from bot.games.gambler.boards import BOARD_IDS, MARKED
from bot.games.gambler.fitting import may_go_on, placements
from bot.games.gambler.soundness import sound
from bot.games.gambler.state import (
    DICE_A_TURN,
    MAX_SEATS,
    MIN_SEATS,
    NO_ROWS,
    ROLL_DICE,
    START_POINTS,
    STOP,
    Action,
    BoardTurned,
    Choose,
    End,
    Event,
    Move,
    Options,
    Outcome,
    Phase,
    Place,
    Placed,
    RanOut,
    Roll,
    RollDice,
    Rolled,
    RoundEnded,
    RowCompleted,
    SeatLeft,
    State,
    Stop,
    Turn,
    TurnEnded,
    board_of,
    dice_each,
    dice_to_roll,
)
from bot.games.values import replace

Moved = tuple[State, list[Event]]
"""The result of a move: the next state, and the events."""
T = TypeVar("T")


class Gambler(BaseGame[State, Action, Outcome]):
    """Gambler for 2 to 6 seats, with independent or distinct star rows."""

    key: ClassVar[str] = "gambler"
    rules_version: ClassVar[int] = 1
    min_seats: ClassVar[int] = MIN_SEATS
    max_seats: ClassVar[int] = MAX_SEATS
    endings = ("target", "left")
    options_type = Options
    state_type = State
    action_types: ClassVar[Mapping[str, type]] = {
        "board": Choose,
        "roll": RollDice,
        "place": Place,
        "stop": Stop,
    }
    outcome_types = (Turn, Roll)

    def initial(self, options: Options, seats: int) -> State:
        check_seats(self, seats)
        return State(options, scores=(START_POINTS,) * seats, dice=(0,) * seats)

    def to_move(self, state: State) -> int:
        if state.phase is Phase.OVER:
            return OVER
        by_chance = state.phase is Phase.ROLL or (state.phase is Phase.BOARD and not seat_chooses(state))
        return CHANCE if by_chance else state.seat

    def legal(self, state: State) -> tuple[Action, ...]:
        if state.phase is Phase.START:
            return (ROLL_DICE,)
        if state.phase is Phase.BOARD:
            return tuple(_CHOICES[board] for board in pile(state)) if seat_chooses(state) else ()
        places = placements(state)
        return (*places, ROLL_DICE, STOP) if may_go_on(state) else places

    def chance(self, state: State) -> Sequence[tuple[Outcome, int]]:
        if state.phase is Phase.BOARD:
            return () if seat_chooses(state) else tuple((_TURNS[board], 1) for board in _on_top(state))
        return _ROLLS[state.hand] if state.phase is Phase.ROLL else ()

    def apply(self, state: State, move: Move) -> Applied[State]:
        match move:
            case Leave():
                leave_or_raise(self, state, move)
                after, events = _leave(state, move.seat)
            case Turn() if (move, 1) in self.chance(state):
                after, events = _turned(state, move.board)
            case Roll() if state.phase is Phase.ROLL and move in _ROLL_SETS[state.hand]:
                after, events = _rolled(state, move)
            case Choose() | RollDice() | Place() | Stop():
                legal_or_raise(self, state, move)
                after, events = _act(state, move)
            case _:
                raise IllegalMove("error-illegal-move")
        return Applied(after, tuple(events))

    def stats(self, events: Sequence[Event], seats: int) -> tuple[SeatStats, ...]:
        """Count statistics. The feats are ``rows`` completed, of either colour, and ``rounds`` ended by
        filling the last box."""
        turns, best, rows, rounds = ([0] * seats for _ in range(4))
        for event in events:
            match event:
                case TurnEnded(seat=seat, points=points):
                    turns[seat] += 1
                    best[seat] = max(best[seat], points)
                case RowCompleted(seat=seat):
                    rows[seat] += 1
                case RoundEnded(seat=seat):
                    rounds[seat] += 1
                case _:
                    pass
        return tuple(
            SeatStats(turns[seat], best[seat], {"rows": rows[seat], "rounds": rounds[seat]})
            for seat in range(seats)
        )

    def sound(self, state: State) -> bool:
        return sound(state)


_TURNS = {board: Turn(board) for board in BOARD_IDS}
_CHOICES = {board: Choose(board) for board in BOARD_IDS}
_ROLLS = {
    number: Outcomes((Roll(dice), weight) for dice, weight in rolls(number))
    for number in range(1, DICE_A_TURN + 1)
}
_ROLL_SETS = {number: frozenset(roll for roll, _ in outcomes) for number, outcomes in _ROLLS.items()}


def pile(state: State) -> tuple[str, ...]:
    """Return the boards to draw the next one from: all of them again once all were played (settled)."""
    return state.pile or BOARD_IDS


def seat_chooses(state: State) -> bool:
    """Return whether the seat that begins the round chooses its board (sheet, fr: the pile is in any order
    you like). A marked board lies on top for the first round (sheet)."""
    return state.options.choose and not _marked_on_top(state)


def _marked_on_top(state: State) -> bool:
    return state.options.beginners and not state.number


def _on_top(state: State) -> tuple[str, ...]:
    """Return the boards of which chance turns one."""
    return (MARKED,) if _marked_on_top(state) else pile(state)


def _turned(state: State, board: str) -> Moved:
    """Begin a round: open the board, and share the dice among the seats that are still in the game."""
    seats = len(state.scores)
    share = dice_each(seats - len(state.left))
    dice = tuple(0 if seat in state.left else share for seat in range(seats))
    number = state.number + 1
    event = BoardTurned(board, number, state.seat, dice, reshuffled=not state.pile)
    return (
        replace(
            state,
            pile=tuple(other for other in pile(state) if other != board),
            board=board,
            rows=NO_ROWS,
            dice=dice,
            number=number,
            phase=Phase.START,
        ),
        [event],
    )


def _act(state: State, action: Action) -> Moved:
    if isinstance(action, Place):
        return _place(state, action, [], forced=False)
    if isinstance(action, Choose):
        return _turned(state, action.board)
    if isinstance(action, Stop):
        return _end_turn(state, End.STOPPED, [])
    return replace(state, phase=Phase.ROLL, hand=dice_to_roll(state), roll=(), placed=0), []


def _rolled(state: State, roll: Roll) -> Moved:
    rolls_made = state.rolls + 1
    events: list[Event] = [Rolled(state.seat, roll.dice, rolls_made)]
    state = replace(state, phase=Phase.PLACE, roll=roll.dice, rolls=rolls_made)
    choices = placements(state)
    if not choices:
        return _end_turn(state, End.NO_FIT, events)
    if len(choices) == 1:
        # One die must be placed (sheet) and there is only one way, so nothing to decide.
        return _place(state, choices[0], events, forced=True)
    return state, events


def _place(state: State, place: Place, events: list[Event], *, forced: bool) -> Moved:
    """Put a die on the board. Pay if this completes its row, and end the turn if nothing is left to do."""
    seat, row = state.seat, place.row
    box = len(state.rows[row])
    state = replace(
        state,
        rows=_set(state.rows, row, (*state.rows[row], place.die)),
        dice=_set(state.dice, seat, state.dice[seat] - 1),
        hand=state.hand - 1,
        roll=minus(state.roll, (place.die,)),
        placed=state.placed + 1,
    )
    events.append(Placed(seat, row, box, place.die, forced))
    board = board_of(state)
    if box + 1 == len(board.rows[row].boxes):
        state = _pay(state, row, events)
        if sum(map(len, state.rows)) == board.boxes:
            return _end_turn(state, End.BOARD_FULL, events)
    if state.hand == 0:
        return _end_turn(state, End.ALL_PLACED, events)
    return state, events


def _pay(state: State, row: int, events: list[Event]) -> State:
    """Pay for a completed row: the bank pays for a yellow one, the seat for a black one, at most all it has
    (sheet)."""
    seat, value = state.seat, board_of(state).rows[row].points
    points = max(value, -state.scores[seat])
    scores = _set(state.scores, seat, state.scores[seat] + points)
    events.append(RowCompleted(seat, row, value, points, scores[seat]))
    return replace(state, scores=scores, gained=state.gained + points)


def _end_turn(state: State, how: End, events: list[Event]) -> Moved:
    """End the turn: end the round, or pass the turn to the next seat that has dice."""
    seat = state.seat
    events.append(TurnEnded(seat, how, state.gained, state.dice[seat]))
    state = replace(state, finished=state.finished + 1)
    if how is End.BOARD_FULL:
        return _end_round(state, events)
    if not state.dice[seat]:
        events.append(RanOut(seat))
    return _pass_on(state), events


def _pass_on(state: State) -> State:
    """Pass the turn to the next seat that has dice; seats without dice are skipped (sheet).

    While the board is not full, some seat has dice: there are at least as many dice, with the seats and on
    the board, as the board has boxes, even after seats have left.
    """
    out = tuple(seat for seat, dice in enumerate(state.dice) if not dice)
    return _without_turn(replace(state, seat=next_seat(len(state.scores), out, state.seat)), Phase.START)


def _end_round(state: State, events: list[Event]) -> Moved:
    """End a round: the highest score wins if it has reached the target, else a new round begins (sheet)."""
    events.append(RoundEnded(state.seat, state.board, state.number, state.scores))
    winners = best_seats(state)
    if state.scores[winners[0]] >= state.options.target:
        return _over(state, "target", winners), events
    following = next_seat(len(state.scores), state.left, state.seat)
    return _without_turn(replace(state, seat=following), Phase.BOARD), events


def _without_turn(state: State, phase: Phase) -> State:
    return replace(state, phase=phase, hand=0, roll=(), rolls=0, placed=0, gained=0)


def _over(state: State, reason: str, winners: tuple[int, ...]) -> State:
    return _without_turn(replace(state, reason=reason, winners=winners), Phase.OVER)


def _leave(state: State, seat: int) -> Moved:
    """Remove a seat, which keeps its points but can't win (settled).

    Its dice that are not on the board go one by one to the others, beginning at its left (settled), so that
    there are always enough to fill the board. From the next round on, fewer seats share all dice.
    """
    own_turn = seat == state.seat
    begun = own_turn and state.phase in (Phase.ROLL, Phase.PLACE)
    left = tuple(sorted((*state.left, seat)))
    given = [0] * len(state.scores)
    taker = seat
    for _ in range(state.dice[seat]):
        taker = next_seat(len(state.scores), left, taker)
        given[taker] += 1
    dice = tuple(had + more for had, more in zip(state.dice, given, strict=True))
    events: list[Event] = [SeatLeft(seat, tuple(given))]
    state = replace(state, left=left, dice=_set(dice, seat, 0), finished=state.finished + begun)
    stay = tuple(other for other in range(len(state.scores)) if other not in left)
    if len(stay) == 1:
        return _over(state, "left", stay), events
    if not own_turn:
        return state, events
    if state.phase is Phase.BOARD:
        return replace(state, seat=next_seat(len(state.scores), left, seat)), events
    return _pass_on(state), events


def _set(values: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    return (*values[:index], value, *values[index + 1 :])
