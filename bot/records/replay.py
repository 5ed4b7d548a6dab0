"""Finished games turn by turn, as far as their logs can be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.games.base import GameState
from bot.games.core import CORRUPT_DATA_ERRORS, OVER, Leave
from bot.i18n.say import Line
from bot.records.game_log import readable_part
from bot.screens.entry import Entry
from bot.store.base import GameRow, MoveRow


@dataclass(frozen=True, slots=True)
class Frame:
    """The table at the end of a turn.

    ``decision`` is the state before the turn's last choice, or None if nobody chose, as at the beginning.
    ``lines`` narrate the turn, ``finished`` counts the turns up to and including it.
    """

    state: GameState
    decision: GameState | None
    lines: tuple[Line, ...]
    finished: int


@dataclass(frozen=True, slots=True)
class Replay:
    """A finished game turn by turn; ``damaged`` is whether its log is unreadable after the last frame."""

    frames: tuple[Frame, ...]
    damaged: bool


def replay(entry: Entry, row: GameRow, moves: Sequence[MoveRow]) -> Replay:
    """Replay a stored game as far as its log is readable. Never raises for a damaged log."""
    rules, screen = entry.rules, entry.screen
    frames: list[Frame] = []
    state, decision = None, None
    lines: tuple[Line, ...] = ()
    try:
        log = readable_part(row, moves)
        for move, played in zip((None, *log.moves), log.replay(), strict=False):
            if move is None:
                state = played.state
                frames.append(Frame(state, None, screen.narrate((), played.events), rules.turns(state)))
                continue
            if not isinstance(move.action, Leave):
                decision = state
            state = played.state
            lines = screen.narrate(lines, played.events)
            if rules.turns(state) > frames[-1].finished or rules.to_move(state) == OVER:
                frames.append(Frame(state, decision, lines, rules.turns(state)))
                lines, decision = (), None
    except CORRUPT_DATA_ERRORS:
        return Replay(tuple(frames), damaged=True)
    return Replay(tuple(frames), damaged=rules.to_move(state) != OVER)
