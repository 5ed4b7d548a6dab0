"""Records for tests: short games of Tutto and of the tiny game that begins with chance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from bot.games.core import OVER, AnyGame, Leave, Move, play, settle
from bot.games.seats import ai, person
from bot.games.tutto import Tutto
from bot.records.game_log import GameLog
from bot.records.record import Ai, Human, Player, build
from bot.records.seeds import SeededChance
from bot.store.base import GameRow, MoveRow
from tests.support.examples import random_move
from tests.support.rows import a_game

SEATS: tuple[Player, ...] = (Ai("casual"), Human("Ann **é** \ud83c"), Human("Bob"))


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game with its last state and its log."""

    game: AnyGame
    state: Any
    log: GameLog

    def record(self, seats: tuple[Player, ...], seed: bytes) -> dict[str, Any]:
        return build(self.game, self.log.options, seats, seed, self.log.moves, opening=self.log.opening)


def played(
    game: AnyGame,
    seed: bytes,
    leaves: Callable[[int], int | None] = lambda number: None,
    seats: tuple[Player, ...] = SEATS[:2],
    **options: Any,
) -> PlayedGame:
    """Play a whole random game. ``leaves`` takes the number of a move, and returns the seat that leaves in
    its place, or None."""
    chosen, chance, rng = game.options(options), SeededChance(seed), Random(seed)
    opening = now = settle(game, game.initial(chosen, len(seats)), chance)
    moves: list[Move[Any, Any]] = []
    while (seat := game.to_move(now.state)) != OVER:
        leaver = leaves(len(moves))
        if leaver is not None:
            seat = leaver
        action = random_move(game, now.state, rng) if leaver is None else Leave(leaver)
        now = play(game, now.state, action, chance)
        moves.append(Move(seat, action, now.outcomes))
    return PlayedGame(game, now.state, GameLog(game.key, chosen, len(seats), opening.outcomes, tuple(moves)))


def tutto_record(number: int = 1, edition: str = "current") -> dict[str, Any]:
    """A game between two seats to 1000 points."""
    seed = number.to_bytes(32, "big")
    return played(Tutto(), seed, edition=edition, target=1000).record(SEATS[:2], seed)


def a_log(game: AnyGame, seed: int, leaving: float = 0.0) -> tuple[GameRow, list[MoveRow], list[Any]]:
    """A whole random game as it is stored, and all its events."""
    rng, secret = Random(seed), seed.to_bytes(32, "big")
    options, script = game.options({}), SeededChance(secret)
    seats = rng.randint(game.min_seats, min(4, game.max_seats))
    opening = settle(game, game.initial(options, seats), script)
    state, events = opening.state, list(opening.events)
    moves: list[MoveRow] = []
    while game.to_move(state) != OVER:
        move = random_move(game, state, rng, leaving=leaving)
        seat = getattr(move, "seat", None) if type(move).__name__ == "Leave" else game.to_move(state)
        played = play(game, state, move, script)
        moves.append(MoveRow(len(moves) + 2, seat or 0, move, played.outcomes, 0.0))
        events += played.events
        state = played.state
    row = a_game(
        game=game.key,
        status="over",
        options=options,
        first_chance=opening.outcomes,
        state=state,
        seed=secret,
        draws=script.index,
        seats=tuple(person(number + 1, f"P{number}") if number else ai("casual") for number in range(seats)),
    )
    return row, moves, events
