"""The log of a stored game: reading it and folding it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.games import codec
from bot.games.core import Leave, Played, ScriptedChance, replay, settle
from bot.screens.entry import Entry
from bot.store.base import GameRow, Store

LEAVE = "leave"
"""The type of the action that every game knows: its seat gives up."""

Log = list[tuple[Any, tuple[Any, ...]]]
"""Moves in order, each with the outcomes that followed it."""


async def read_log(store: Store, entry: Entry, row: GameRow) -> tuple[Any, Log]:
    """The options and the moves of a game. Raises :class:`~bot.games.core.Unreadable` for a damaged log."""
    rules = entry.rules
    log: Log = []
    for move in await store.moves(row.id):
        raw = codec.loads(move.action)
        action = Leave(move.seat) if raw == {"type": LEAVE} else rules.action_from_json(raw)
        log.append((action, tuple(rules.outcome_from_json(one) for one in codec.loads(move.chance))))
    return rules.options(codec.loads(row.options)), log


def replay_log(
    entry: Entry, options: Any, row: GameRow, log: Sequence[tuple[Any, Any]]
) -> list[Played[Any, Any]]:
    """Fold a game's log from its first state; what came before the first move is the first entry.

    Raises :class:`~bot.games.core.IllegalMove` at the first move that can't have happened.
    """
    rules = entry.rules
    outcomes = [rules.outcome_from_json(one) for one in codec.loads(row.first_chance)]
    opening = settle(rules, rules.initial(options, len(row.seats)), ScriptedChance(outcomes))
    return [opening, *replay(rules, opening.state, log)]
