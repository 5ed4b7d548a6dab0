"""The data of servers from which the bot was removed is kept for 30 days; no other data is touched."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator

import pytest

from bot.services.data_retention import KEEP_SECONDS, DataRetention
from bot.store.base import Store
from tests.support.databases import Place, open_store
from tests.support.histories import NOW
from tests.support.rows import a_game

DAY = 86_400.0


class SessionContext:
    """A clock, and the list of servers that the bot is in."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.now = NOW
        self.cached: set[int] = set()
        self.truth: set[int] = set()
        self.silent = False
        self.certain = True
        self.asked: list[int] = []
        self.purged: list[int] = []

    async def is_in(self, guild_id: int) -> bool | None:
        self.asked.append(guild_id)
        return None if self.silent else guild_id in self.truth

    async def keeper(self) -> DataRetention:
        keeper = DataRetention(
            self.store,
            lambda: self.now,
            lambda: self.cached,
            self.is_in,
            self.purged.append,
            is_certain=lambda: self.certain,
        )
        await keeper.start()
        await keeper.stop()  # its timer is not wanted here
        return keeper

    async def known(self) -> set[int]:
        return set(await self.store.known_guilds())


@pytest.fixture
async def around(new: Place) -> AsyncIterator[SessionContext]:
    """A bot in servers 1 to 6, each with a game."""
    store = await open_store(new)
    around = SessionContext(store)
    for guild_id in range(1, 7):
        await store.create(a_game(guild_id * 100, guild_id=guild_id), None)
    around.cached = around.truth = set(range(1, 7))
    yield around
    await store.close()


async def test_the_data_of_a_server_goes_after_30_days(around: SessionContext) -> None:
    keeper = await around.keeper()
    around.cached = around.truth = around.truth - {1}
    await keeper.departed(1)
    around.now += KEEP_SECONDS - 1
    await keeper.round()
    assert around.purged == []
    around.now += 2
    await (await around.keeper()).round()  # also after a restart
    assert around.purged == [1]
    assert await around.known() == {2, 3, 4, 5, 6}
    await (await around.keeper()).round()
    assert around.purged == [1]


async def test_it_stays_if_the_bot_is_asked_back(around: SessionContext) -> None:
    keeper = await around.keeper()
    around.cached = around.truth = around.truth - {1}
    await keeper.departed(1)
    around.now += 29 * DAY
    around.cached = around.truth = around.truth | {1}
    await keeper.came_back(1)
    around.now += 10 * DAY
    await keeper.round()
    assert around.purged == []
    # Taken out once more, the 30 days begin anew.
    around.cached = around.truth = around.truth - {1}
    await keeper.departed(1)
    around.now += 29 * DAY
    await keeper.round()
    assert around.purged == []


async def test_coming_back_while_the_bot_was_away_is_noticed(around: SessionContext) -> None:
    keeper = await around.keeper()
    await keeper.departed(1)
    around.now += 31 * DAY
    await (await around.keeper()).round()  # it is among the servers of the connection
    assert around.purged == []
    assert await around.store.departures() == {}


async def test_discord_is_asked_before_anything_is_deleted(around: SessionContext) -> None:
    keeper = await around.keeper()
    await keeper.departed(1)
    around.cached = around.cached - {1}  # missing here, but Discord knows that the bot is in it
    around.now += 31 * DAY
    await keeper.round()
    assert around.purged == []
    assert await around.store.departures() == {}


async def test_a_silent_discord_deletes_nothing(around: SessionContext) -> None:
    keeper = await around.keeper()
    around.cached = around.truth = around.truth - {1}
    await keeper.departed(1)
    around.now += 31 * DAY
    around.silent = True
    await keeper.round()
    assert around.purged == []
    around.silent = False
    around.now += 3600
    await keeper.round()
    assert around.purged == [1]


async def test_merely_missing_from_the_cache_loses_nothing(around: SessionContext) -> None:
    around.cached = set()
    keeper = await around.keeper()
    for _ in range(40):
        await keeper.round()
        around.now += DAY
    assert around.purged == []
    assert await around.store.departures() == {}


async def test_taken_out_while_the_bot_was_away(around: SessionContext) -> None:
    """No event has told of it. It is found by asking, and the 30 days begin then."""
    around.cached = around.truth = around.truth - {1}
    keeper = await around.keeper()
    await keeper.round()
    assert await around.store.departures() == {1: NOW}
    around.now += 31 * DAY
    await keeper.round()
    assert around.purged == [1]


async def test_servers_are_asked_about_once_a_day(around: SessionContext) -> None:
    around.cached = set()
    keeper = await around.keeper()
    for _ in range(48):
        await keeper.round()
        around.now += 3600
    assert len(around.asked) == 2 * 6


async def test_too_many_at_once_are_a_mistake(
    around: SessionContext, caplog: pytest.LogCaptureFixture
) -> None:
    """As with the token of another application: Discord denies all of them."""
    around.cached = around.truth = set()
    keeper = await around.keeper()
    with caplog.at_level(logging.ERROR):
        for _ in range(40):
            await keeper.round()
            around.now += DAY
    assert around.purged == []
    assert "another application" in caplog.text


async def test_one_failure_keeps_nothing_else(
    around: SessionContext, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper = await around.keeper()
    around.cached = around.truth = around.truth - {1}
    await keeper.departed(1)
    around.now += 31 * DAY

    async def fail() -> tuple[int, ...]:
        raise OSError("disk")

    monkeypatch.setattr(around.store, "known_guilds", fail)
    with caplog.at_level(logging.ERROR):
        await keeper.round()
    assert "Data retention has failed" in caplog.text
    assert around.purged == [1]


async def test_while_the_clock_is_not_certain_nothing_is_stored_or_deleted(around: SessionContext) -> None:
    """A server left at a wrong time would seem to be left long ago once the clock is right."""
    keeper = await around.keeper()
    around.certain = False
    around.cached = around.truth = {1, 2, 3, 4, 5}
    await keeper.departed(6)
    assert await around.store.departures() == {}
    await keeper.round()
    around.now += KEEP_SECONDS + DAY
    around.certain = True
    await keeper.round()  # finds that the bot was removed
    assert await around.known() == {1, 2, 3, 4, 5, 6}
    assert await around.store.departures() == {6: around.now}
    around.now += KEEP_SECONDS + DAY
    around.certain = False
    await keeper.round()
    assert 6 in await around.known()
    around.certain = True
    await keeper.round()
    assert around.purged == [6]
