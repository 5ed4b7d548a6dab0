"""The narration of turns: each piece is added to the line of its turn."""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set

from bot.i18n.say import Line, Say, say

MAX_PIECES = 16
"""The limit of pieces per turn; older ones are replaced by a gap."""


def tell(
    lines: Sequence[Line],
    seat: int,
    pieces: Sequence[Say],
    endings: Set[str],
    headlines: Collection[str] = (),
    *,
    in_passing: bool = False,
) -> tuple[Line, ...]:
    """Return ``lines`` with ``pieces`` added to the line of the seat's turn, or to a new one if it begins.

    A piece whose key is in ``endings`` ends a turn. If a line grows too long, it loses its oldest pieces,
    except for those whose keys are in ``headlines``. Pieces told ``in_passing`` are added to the last line,
    even if that belongs to another seat.
    """
    last = lines[-1] if lines else None
    if last is None or not (in_passing or (last.seat == seat and not is_told_to_end(last, endings))):
        return (*lines, Line(seat, _shortened(tuple(pieces), headlines)))
    return (*lines[:-1], Line(last.seat, _shortened((*last.pieces, *pieces), headlines)))


def is_told_to_end(line: Line, endings: Set[str]) -> bool:
    """Return whether a line tells of a finished turn: by a piece whose key is in ``endings``."""
    return not endings.isdisjoint([piece.key for piece in line.pieces])


def noted(lines: Sequence[Line], seat: int, piece: Say) -> tuple[Line, ...]:
    """Return ``lines`` with ``piece`` at the beginning of the latest line of the seat, unless it is there."""
    for at in range(len(lines) - 1, -1, -1):
        if lines[at].seat == seat:
            told = lines[at].pieces
            changed = lines[at] if piece in told else Line(seat, (piece, *told))
            return (*lines[:at], changed, *lines[at + 1 :])
    return tuple(lines)


def _shortened(pieces: tuple[Say, ...], headlines: Collection[str]) -> tuple[Say, ...]:
    """Replace pieces by one gap if there are too many: the oldest first, and headlines only after all others
    but the latest, which stay.
    """
    if len(pieces) <= MAX_PIECES:
        return pieces
    gap = say("story-gap")
    whole = [piece for piece in pieces if piece != gap]
    early = sorted(range(len(whole) - MAX_PIECES // 2), key=lambda place: whole[place].key in headlines)
    dropped = set(early[: len(whole) - MAX_PIECES + 1])
    first = min(dropped)
    rest = (piece for at, piece in enumerate(whole) if at > first and at not in dropped)
    return (*whole[:first], gap, *rest)
