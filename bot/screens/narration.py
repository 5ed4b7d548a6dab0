"""How turns are told: pieces are added to the line of the turn they belong to."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from bot.i18n.say import Line, Say, say

MAX_PIECES = 16
"""The most pieces told of one turn; older ones give way to a gap."""


def tell(
    lines: Sequence[Line],
    seat: int,
    pieces: Sequence[Say],
    endings: Collection[str],
    *,
    in_passing: bool = False,
) -> tuple[Line, ...]:
    """Add ``pieces`` about ``seat`` to its turn's line, or to a new one if its turn begins.

    A turn is over once a piece whose key is in ``endings`` has been told. Pieces told ``in_passing``
    belong to the turn that is being told, whoever they are about.
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
