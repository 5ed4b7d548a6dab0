"""What happened in a turn, told in full or as what came of it."""

from __future__ import annotations

from collections.abc import Sequence

from bot.games.seats import Seat
from bot.i18n.identity_cache import IdentityCacheInContext
from bot.i18n.say import Argument, Line, Say, joined, resolve, say
from bot.screens.game_screen import AnyScreen
from bot.screens.narration import is_told_to_end
from bot.screens.seat_names import names_of, short_names_of, shortest_names_of

PLAYED_BY_BOT = say("story-by-bot")
"""The piece of narration which says that the bot played a turn for a person who was away."""


def split_turns(
    narration: Sequence[Line], turn: int, screen: AnyScreen
) -> tuple[Sequence[Line], Line | None]:
    """Return the lines of the finished turns, and the line of the one being played by seat ``turn``."""
    if not narration or narration[-1].seat != turn or is_told_to_end(narration[-1], screen.turn_ends):
        return narration, None
    return narration[:-1], narration[-1]


def _narrated(line: Line, seats: Sequence[Seat]) -> Say:
    """Put the narration of a turn together."""
    names = names_of(seats)
    pieces = [resolve(piece, names.__getitem__) for piece in line.pieces]
    return say("story-line", name=names[line.seat], story=joined(pieces, "story-joined"))


narration_line: IdentityCacheInContext[Line, Sequence[Seat], Say] = IdentityCacheInContext(_narrated)
"""Returns a line of the narration as one message with names. It is cached, as earlier turns don't change."""


def _outcome(line: Line, context: tuple[Sequence[Seat], AnyScreen]) -> list[Say]:
    """Return whether the bot played a turn, what came of it, and what ended with it."""
    seats, screen = context
    names = short_names_of(seats)
    outcome = [piece for piece in screen.outcome(line) if piece != PLAYED_BY_BOT]
    away = (PLAYED_BY_BOT,) if PLAYED_BY_BOT in line.pieces else ()
    told = (*outcome, *screen.closing(line))
    return [*away, *(resolve(piece, names.__getitem__) for piece in told)]


def turn_text(line: Line, context: tuple[Sequence[Seat], AnyScreen]) -> Argument:
    """Return what came of a turn, without the form of a line."""
    name = short_names_of(context[0])[line.seat]
    return joined([name, *_outcome(line, context)], "turn-joined")


def _summarised(line: Line, context: tuple[Sequence[Seat], AnyScreen]) -> Say:
    return say("turn-line", text=turn_text(line, context))


turn_line: IdentityCacheInContext[Line, tuple[Sequence[Seat], AnyScreen], Say] = IdentityCacheInContext(
    _summarised
)
"""Returns what came of a turn as one line of small print. It is cached, as earlier turns don't change."""


def _summarised_shortly(line: Line, context: tuple[Sequence[Seat], AnyScreen]) -> Say:
    name = shortest_names_of(context[0])[line.seat]
    return say("turn-part", name=name, outcome=joined(_outcome(line, context)))


turn_part: IdentityCacheInContext[Line, tuple[Sequence[Seat], AnyScreen], Say] = IdentityCacheInContext(
    _summarised_shortly
)
"""Returns what came of a turn as a part of running text, cached like :data:`turn_line`."""
