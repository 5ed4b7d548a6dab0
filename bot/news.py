"""What happened last at a table, kept with the game so that a restart can paint it again."""

from __future__ import annotations

from collections.abc import Sequence

from bot.games import codec
from bot.games.core import Unreadable
from bot.i18n.say import from_json, to_json
from bot.recall import Recall, Same
from bot.screens.model import Line

MOST_LINES = 10
"""How many turns are remembered."""


def dumps(lines: Sequence[Line]) -> str:
    kept = tuple(lines[-MOST_LINES:])
    text = f"[{','.join(map(_text_of, kept))}]"
    # The next click tells them once more, and adds to them.
    _told.note(text, kept)
    return text


def _text_of(line: Line) -> str:
    """One line as it is stored; those of earlier turns stay as they are from click to click."""
    return _texts(line, None)


_texts: Same[Line, None, str] = Same(
    lambda line, _: codec.dumps([line.seat, [to_json(piece) for piece in line.pieces]])
)


def loads(text: str) -> tuple[Line, ...]:
    """The lines; none where they can't be read, for a game can be played without its past."""
    return _told(text)


def _read(text: str) -> tuple[Line, ...]:
    try:
        return tuple(
            Line(seat, tuple(from_json(piece) for piece in pieces)) for seat, pieces in codec.loads(text)
        )
    except DAMAGE:
        return ()


DAMAGE = (Unreadable, TypeError, ValueError, LookupError, AttributeError)
"""What reading a text may raise that is none of ours."""

_told = Recall(_read)
