"""Which dice fit in which rows."""

from __future__ import annotations

from bot.games.dice import FACES
from bot.games.gambler.boards import MAX_FREE_ROWS, ROWS, TRIPLE, Board, Kind, Row
from bot.games.gambler.state import DICE_A_TURN, Phase, Place, Stars, State, board_of

Faces = tuple[int, ...]
"""Some faces in ascending order."""

MAX_PLACEMENTS = MAX_FREE_ROWS * DICE_A_TURN + (ROWS - MAX_FREE_ROWS)
"""The limit of ways to place a die of one roll: a free row takes any face that the five dice show, any other
row takes one face."""


def accepts(row: Row, placed: tuple[int, ...], taken: tuple[int, ...] = ()) -> Faces:
    """Return the faces that fit in the next box of ``row`` after the dice ``placed``; none if it is full.

    An empty star row may not begin with one of the values in ``taken``.

    >>> stars = Row(Kind.STARS, (0, 0), 30)
    >>> accepts(stars, (), taken=(4,)), accepts(stars, (5,)), accepts(stars, (5, 5))
    ((1, 2, 3, 5, 6), (5,), ())
    """
    at = len(placed)
    if at == len(row.boxes):
        return ()
    match row.kind:
        case Kind.NUMBERS:
            return (row.boxes[at],)
        case Kind.STARS:
            return (placed[0],) if placed else tuple(face for face in FACES if face not in taken)
        case Kind.FULL_HOUSE:
            if at == TRIPLE:
                return tuple(face for face in FACES if face != placed[0])
            return (placed[-1],) if placed else FACES


def fits_board(board: Board, rows: tuple[tuple[int, ...], ...], stars: Stars) -> tuple[Faces, ...]:
    """Return, for each row of ``board``, the faces that fit in its next box. ``rows`` are the dice on it.

    With :attr:`Stars.DISTINCT`, an empty star row takes no value that another star row shows. A full house is
    not a star row; its two values always differ (sheet, fr).
    """
    taken: tuple[int, ...] = ()
    if stars is Stars.DISTINCT:
        taken = tuple(
            placed[0]
            for row, placed in zip(board.rows, rows, strict=True)
            if placed and row.kind is Kind.STARS
        )
    return tuple(accepts(row, placed, taken) for row, placed in zip(board.rows, rows, strict=True))


def fits(state: State) -> tuple[Faces, ...]:
    """Return, for each row of the open board, the faces that fit in its next box; none for a full row."""
    return fits_board(board_of(state), state.rows, state.options.stars)


def placements(state: State) -> tuple[Place, ...]:
    """Return all ways to place one die of the roll, by row and die."""
    if state.phase is not Phase.PLACE:
        return ()
    return tuple(
        Place(row, die) for row, faces in enumerate(fits(state)) for die in faces if die in state.roll
    )


def may_go_on(state: State) -> bool:
    """Return whether the seat may roll again or stop, because it has placed a die of this roll.

    The limit of five rolls needs no check: at least one of five dice is placed after each roll, which leaves
    one die for the fifth roll and none for a sixth.
    """
    return state.phase is Phase.PLACE and state.placed > 0
