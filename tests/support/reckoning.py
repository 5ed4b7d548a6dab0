"""Checks that the games in a database are consistent, and follow from their seeds."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bot.games.core import OVER, GameError, Played, play, settle
from bot.records.game_log import GameLog, read_log
from bot.records.sealing import seed_of
from bot.records.seeds import SeededChance
from bot.registry import find
from bot.store.base import FINISHED, LIVE, GameRow
from bot.store.sqlite.store import SqliteStore


def checked(database: Path) -> list[str]:
    """Return what SQLite's own checks find wrong with a file."""
    with contextlib.closing(sqlite3.connect(database)) as connection:
        return [
            f"{check}: {row}"
            for check in ("integrity_check", "foreign_key_check")
            for row in connection.execute(f"PRAGMA {check}")
            if row != ("ok",)
        ]


async def folded(store: SqliteStore, row: GameRow) -> list[str]:
    """Return all contradictions between the log of a game, its state, its seed and its results."""
    if row.state is None:
        return []
    entry = find(row.game)
    rules = entry.rules
    try:
        log = await read_log(store, row)
        steps = list(log.replay())
    except GameError as error:
        return [f"its log can't have happened: {error}"]
    problems = list(drawn_again(row, log, steps))
    if steps[-1].state != row.state:
        problems.append("the folded log is not the snapshot")
    over = rules.to_move(steps[-1].state) == OVER
    if row.status in (LIVE, FINISHED) and over != (row.status == FINISHED):
        problems.append(f"it is {row.status}, by its log it is {'over' if over else 'live'}")
    if len(await store.results(row.id)) != (len(row.seats) if row.status == FINISHED else 0):
        problems.append("the results are not those of a game that is " + row.status)
    return problems


def drawn_again(row: GameRow, log: GameLog, steps: Sequence[Played[Any, Any]]) -> Iterator[str]:
    """Play the moves again with outcomes drawn from the seed, and yield what is different."""
    chance = SeededChance(seed_of(row.secret, row.start))
    rules = find(row.game).rules
    state = settle(rules, rules.initial(log.options, log.seats), chance).state
    for number, move in enumerate(log.moves, 1):
        played = play(rules, state, move.action, chance)
        if played.outcomes != move.outcomes:
            yield f"move {number} of the log drew {move.outcomes}, the seed gives {played.outcomes}"
            return
        state = played.state
    if state != steps[-1].state or chance.index != row.draws:
        yield "the seed gives another game"
