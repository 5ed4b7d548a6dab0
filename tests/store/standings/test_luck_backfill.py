"""Luck: points compared with the expected value of the same decisions."""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bot.cli.simulation import play_game
from bot.games.core import Leave, Move, Played, ScriptedChance, play
from bot.games.tutto import Tutto
from bot.games.tutto.cards import Card
from bot.games.tutto.state import STOP, TURN_CARD, Draw, Keep, Options, Roll
from bot.registry import GAMES, find
from bot.services import luck_backfill
from bot.services.luck_backfill import NEWEST, LuckBackfill
from bot.sessions.session import Sessions
from bot.standings.mastery import read
from bot.standings.values import LUCK, LUCK_GAMES
from bot.store.base import Store
from bot.strategy.skill import Measured, Skill
from bot.strategy.tutto.luck import luck
from tests.support.databases import Database, open_files, open_store, opened, rebuilt
from tests.support.histories import NOW
from tests.support.waiting import until

RULES = Tutto()


class Hand:
    """A game of two that is played by hand."""

    def __init__(self) -> None:
        self.state = RULES.initial(Options(target=1000), 2)
        self.log: list[Move[Any, Any]] = []

    def do(self, move: Any, *outcomes: Any) -> Played[Any, Any]:
        seat = move.seat if isinstance(move, Leave) else self.state.seat
        played = play(RULES, self.state, move, ScriptedChance(outcomes))
        self.state = played.state
        self.log.append(Move(seat, move, outcomes))
        return played

    @property
    def luck(self) -> tuple[int, ...]:
        return luck(Options(target=1000), 2, self.log)


def test_a_stop_card_is_bad_luck_and_three_ones_are_good() -> None:
    hand = Hand()
    hand.do(TURN_CARD, Draw(Card.STOP))
    hand.do(TURN_CARD, Draw(Card.BONUS_600), Roll((1, 1, 1, 2, 3, 4)))
    first, second = hand.luck
    assert first < -300  # about what a turn is worth
    assert second > 600
    hand.do(STOP)
    assert hand.luck == (first, second)  # nothing is left to chance in stopping


def test_a_poor_decision_is_no_bad_luck() -> None:
    """Keeping only a five of two triplets loses points by decision, not by chance."""
    good, poor = Hand(), Hand()
    for hand in (good, poor):
        hand.do(TURN_CARD, Draw(Card.BONUS_200), Roll((1, 1, 1, 5, 6, 6)))
    good.do(STOP)
    poor.do(Keep((5,)), Roll((2, 3, 4, 6, 6)))
    before = good.luck[0]
    assert poor.luck[0] < before  # the null was bad luck
    assert before - poor.luck[0] < 1100  # but not for all that was given away


def test_leaving_is_neither_good_nor_bad_luck() -> None:
    hand = Hand()
    hand.do(TURN_CARD, Draw(Card.BONUS_200), Roll((1, 2, 3, 3, 4, 6)))
    before = hand.luck
    hand.do(Leave(0))
    assert hand.luck == before


@pytest.mark.parametrize("policy", ["beginner", "casual"])
def test_it_evens_out(policy: str) -> None:
    """Luck adds up to zero over many games, whether somebody plays well or badly."""
    found: list[int] = []
    players = [find("tutto").policies[policy]] * 2
    options = RULES.options({"target": 1500})
    for number in range(60):
        seed = number.to_bytes(32, "big")
        _, log = play_game(RULES, options, players, seed, [Random(number), Random(-number)])
        found += luck(options, 2, log.moves)
    error = statistics.stdev(found) / len(found) ** 0.5
    assert abs(statistics.mean(found)) < 4 * error
    assert error < 200


async def test_luck_is_counted_once_and_rebuilt(store: Store, path: Database) -> None:
    games = await store.measured_by("tutto", 0, NEWEST, 30)
    assert len(games) == 30
    assert list(games) == sorted(games, reverse=True)
    assert max(await store.measured_by("tutto", 0, games[9], 30)) < games[9]
    assert await store.measured_by("gambler", 0, NEWEST, 30) == ()
    for _ in range(2):
        for number, game in enumerate(games):
            seats = len(await store.results(game))
            skill = Skill(1, 10 + number, 0.001 * number)
            await store.set_luck(game, 1, [Measured(number * 10 - seat, skill) for seat in range(seats)])
    assert await store.measured_by("tutto", 1, NEWEST, 1000) == games

    def sums() -> dict[tuple[object, ...], dict[str, int]]:
        with opened(path) as connection:
            rows = connection.execute(
                "SELECT guild_id, game, board, user_id, feats FROM totals WHERE period = 'all'"
            ).fetchall()
        return {tuple(key): json.loads(feats) for *key, feats in rows}

    before = sums()
    with opened(path) as connection:
        (people,) = connection.execute(
            "SELECT count(*) FROM results WHERE luck IS NOT NULL AND user_id IS NOT NULL"
            " AND board IS NOT NULL"
        ).fetchone()
    rebuilt(path, NOW)
    assert sum(feats.get(LUCK_GAMES, 0) for feats in before.values()) == people
    assert any(feats.get(LUCK, 0) for feats in before.values())
    assert any(read(feats).rating for feats in before.values())
    assert sums() == before


class Odds:
    """Works luck out: it fails for the first game; in the others every seat gets a point for each move."""

    def __init__(self) -> None:
        self.calls = 0
        self.gate = asyncio.Event()
        self.gate.set()

    async def think(
        self, function: object, options: object, seats: int, opening: object, log: Sequence[Move[Any, Any]]
    ) -> list[Measured]:
        self.calls += 1
        if self.calls == 1:
            raise TimeoutError
        await self.gate.wait()
        return [Measured(len(log), Skill(1))] * seats


