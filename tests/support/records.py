"""Whole games and their records for tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from bot.games.core import OVER, AnyGame, Leave, Move, Result, play, settle
from bot.games.options import GameOptions
from bot.games.seats import ai, person
from bot.games.tutto import Tutto
from bot.records import fairness
from bot.records.fairness import Fairness
from bot.records.game_log import GameLog, record_of
from bot.records.record import Ai, Human, Player, build
from bot.records.seeds import SeededChance
from bot.records.verification import verify_line
from bot.store.base import GameRow, MoveRow, Store
from tests.support.examples import random_move
from tests.support.rows import a_game
from tests.support.values import not_none


def result_of(record: str) -> Result:
    """Verify a record and return its result, which must be there."""
    return not_none(verify_line(record).result)


async def stored_record(store: Store, row: GameRow) -> str | None:
    """Return the record of a stored game."""
    return record_of(row, await store.moves(row.id))


async def check_stored(store: Store, row: GameRow) -> Fairness | None:
    """Check the dice of a stored game."""
    scores = [result.score for result in await store.results(row.id)]
    return fairness.check(row, await store.moves(row.id), scores)


SEATS: tuple[Player, ...] = (Ai("casual"), Human("Ann **é** \ud83c"), Human("Bob"))


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game with its last state, its log, all its events, and the number of outcomes drawn from its seed."""

    game: AnyGame
    state: Any
    log: GameLog
    events: tuple[Any, ...]
    draws: int

    def record(self, seats: tuple[Player, ...], seed: bytes) -> dict[str, Any]:
        return build(self.game, self.log.options, seats, seed, self.log.moves, opening=self.log.opening)


def play_out(
    game: AnyGame, options: GameOptions, seats: int, seed: bytes, choose: Callable[[Any, int], Any]
) -> PlayedGame:
    """Play a game. ``choose`` takes the state and the number of the move, from 0.

    It returns an action of the seat to move or a :class:`Leave`, or None to stop before the end.
    """
    chance = SeededChance(seed)
    opening = now = settle(game, game.initial(options, seats), chance)
    events = list(opening.events)
    moves: list[Move[Any, Any]] = []
    while (seat := game.to_move(now.state)) != OVER:
        action = choose(now.state, len(moves))
        if action is None:
            break
        now = play(game, now.state, action, chance)
        moves.append(Move(action.seat if isinstance(action, Leave) else seat, action, now.outcomes))
        events += now.events
    log = GameLog(game.key, options, seats, opening.outcomes, tuple(moves))
    return PlayedGame(game, now.state, log, tuple(events), chance.index)


def played(
    game: AnyGame,
    seed: bytes,
    leaves: Callable[[int], int | None] = lambda number: None,
    seats: tuple[Player, ...] = SEATS[:2],
    **options: Any,
) -> PlayedGame:
    """Play a whole random game. ``leaves`` takes the number of a move, and returns the seat that leaves in
    its place, or None."""
    rng = Random(seed)

    def choose(state: Any, number: int) -> Any:
        leaver = leaves(number)
        return random_move(game, state, rng) if leaver is None else Leave(leaver)

    return play_out(game, game.options(options), len(seats), seed, choose)


def tutto_record(number: int = 1, edition: str = "current") -> dict[str, Any]:
    """A game between two seats to 1000 points."""
    seed = number.to_bytes(32, "big")
    return played(Tutto(), seed, edition=edition, target=1000).record(SEATS[:2], seed)


def a_log(game: AnyGame, seed: int, leaving: float = 0.0) -> tuple[GameRow, list[MoveRow], list[Any]]:
    """Return a whole random game as it is stored, and all its events."""
    rng, secret = Random(seed), seed.to_bytes(32, "big")
    seats = rng.randint(game.min_seats, min(4, game.max_seats))
    whole = play_out(
        game, game.options({}), seats, secret, lambda state, number: random_move(game, state, rng, leaving)
    )
    moves = [
        MoveRow(number, move.seat, move.action, tuple(move.outcomes), 0.0)
        for number, move in enumerate(whole.log.moves, start=2)
    ]
    row = a_game(
        game=game.key,
        status="over",
        options=whole.log.options,
        first_chance=whole.log.opening,
        state=whole.state,
        secret=secret,
        draws=whole.draws,
        seats=tuple(person(number + 1, f"P{number}") if number else ai("casual") for number in range(seats)),
    )
    return row, moves, list(whole.events)
