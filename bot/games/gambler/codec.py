"""Gambler's values <-> JSON. Actions and outcomes are written as docs/game-record.md describes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bot.games.codec import at_schema, dumps, fields, integer, integers, member
from bot.games.core import GameError, Json, Unreadable
from bot.games.dice import FACES, dice_from_json
from bot.games.gambler.boards import BOARD_IDS, BOARDS, ROWS
from bot.games.gambler.fitting import accepts, placements
from bot.games.gambler.state import (
    DICE_A_TURN,
    MAX_SEATS,
    MIN_SEATS,
    ROLL_DICE,
    STOP,
    Action,
    Options,
    Outcome,
    Phase,
    Place,
    Roll,
    RollDice,
    State,
    Turn,
    dice_in_play,
)

SCHEMA = 1
"""Number of the state's form in the database; raise it and add an upcaster when the form changes."""

UPCASTERS: Mapping[int, Callable[[dict[str, Json]], dict[str, Json]]] = {}


def action_to_json(action: Action) -> dict[str, Json]:
    if isinstance(action, Place):
        return {"type": "place", "row": action.row, "die": action.die}
    return {"type": "roll" if isinstance(action, RollDice) else "stop"}


def action_from_json(raw: Json) -> Action:
    match raw:
        case {"type": "roll", **rest} if not rest:
            return ROLL_DICE
        case {"type": "stop", **rest} if not rest:
            return STOP
        case {"type": "place", "row": row, "die": die, **rest} if not rest:
            if integer(row) not in range(ROWS) or integer(die) not in FACES:
                raise Unreadable("error-unreadable")
            return Place(row, die)
        case _:
            raise Unreadable("error-unreadable")


def outcome_to_json(outcome: Outcome) -> dict[str, Json]:
    if isinstance(outcome, Turn):
        return {"board": outcome.board}
    return {"dice": list(outcome.dice)}


def outcome_from_json(raw: Json) -> Outcome:
    match raw:
        case {"board": board, **rest} if not rest:
            return Turn(_board(board))
        case {"dice": dice, **rest} if not rest:
            return Roll(dice_from_json(dice, DICE_A_TURN))
        case _:
            raise Unreadable("error-unreadable")


def state_to_json(state: State) -> dict[str, Json]:
    return {
        "schema": SCHEMA,
        "options": state.options.to_json(),
        "scores": list(state.scores),
        "dice": list(state.dice),
        "left": list(state.left),
        "pile": list(state.pile),
        "board": state.board,
        "rows": [list(row) for row in state.rows],
        "number": state.number,
        "seat": state.seat,
        "phase": state.phase.value,
        "hand": state.hand,
        "roll": list(state.roll),
        "rolls": state.rolls,
        "placed": state.placed,
        "gained": state.gained,
        "finished": state.finished,
        "reason": state.reason,
        "winners": list(state.winners),
    }


def state_from_json(raw: Json, options: Callable[[Mapping[str, Json]], Options]) -> State:
    """Raises :class:`Unreadable` for anything that :func:`state_to_json` could not have written."""
    given = fields(at_schema(raw, SCHEMA, UPCASTERS), state_to_json(_EXAMPLE))
    try:
        parsed = options(given["options"])
    except (GameError, AttributeError, TypeError) as error:
        raise Unreadable("error-unreadable") from error
    state = State(
        options=parsed,
        scores=integers(given["scores"]),
        dice=integers(given["dice"]),
        left=integers(given["left"]),
        pile=tuple(_board(board) for board in _list(given["pile"])),
        board=_board(given["board"]) if given["board"] else _text(given["board"]),
        rows=tuple(integers(row) for row in _list(given["rows"])),
        number=integer(given["number"]),
        seat=integer(given["seat"]),
        phase=member(Phase, given["phase"]),
        hand=integer(given["hand"]),
        roll=dice_from_json(given["roll"], DICE_A_TURN),
        rolls=integer(given["rolls"]),
        placed=integer(given["placed"]),
        gained=integer(given["gained"]),
        finished=integer(given["finished"]),
        reason=_text(given["reason"]),
        winners=integers(given["winners"]),
    )
    # Written again it must be what was read, or something was quietly mended: dice unsorted, options added.
    if dumps(state_to_json(state)) != dumps(given) or not _sound(state):
        raise Unreadable("error-unreadable")
    return state


def _sound(state: State) -> bool:
    """Whether the parts of a position fit together, so that the rules can go on from it."""
    seats, present = range(len(state.scores)), len(state.scores) - len(state.left)
    return (
        MIN_SEATS <= len(seats) <= MAX_SEATS
        and all(score >= 0 for score in state.scores)
        and state.seat in seats
        and _ascending(state.left, seats)
        and _ascending(state.winners, seats)
        and _ascending(tuple(map(BOARD_IDS.index, state.pile)), range(len(BOARD_IDS)))
        and (state.phase is Phase.OVER or (present > 1 and state.seat not in state.left))
        and bool(state.winners) == (state.phase is Phase.OVER)
        and len(state.dice) == len(seats)
        and all(number >= 0 for number in state.dice)
        and not any(state.dice[seat] for seat in state.left)
        and len(state.rows) == ROWS
        and (_open_sound(state) if state.board else not any(state.rows) and not any(state.dice))
        and _turn_sound(state)
    )


def _open_sound(state: State) -> bool:
    """The dice on the open board lie where they may, and no die is missing."""
    board, on_board = BOARDS[state.board], sum(map(len, state.rows))
    return (
        on_board + sum(state.dice) in dice_in_play(len(state.scores))
        and (on_board == board.boxes) <= (state.phase in (Phase.BOARD, Phase.OVER))
        and all(
            len(placed) <= len(row.boxes)
            and all(die in accepts(row, placed[:box]) for box, die in enumerate(placed))
            for row, placed in zip(board.rows, state.rows, strict=True)
        )
    )


def _turn_sound(state: State) -> bool:
    """What is known of the turn goes with its phase."""
    dice = state.dice[state.seat]
    match state.phase:
        case Phase.ROLL:
            return (
                bool(state.board)
                and 0 < state.hand <= min(dice, DICE_A_TURN - state.rolls)
                and state.rolls >= 0
                and not state.roll
                and not state.placed
            )
        case Phase.PLACE:
            # Each roll but this one has left at least one die on the board.
            return (
                bool(state.board)
                and 0
                < len(state.roll)
                == state.hand
                <= min(dice, DICE_A_TURN - state.placed - state.rolls + 1)
                and state.rolls > 0
                and state.placed >= 0
                and bool(state.placed or placements(state))
            )
        case _:
            idle = not (state.hand or state.roll or state.rolls or state.placed or state.gained)
            return idle and (state.phase is not Phase.START or (bool(state.board) and dice > 0))


def _ascending(numbers: tuple[int, ...], among: range) -> bool:
    return all(number in among for number in numbers) and list(numbers) == sorted(set(numbers))


def _board(raw: Json) -> str:
    if not isinstance(raw, str) or raw not in BOARDS:
        raise Unreadable("error-unreadable")
    return raw


def _list(raw: Json) -> list[Json]:
    if not isinstance(raw, list):
        raise Unreadable("error-unreadable")
    return raw


def _text(raw: Json) -> str:
    if not isinstance(raw, str):
        raise Unreadable("error-unreadable")
    return raw


_EXAMPLE = State(Options(), scores=(0, 0), dice=(0, 0))
