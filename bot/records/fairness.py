"""Checks that the dice and cards of a finished game come from the seed whose hash was shown before it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from bot.games.core import CORRUPT_DATA_ERRORS
from bot.records.game_log import record_of
from bot.records.record import RecordError
from bot.records.replay import replay
from bot.records.seeds import seed_hash
from bot.records.verification import verify_line
from bot.registry import GAMES
from bot.store.base import GameRow, Store


@dataclass(frozen=True, slots=True)
class Fairness:
    """The result of a check. ``problem`` is a line in English, or "" if everything is right."""

    seed: str
    seed_hash: str
    moves: int = 0
    outcomes: int = 0
    problem: str = ""


async def check(store: Store, row: GameRow) -> Fairness:
    """Verify the record of a finished game as ``python -m bot verify`` does, and compare stored scores."""
    seed, sealed = row.seed.hex(), seed_hash(row.seed)
    if row.game not in GAMES:
        return Fairness(seed, sealed, problem=f"there is no game {row.game!r}")
    try:
        line = await record_of(store, row)
    except (RecordError, *CORRUPT_DATA_ERRORS):
        played = await asyncio.to_thread(replay, GAMES[row.game], row, await store.moves(row.id))
        turn = played.frames[-1].finished if played.frames else 0
        return Fairness(seed, sealed, problem=f"the log can't be followed beyond turn {turn}")
    if line is None:
        return Fairness(seed, sealed, problem="the game has no result")
    try:
        verified = await asyncio.to_thread(verify_line, line)
    except RecordError as error:
        return Fairness(seed, sealed, problem=str(error))
    scores = tuple(result.score for result in await store.results(row.id))
    if scores != verified.result.scores:
        return Fairness(seed, sealed, problem=f"the log gives {verified.result.scores}, stored is {scores}")
    return Fairness(seed, sealed, verified.moves, verified.outcomes)
