"""Records for tests: short games of Tutto and of the tiny game that begins with chance."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from bot.games.core import OVER, AnyGame, Leave
from bot.games.tutto import Tutto
from bot.records.record import Ai, Human, Player, Recorder
from bot.records.seeds import SeededChance
from tests.support.examples import random_move

SEATS: tuple[Player, ...] = (Ai("casual"), Human("Ann **é** \ud83c"), Human("Bob"))


def played(
    game: AnyGame,
    seed: bytes,
    leaves: Callable[[int], int | None] = lambda number: None,
    seats: tuple[Player, ...] = SEATS[:2],
    **options: Any,
) -> Recorder[Any, Any, Any]:
    """A whole random game; ``leaves`` names the seat that leaves instead of move ``number``, or None."""
    recorder = Recorder(game, game.options(options), len(seats))
    chance, rng = SeededChance(seed), Random(seed)
    recorder.settle(chance)
    while game.to_move(recorder.state) != OVER:
        leaver = leaves(len(recorder.moves))
        recorder.move(random_move(game, recorder.state, rng) if leaver is None else Leave(leaver))
        recorder.settle(chance)
    return recorder


def tutto_record(number: int = 1, edition: str = "current") -> dict[str, Any]:
    """A game between two seats to 1000 points."""
    seed = number.to_bytes(32, "big")
    return played(Tutto(), seed, edition=edition, target=1000).record(SEATS[:2], seed)
