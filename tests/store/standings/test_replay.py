"""Finished games played again from their logs, sound ones and damaged ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from bot.games import codec
from bot.games.core import OVER, AnyGame, SeatStats, add_stats, play, settle
from bot.games.seats import ai, person
from bot.games.tutto.state import TURN_CARD, Roll
from bot.records.fairness import check
from bot.records.replay import replay
from bot.records.seeds import SeededChance, seed_hash
from bot.registry import GAMES, find
from bot.store import encoding
from bot.store.base import GameRow, MoveRow, Store, sound
from tests.support import standings_oracle as oracle
from tests.support.databases import Place, opened
from tests.support.examples import random_move
from tests.support.histories import SERVERS
from tests.support.rows import a_game, stored_as, stored_move


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


@pytest.mark.parametrize("key", GAMES)
@pytest.mark.parametrize("seed", range(4))
def test_every_turn_is_a_frame(key: str, seed: int) -> None:
    entry = find(key)
    row, moves, events = a_log(entry.rules, seed, leaving=0.01)
    found = replay(entry, row, moves)
    assert not found.damaged
    numbers = [frame.finished for frame in found.frames]
    assert numbers[0] == 0
    assert numbers == sorted(numbers)
    last = found.frames[-1]
    assert last.state == row.state
    assert last.finished == entry.rules.turns(last.state) > 0
    # Each turn is told, by somebody who sits there.
    for frame in found.frames[1:]:
        assert frame.lines
        assert all(0 <= line.seat < len(row.seats) and line.pieces for line in frame.lines)
    assert [type(event).__name__ for event in events]


@pytest.mark.parametrize("key", GAMES)
@pytest.mark.parametrize("seed", range(6))
def test_stats_add_up(key: str, seed: int) -> None:
    """A game's tally, added to with each move and stored in between, is what its whole log gives."""
    game = find(key).rules
    row, _, events = a_log(game, seed, leaving=0.02)
    seats, rng, sums = len(row.seats), Random(seed), tuple[SeatStats, ...]()
    rest = list(events)
    while rest:
        cut = rng.randint(0, 9)
        part, rest = rest[:cut], rest[cut:]
        sums = add_stats(sums, game.stats(part, seats))
        sums = sound(stored_as(replace(row, stats=sums)).stats)
    assert list(sums) == [replace(one, feats=dict(one.feats)) for one in game.stats(events, seats)]


def swapped(moves: list[MoveRow], at: int, **changes: Any) -> list[MoveRow]:
    return [*moves[:at], stored_move(moves[at], **changes), *moves[at + 1 :]]


def written(move: MoveRow) -> list[Any]:
    """The outcomes of a move as they are stored."""
    outcomes: list[Any] = codec.loads(encoding.move_columns("tutto", move)["chance"])
    return outcomes


DAMAGES: dict[str, Callable[[list[MoveRow], int], list[MoveRow]]] = {
    "no JSON": lambda moves, at: swapped(moves, at, action="{"),
    "no action": lambda moves, at: swapped(moves, at, action='"up"'),
    "a number": lambda moves, at: swapped(moves, at, action="7"),
    "no list": lambda moves, at: swapped(moves, at, chance="5"),
    "null": lambda moves, at: swapped(moves, at, chance="null"),
    "no outcome": lambda moves, at: swapped(moves, at, chance='[{"dice":[9,9]}]'),
    "one outcome too many": lambda moves, at: swapped(
        moves, at, chance=codec.dumps([*written(moves[at]), {"dice": [1]}])
    ),
    "another seat": lambda moves, at: swapped(moves, at, seat=moves[at].seat + 1),
    "a move is missing": lambda moves, at: [*moves[:at], *moves[at + 1 :]],
    "a move twice": lambda moves, at: [*moves[: at + 1], moves[at], *moves[at + 1 :]],
    "cut off": lambda moves, at: moves[:at],
    "deeply nested": lambda moves, at: swapped(moves, at, action="[" * 100_000),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_log_is_followed_as_far_as_it_goes(damage: str) -> None:
    entry = find("tutto")
    row, moves, _ = a_log(entry.rules, 11)
    whole = replay(entry, row, moves)
    # A roll after which there was a choice, so that what is missing or doubled can't fit by chance.
    at = next(
        number
        for number, move in enumerate(moves)
        if number > len(moves) // 2
        and move.action == TURN_CARD
        and any(isinstance(one, Roll) for one in sound(move.outcomes))
    )
    found = replay(entry, row, DAMAGES[damage](moves, at))
    assert found.damaged
    assert 1 < len(found.frames) < len(whole.frames)
    assert found.frames == whole.frames[: len(found.frames)]


def test_nothing_is_left_of_a_game_without_its_beginning() -> None:
    entry = find("tutto")
    row, moves, _ = a_log(entry.rules, 11)
    nothing: list[dict[str, Any]] = [
        {"options": "{"},
        {"options": '{"edition":"deluxe"}'},
        {"options": "[]"},
        {"first_chance": "7"},
    ]
    for changes in nothing:
        found = replay(entry, stored_as(row, **changes), moves)
        assert (found.frames, found.damaged) == ((), True)
    found = replay(entry, replace(row, seats=row.seats[:1]), moves)
    assert (found.frames, found.damaged) == ((), True)


async def test_every_finished_game_is_fair(store: Store, played: dict[int, list[oracle.Game]]) -> None:
    for server in SERVERS:
        for game in played[server.guild_id][::20]:
            row = await store.game(game.id)
            assert row is not None
            found = await check(store, row)
            assert found.problem == ""
            assert found.moves == len(await store.moves(game.id))
            assert found.outcomes == row.draws
            assert seed_hash(bytes.fromhex(found.seed)) == found.seed_hash


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        (
            """UPDATE games SET seed = (
                SELECT seed FROM games AS other WHERE other.id <> games.id ORDER BY other.id LIMIT 1
            ) WHERE id = ?""",
            "but the seed gives",
        ),
        ("UPDATE results SET score = score + 50 WHERE game_id = ?", "stored is"),
        ("UPDATE moves SET seat = seat + 1 WHERE game_id = ? AND number = 5", ""),
        ("DELETE FROM moves WHERE number > 6 AND game_id = ?", ""),
        ("UPDATE moves SET chance = '{' WHERE number = 4 AND game_id = ?", ""),
        ("UPDATE games SET options = '{}' WHERE id = ?", ""),
    ],
)
async def test_what_was_tampered_with_is_found(
    store: Store, path: Place, played: dict[int, list[oracle.Game]], statement: str, problem: str
) -> None:
    for game in played[SERVERS[0].guild_id]:
        if len(game.seats) == 3 and len(await store.moves(game.id)) > 10:
            break
    with opened(path) as connection:
        assert connection.execute(statement, (game.id,)).rowcount > 0
    row = await store.game(game.id)
    assert row is not None
    found = await check(store, row)
    assert problem in found.problem
    assert found.problem or "options" in statement  # the defaults may lead to the same end