async def test_all_older_games_are_gone_through_in_rounds(
    store: Store, path: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Newest first, beside those that end now; what could not be done is found again at the next start."""
    monkeypatch.setattr(luck_backfill, "MAX_AT_ONCE", 60)
    monkeypatch.setattr(luck_backfill, "WORK_SECONDS", 3600.0)
    games = await store.measured_by("tutto", 0, NEWEST, 1000)
    assert len(games) > 100
    failed, *rest, ended, damaged = games
    with opened(path) as connection:
        connection.execute("UPDATE moves SET action = '{' WHERE game_id = ?", (damaged,))
    odds = Odds()
    sessions = Sessions(store, lambda: NOW)
    luck = LuckBackfill(sessions, odds.think)
    assert await luck.round()  # the first can't be done, which ends the round
    assert odds.calls == 1
    monkeypatch.setattr(luck_backfill, "WORK_SECONDS", 0.0)
    assert await luck.round()  # no time, so one game
    assert await store.measured_by("tutto", 0, NEWEST, 1000) == (failed, *rest[1:], ended, damaged)
    monkeypatch.setattr(luck_backfill, "WORK_SECONDS", 3600.0)
    # Whoever ends a game now does not stand in line behind the old ones.
    odds.gate.clear()
    older = asyncio.create_task(luck.round())
    await until(lambda: odds.calls == 3)
    luck.ended.add(ended)
    await until(lambda: odds.calls == 4)
    odds.gate.set()
    assert await older
    await luck.ended.finished()
    assert await store.measured_by("tutto", 0, NEWEST, 1000) == (failed, *rest[61:], damaged)
    while await luck.round():
        pass
    assert await store.measured_by("tutto", 0, NEWEST, 1000) == (failed,)
    with opened(path) as connection:
        moves = connection.execute("SELECT count(*) FROM moves WHERE game_id = ?", (rest[0],)).fetchone()
        query = "SELECT DISTINCT luck FROM results WHERE game_id = ?"
        assert connection.execute(query, (rest[0],)).fetchall() == [moves]
        assert connection.execute(query, (damaged,)).fetchall() == [(None,)]
    assert not await luck.round()
    assert await LuckBackfill(sessions, odds.think).round()
    assert await store.measured_by("tutto", 0, NEWEST, 1000) == ()


async def test_games_of_an_earlier_measure_are_measured_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also the one whose log can't be read; then each is done, whatever becomes of the process."""
    known = {"tutto": replace(find("tutto"), measure_version=3)}
    monkeypatch.setattr(luck_backfill, "GAMES", known)
    monkeypatch.setattr(luck_backfill, "find", known.__getitem__)
    games = await store.measured_by("tutto", 0, NEWEST, 6)
    for number, game in enumerate(games):
        await store.set_luck(game, number % 2 + 1, [Measured(0, None)] * 6)
    fresh = await store.measured_by("tutto", 0, NEWEST, 1000)
    for game in fresh:
        await store.set_luck(game, 3, [Measured(0, None)] * 6)
    odds = Odds()
    odds.calls = 1
    assert await LuckBackfill(Sessions(store, lambda: NOW), odds.think).round()
    assert await LuckBackfill(Sessions(store, lambda: NOW), odds.think).round()
    assert odds.calls == 1 + len(games)
    assert await store.measured_by("tutto", 3, NEWEST, 6) == games


async def test_rounds_go_on_until_nothing_is_left(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Also after a time without a database."""
    monkeypatch.setattr(luck_backfill, "FIRST_SECONDS", 0.01)
    monkeypatch.setattr(luck_backfill, "ROUND_SECONDS", 0.01)
    asked: list[str] = []

    async def measured_by(game: str, version: int, before: int, limit: int) -> tuple[int, ...]:
        asked.append(game)
        if len(asked) < 3:
            raise OSError("away")
        return ()

    monkeypatch.setattr(store, "measured_by", measured_by)
    luck = LuckBackfill(Sessions(store, lambda: NOW), Odds().think)
    versions = [name for name, entry in GAMES.items() for _ in range(entry.measure_version)]
    await luck.start()
    await until(lambda: len(asked) == 2 + len(versions))
    await asyncio.sleep(0.1)
    assert asked == [*versions[:1] * 2, *versions]
    assert [record.levelname for record in caplog.records] == ["WARNING"] * 2
    await luck.stop()


@pytest.mark.parametrize("moments", range(1, 16))
async def test_stopped_in_the_midst_of_a_query_it_leaves_no_file_open(
    path: Database, monkeypatch: pytest.MonkeyPatch, moments: int
) -> None:
    """A cancelled task keeps its last result: a cursor with rows would keep the database open."""
    if not isinstance(path, Path):
        pytest.skip("PostgreSQL's files are its server's")
    monkeypatch.setattr(luck_backfill, "FIRST_SECONDS", 0.0)
    store = await open_store(path)
    luck = LuckBackfill(Sessions(store, lambda: NOW), Odds().think)
    await luck.start()
    for _ in range(moments):
        # Let the database's thread finish one step, and the loop take notice of it.
        time.sleep(0.005)  # noqa: ASYNC251
        await asyncio.sleep(0)
    await luck.stop()
    await store.close()
    assert open_files(path) == set()
