"""Puzzles from games: stored with their luck, shown to who may see the game, deleted with its people."""

from __future__ import annotations

import doctest
from typing import Any

import pytest

from bot.games.values import replace
from bot.store import puzzles
from bot.store.base import FINISHED, LIVE, Change, Store
from bot.store.puzzles import MAX_PUZZLES
from bot.store.sql.puzzles import erase_puzzles
from bot.strategy.skill import Measured, Skill
from tests.support.rows import a_game, a_result

GUILD, ANN, BEN, CLEO = 10, 1, 2, 3


async def a_puzzle(store: Store, channel: int, *people: int, move: int = 4, guild_id: int = GUILD) -> int:
    """Finish a game, and store what is worked out for its seats; return its id."""
    row = await store.create(a_game(channel, *people, guild_id=guild_id, status=LIVE), None)
    results = [a_result(seat, user, place=seat + 1) for seat, user in enumerate(people)]
    over = replace(row, status=FINISHED, version=row.version + 1, updated_at=2000.0)
    await store.commit(Change(over, row.version, results=results))
    await store.set_luck(row.id, 1, [Measured(5, Skill(1)), Measured(-5, Skill(1), puzzle=move)])
    return row.id


async def test_who_may_see_a_game_gets_its_puzzle(store: Store) -> None:
    first = await a_puzzle(store, 7, ANN, BEN)
    other = await a_puzzle(store, 8, ANN, CLEO, move=9)
    elsewhere = await a_puzzle(store, 9, ANN, BEN, guild_id=11)
    found = store.puzzles
    assert await found.games(GUILD, [7, 8, 9], 99) == (other, first)
    assert await found.games(GUILD, [7], 99) == (first,)
    assert await found.games(GUILD, [7], CLEO) == (other, first)
    assert (await found.move(first), await found.move(other), await found.move(999)) == (4, 9, None)
    # Worked out once more, after a crash: nothing is there twice.
    await store.set_luck(first, 1, [Measured(5, Skill(1), puzzle=1), Measured(-5, Skill(1))])
    assert await found.move(first) == 4
    # By a later version of the measure another one is the best, or there is none.
    await store.set_luck(first, 2, [Measured(5, Skill(1), puzzle=7), Measured(-5, Skill(1))])
    assert await found.move(first) == 7
    await store.set_luck(other, 2, [Measured(5, Skill(1)), Measured(-5, Skill(1))])
    assert await found.games(GUILD, [7, 8], CLEO) == (first,)
    other = await a_puzzle(store, 8, ANN, CLEO, move=9)
    await store.set_unlisted(GUILD, BEN, "Ben", True)
    assert await found.games(GUILD, [7, 8], 99) == (other,)
    assert await found.games(GUILD, [7, 8], BEN) == (other, first)
    await store.purge(11)
    assert await found.move(elsewhere) is None


async def test_a_puzzle_goes_with_the_data_of_a_person_of_its_game(store: Store) -> None:
    first, other = await a_puzzle(store, 7, ANN, BEN), await a_puzzle(store, 7, ANN, CLEO)
    await store.puzzles.note_seen(BEN, "g.1")
    assert (await store.export(BEN))["puzzles"] == {
        "from_games": [{"game_id": first, "guild_id": GUILD, "move": 4}],
        "seen": [{"puzzle": "g.1"}],
    }
    await store.erase(BEN)
    assert await store.puzzles.games(GUILD, [7], 99) == (other,)
    assert await store.puzzles.seen(BEN) == frozenset()
    # Nor does one come of a game that is worked out only afterwards.
    row = await store.create(a_game(7, BEN, CLEO, status=LIVE), None)
    over = replace(row, status=FINISHED, version=row.version + 1)
    results = [a_result(seat, user, place=seat + 1) for seat, user in enumerate((BEN, CLEO))]
    await store.commit(Change(over, row.version, results=results))
    await store.erase(BEN)
    await store.set_luck(row.id, 1, [Measured(5, Skill(1), puzzle=1), Measured(-5, Skill(1))])
    assert await store.puzzles.move(row.id) is None
    assert first != row.id


async def test_all_that_is_deleted_is_counted(store: Any) -> None:
    await a_puzzle(store, 7, ANN, BEN)
    for puzzle in ("g.1", "g.2", "g.3"):
        await store.puzzles.note_seen(BEN, puzzle)
    assert await store.write(lambda connection: erase_puzzles(connection, BEN)) == 4


async def test_the_latest_are_kept(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.store.sql.puzzles.MAX_PUZZLES", 2)
    games = [await a_puzzle(store, 7, ANN, BEN) for _ in range(4)]
    away = await a_puzzle(store, 7, ANN, BEN, guild_id=11)
    assert await store.puzzles.games(GUILD, [7], ANN) == (games[3], games[2])
    assert await store.puzzles.games(11, [7], ANN) == (away,)
    assert MAX_PUZZLES > 2


async def test_what_was_shown_is_remembered_and_forgotten(store: Store) -> None:
    await store.puzzles.note_seen(ANN, "g.1")
    await store.puzzles.note_seen(ANN, "g.1")
    await store.puzzles.note_seen(ANN, "0a1b.7")
    await store.puzzles.note_seen(BEN, "g.1")
    assert await store.puzzles.seen(ANN) == {"g.1", "0a1b.7"}
    await store.puzzles.note_seen(ANN, "g.2", ["g.1", "g.9"])
    assert await store.puzzles.seen(ANN) == {"g.2", "0a1b.7"}
    assert await store.puzzles.seen(BEN) == {"g.1"}


def test_the_examples() -> None:
    assert not doctest.testmod(puzzles).failed
