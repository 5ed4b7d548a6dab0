"""What happened last at a table, kept with the game so that a restart can paint it again."""

from __future__ import annotations

from collections.abc import Sequence

from bot.games import codec
from bot.games.core import Unreadable
from bot.i18n.say import from_json, to_json
from bot.recall import Recall
from bot.screens.model import Line

MOST_LINES = 10
"""How many turns are remembered."""

MOST_TEXTS = 4096

_texts: dict[int, tuple[Line, str]] = {}


def dumps(lines: Sequence[Line]) -> str:
    kept = tuple(lines[-MOST_LINES:])
    text = f"[{','.join(map(_text_of, kept))}]"
    # The next click tells them once more, and adds to them.
    _told.note(text, kept)
    return text


def _text_of(line: Line) -> str:
    """One line as it is stored; those of earlier turns stay as they are from click to click."""
    known = _texts.get(id(line))
    if known is not None and known[0] is line:
        return known[1]
    if len(_texts) >= MOST_TEXTS:
        _texts.clear()
    text = codec.dumps([line.seat, [to_json(piece) for piece in line.pieces]])
    # The line is kept, so that its id is nobody else's.
    _texts[id(line)] = (line, text)
    return text


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
