"""Checks that the dice and cards of a finished game come from the seed whose hash was shown before it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from bot.records.game_log import record_of
from bot.records.record import RecordError
from bot.records.replay import CORRUPT_LOG_ERRORS, replay
from bot.records.seeds import seed_hash
from bot.records.verification import verify_line
from bot.registry import find
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
    try:
        played = await asyncio.to_thread(replay, find(row.game), row, await store.moves(row.id))
        if played.damaged:
            turn = played.frames[-1].finished if played.frames else 0
            return Fairness(seed, sealed, problem=f"the log can't be followed beyond turn {turn}")
        line = await record_of(store, row)
        if line is None:
            return Fairness(seed, sealed, problem="the game has no result")
        verified = await asyncio.to_thread(verify_line, line)
    except (RecordError, *CORRUPT_LOG_ERRORS) as error:
        return Fairness(seed, sealed, problem=str(error) or type(error).__name__)
    scores = tuple(result.score for result in await store.results(row.id))
    if scores != verified.result.scores:
        return Fairness(seed, sealed, problem=f"the log gives {verified.result.scores}, stored is {scores}")
    return Fairness(seed, sealed, verified.moves, verified.outcomes)
