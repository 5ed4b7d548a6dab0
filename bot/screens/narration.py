"""The narration of turns: each piece is added to the line of its turn."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from bot.i18n.say import Line, Say, say

MAX_PIECES = 16
"""The limit of pieces per turn; older ones are replaced by a gap."""


def tell(
    lines: Sequence[Line],
    seat: int,
    pieces: Sequence[Say],
    endings: Collection[str],
    *,
    in_passing: bool = False,
) -> tuple[Line, ...]:
    """Return ``lines`` with ``pieces`` added to the line of the seat's turn, or to a new one if it begins.

    A piece whose key is in ``endings`` ends a turn. Pieces told ``in_passing`` are added to the last line,
    even if that belongs to another seat.
    """
    told = list(lines)
    same_turn = (
        bool(told) and told[-1].seat == seat and not any(piece.key in endings for piece in told[-1].pieces)
    )
    if not told or not (in_passing or same_turn):
        told.append(Line(seat, ()))
    whole = (*told[-1].pieces, *pieces)
    if len(whole) > MAX_PIECES:
        whole = (whole[0], say("story-gap"), *whole[3 - MAX_PIECES :])
    told[-1] = Line(told[-1].seat, whole)
    return tuple(told)
