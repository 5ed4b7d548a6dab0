"""The score sheet of a game: everybody's points after each turn, as a list and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from bot.records.game_log import GameLog
from bot.registry import find
from bot.screens.score_sheet import SheetLine

_FORMULAS = ("=", "+", "-", "@")
"""Spreadsheets read a cell that begins with one of these as a formula."""


def score_sheet_of(log: GameLog) -> tuple[SheetLine, ...]:
    """Replay a game, which may still be going on. Raises :class:`~bot.games.core.GameError` for a damaged
    log."""
    rules = find(log.game).rules
    state = rules.initial(log.options, log.seats)
    lines: list[SheetLine] = []
    before = rules.scores(state)
    for played in log.replay():
        for after in played.states:
            if rules.turns(after) > rules.turns(state):
                scores = rules.scores(after)
                changes = tuple(now - then for now, then in zip(scores, before, strict=True))
                lines.append(SheetLine(rules.turn_seat(state), changes, scores))
                before = scores
            state = after
    return tuple(lines)


def csv_of(lines: Sequence[SheetLine], names: Sequence[str]) -> bytes:
    """Return a score sheet as CSV in UTF-8: a row for each turn, with its number, the player, the change of
    that player's score, and all scores. ``names`` are those of the seats."""
    safe = [f"'{name}" if name.startswith(_FORMULAS) else name for name in names]
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["turn", "player", "points", *safe])
    for number, line in enumerate(lines, 1):
        writer.writerow([number, safe[line.seat], line.changes[line.seat], *line.scores])
    # Spreadsheets recognise UTF-8 by the mark at the beginning.
    return text.getvalue().encode("utf-8-sig")
