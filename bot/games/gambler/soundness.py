"""Checks that a position of Gambler from the database is one that the rules can have led to."""

from __future__ import annotations

from bot.games.gambler.boards import BOARD_IDS, BOARDS, ROWS
from bot.games.gambler.fitting import accepts, placements
from bot.games.gambler.state import DICE_A_TURN, Phase, State, dice_in_play


def sound(state: State) -> bool:
    """Return whether boards, dice and turn are consistent, so that the rules can go on."""
    seats, pile = len(state.scores), [BOARD_IDS.index(board) for board in state.pile]
    return (
        all(score >= 0 for score in state.scores)
        and pile == sorted(set(pile))
        and len(state.dice) == seats
        and all(number >= 0 for number in state.dice)
        and not any(state.dice[seat] for seat in state.left)
        and len(state.rows) == ROWS
        and (_open_sound(state) if state.board else not any(state.rows) and not any(state.dice))
        and _turn_sound(state)
    )


def _open_sound(state: State) -> bool:
    """Return whether all dice on the open board fit, and no die is missing."""
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
    """Return whether the fields about the turn are consistent with its phase."""
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
