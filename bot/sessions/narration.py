"""What happened last at a table, kept with the game so that a restart can paint it again."""

from __future__ import annotations

from collections.abc import Sequence

from bot.games import codec
from bot.games.core import Unreadable
from bot.i18n.memo import MOST, Recall, Same
from bot.i18n.say import Say, from_json, to_json
from bot.screens.model import Line

MAX_LINES = 10
"""How many turns are remembered."""


def dumps(lines: Sequence[Line]) -> str:
    kept = tuple(lines[-MAX_LINES:])
    text = f"[{','.join(map(_texts, kept))}]"
    # The next click tells them once more, and adds to them.
    _told.note(text, kept)
    return text


# Turns stay as they are from click to click, and so do the pieces of the present one.
_pieces: Same[Say, str] = Same(lambda piece: codec.dumps(to_json(piece)))
_texts: Same[Line, str] = Same(
    lambda line: f"[{line.seat},[{','.join(map(_pieces, line.pieces))}]]", most=MOST * MAX_LINES // 2
)


def loads(text: str) -> tuple[Line, ...]:
    """The lines; none where they can't be read, for a game can be played without its past."""
    return _told(text)


def _read(text: str) -> tuple[Line, ...]:
    try:
        return tuple(
            Line(seat, tuple(from_json(piece) for piece in pieces)) for seat, pieces in codec.loads(text)
        )
    except CORRUPT_LOG_ERRORS:
        return ()


CORRUPT_LOG_ERRORS = (Unreadable, TypeError, ValueError, LookupError, AttributeError)
"""What reading a text may raise that is none of ours."""

_told = Recall(_read)
