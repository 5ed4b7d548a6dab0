"""An AI that never decides: its game goes on, and no other game waits for it."""

from __future__ import annotations

import asyncio
import logging
import random
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from bot import registry
from bot.records.game_log import read_log
from bot.registry import find
from bot.services.thinking import Thinker
from bot.sessions.session import Sessions
from bot.store.base import FINISHED
from bot.store.sqlite.store import SqliteStore
from tests.sessions.test_session import ANNA, BEN, CLEO, SEED, Place
from tests.support.waiting import until


class Hanging:
    """A policy that thinks until it is given up."""

    def choose(self, state: Any, rng: random.Random) -> Any:
        time.sleep(3600)


class HangingAmongThree:
    """A policy that hangs in some games and plays in others."""

    def choose(self, state: Any, rng: random.Random) -> Any:
        if len(state.scores) == 3:
            time.sleep(3600)
        return find("tutto").policies["casual"].choose(state, rng)


@pytest.fixture
async def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Place, Place]]:
    """Two channels of one bot, in which all AIs hang and are given up after a moment."""
    entry = find("tutto")
    hanging = replace(entry, policies=dict.fromkeys(entry.policies, Hanging()), absent=Hanging())
    monkeypatch.setattr(registry, "GAMES", MappingProxyType({**registry.GAMES, "tutto": hanging}))
    store = await SqliteStore.open(tmp_path / "games.db")
    thinker = Thinker(0.2)
    first, second = Place(store), Place(store, 200)
    first.sessions = second.sessions = Sessions(store, lambda: first.time, lambda: SEED, thinker)
    first.store = second.store = first.sessions.store
    second._interactions = iter(range(1_000_000, 2_000_000))  # type: ignore[assignment]
    yield first, second
    await thinker.close()
    await store.close()


async def folds(place: Place) -> bool:
    """Whether the log of the channel's game leads to what is stored."""
    row = await place.row()
    *_, last = (await read_log(place.store, row)).replay()
    return bool(last.state == row.state)


@asynccontextmanager
async def hanging_in(place: Place, ais: int) -> AsyncIterator[asyncio.Task[Any]]:
    """A game that waits for an AI, given up in the middle, as when the bot stops."""
    await place.begin(ANNA, ais=ais)
    waiting = asyncio.create_task(place.play())

    async def ai_moves() -> bool:
        return (await place.row()).ai_to_move

    try:
        await until(ai_moves)
        yield waiting
    finally:
        # What was played is there, and no more.
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        assert isinstance(place.sessions.think, Thinker)
        await place.sessions.think.close()


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]


async def test_a_game_goes_on_past_an_ai_that_hangs(
    places: tuple[Place, Place], caplog: pytest.LogCaptureFixture
) -> None:
    """It is played to its end, with the first legal action in place of the AI's."""
    place, _ = places
    await place.begin(ANNA, ais=1)
    row = await place.play()
    assert row.status == FINISHED
    assert await folds(place)
    assert told(caplog)
    assert all("AI" in line and "has failed" in line for line in told(caplog))


async def test_nobody_else_waits_for_an_ai_that_hangs(
    places: tuple[Place, Place], caplog: pytest.LogCaptureFixture
) -> None:
    slow, other = places
    slow.sessions.think = Thinker(5.0)
    async with hanging_in(slow, ais=1) as waiting:
        await other.begin(BEN, CLEO)
        row = await other.play()
        assert row.status == FINISHED
        assert not waiting.done()
    assert await folds(slow)


async def test_ais_of_other_games_go_on_beside_one_that_hangs(
    places: tuple[Place, Place], monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, other = places
    entry = find("tutto")
    some = replace(entry, policies=dict.fromkeys(entry.policies, HangingAmongThree()))
    monkeypatch.setattr(registry, "GAMES", MappingProxyType({**registry.GAMES, "tutto": some}))
    slow.sessions.think = other.sessions.think = Thinker(60.0, most=2, patience_seconds=0.1)
    async with hanging_in(slow, ais=2) as waiting:
        await other.begin(BEN, ais=1, target=1000)
        async with asyncio.timeout(40):
            row = await other.play()
        assert row.status == FINISHED
        assert not waiting.done()
    assert await folds(slow)
    assert await folds(other)


async def test_the_turn_of_somebody_away_is_played_though_what_plays_for_them_hangs(
    places: tuple[Place, Place], caplog: pytest.LogCaptureFixture
) -> None:
    place, _ = places
    row = await place.begin(ANNA, BEN)
    for _ in range(2):
        place.time += 305
        await place.session.overdue(row.id)
    row = await place.row()
    assert row.missed[0] == 1
    assert await place.mover() == BEN
    assert await folds(place)
    assert told(caplog)


async def test_what_hangs_in_a_thread_is_given_up_as_well() -> None:
    """Without a worker process a thread is used, which can't be killed; but the wait for it ends."""
    release = threading.Event()
    thinker = Thinker(0.2)
    try:
        with pytest.raises(TimeoutError):
            await thinker(lambda: release.wait(60))
    finally:
        release.set()
        await thinker.close()
