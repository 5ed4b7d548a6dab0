"""The data of servers from which the bot was removed is kept for 30 days; no other data is touched."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from bot.services.data_retention import KEEP_SECONDS, DataRetention
from bot.store.base import ABORTED, Store
from bot.store.people import TO_ERASE
from tests.support.databases import Database, open_store
from tests.support.histories import NOW
from tests.support.rows import a_game
from tests.support.values import not_none

DAY = 86_400.0


class Servers:
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
        self.others: set[int] = set()
        """The servers and people that another process looks after."""

    async def is_in(self, guild_id: int) -> bool | None:
        self.asked.append(guild_id)
        return None if self.silent else guild_id in self.truth

    async def started(self) -> DataRetention:
        retention = DataRetention(
            self.store,
            lambda: self.now,
            lambda: self.cached,
            self.is_in,
            self.purged.append,
            lambda discord_id: discord_id not in self.others,
            is_certain=lambda: self.certain,
            erase=self.store.erase,
        )
        await retention.start()
        await retention.stop()  # its timer is not wanted here
        return retention

    async def remove(self, retention: DataRetention, guild_id: int) -> None:
        """Remove the bot from a server, which its connection tells."""
        self.cached = self.truth = self.truth - {guild_id}
        await retention.departed(guild_id)

    async def known(self) -> set[int]:
        return set(await self.store.known_guilds())


@pytest.fixture
async def servers(new: Database) -> AsyncIterator[Servers]:
    """A bot in servers 1 to 6, each with a game."""
    store = await open_store(new)
    servers = Servers(store)
    for guild_id in range(1, 7):
        await store.create(a_game(guild_id * 100, guild_id=guild_id), None)
    servers.cached = servers.truth = set(range(1, 7))
    yield servers
    await store.close()


async def test_the_data_of_a_server_goes_after_30_days(servers: Servers) -> None:
    retention = await servers.started()
    await servers.remove(retention, 1)
    servers.now += KEEP_SECONDS - 1
    await retention.round()
    assert servers.purged == []
    servers.now += 2
    await (await servers.started()).round()  # also after a restart
    assert servers.purged == [1]
    assert await servers.known() == {2, 3, 4, 5, 6}
    await (await servers.started()).round()
    assert servers.purged == [1]


async def test_it_stays_if_the_bot_is_asked_back(servers: Servers) -> None:
    retention = await servers.started()
    await servers.remove(retention, 1)
    servers.now += 29 * DAY
    servers.cached = servers.truth = servers.truth | {1}
    await retention.came_back(1)
    servers.now += 10 * DAY
    await retention.round()
    assert servers.purged == []
    # Taken out once more, the 30 days begin anew.
    await servers.remove(retention, 1)
    servers.now += 29 * DAY
    await retention.round()
    assert servers.purged == []


async def test_coming_back_while_the_bot_was_away_is_noticed(servers: Servers) -> None:
    retention = await servers.started()
    await retention.departed(1)
    servers.now += 31 * DAY
    await (await servers.started()).round()  # it is among the servers of the connection
    assert servers.purged == []
    assert await servers.store.departures() == {}


async def test_discord_is_asked_before_anything_is_deleted(servers: Servers) -> None:
    retention = await servers.started()
    await retention.departed(1)
    servers.cached = servers.cached - {1}  # missing here, but Discord knows that the bot is in it
    servers.now += 31 * DAY
    await retention.round()
    assert servers.purged == []
    assert await servers.store.departures() == {}


async def test_a_silent_discord_deletes_nothing(servers: Servers) -> None:
    retention = await servers.started()
    await servers.remove(retention, 1)
    servers.now += 31 * DAY
    servers.silent = True
    await retention.round()
    assert servers.purged == []
    servers.silent = False
    servers.now += 3600
    await retention.round()
    assert servers.purged == [1]


async def test_merely_missing_from_the_cache_loses_nothing(servers: Servers) -> None:
    servers.cached = set()
    retention = await servers.started()
    for _ in range(40):
        await retention.round()
        servers.now += DAY
    assert servers.purged == []
    assert await servers.store.departures() == {}


async def test_taken_out_while_the_bot_was_away(servers: Servers) -> None:
    """No event has told of it. It is found by asking, and the 30 days begin then."""
    servers.cached = servers.truth = servers.truth - {1}
    retention = await servers.started()
    await retention.round()
    assert await servers.store.departures() == {1: NOW}
    servers.now += 31 * DAY
    await retention.round()
    assert servers.purged == [1]


async def test_servers_are_asked_about_once_a_day(servers: Servers) -> None:
    servers.cached = set()
    retention = await servers.started()
    for _ in range(48):
        await retention.round()
        servers.now += 3600
    assert len(servers.asked) == 2 * 6


async def test_too_many_at_once_are_a_mistake(servers: Servers, caplog: pytest.LogCaptureFixture) -> None:
    """As with the token of another application: Discord denies all of them."""
    servers.cached = servers.truth = set()
    retention = await servers.started()
    with caplog.at_level(logging.ERROR):
        for _ in range(40):
            await retention.round()
            servers.now += DAY
    assert servers.purged == []
    assert "another application" in caplog.text


async def test_one_failure_keeps_nothing_else(
    servers: Servers, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    retention = await servers.started()
    await servers.remove(retention, 1)
    servers.now += 31 * DAY

    async def fail() -> tuple[int, ...]:
        raise OSError("disk")

    monkeypatch.setattr(servers.store, "known_guilds", fail)
    with caplog.at_level(logging.ERROR):
        await retention.round()
    assert "Data retention has failed" in caplog.text
    assert servers.purged == [1]


@pytest.mark.parametrize("query", ["known_guilds", "depart", "tidy"])
async def test_what_has_failed_is_done_an_hour_later(
    servers: Servers, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    servers.cached = servers.truth = servers.truth - {1}
    retention = await servers.started()
    calls = []
    works = getattr(servers.store, query)

    async def fails_once(*args: Any) -> Any:
        calls.append(servers.now)
        if len(calls) == 1:
            raise OSError("disk")
        return await works(*args)

    monkeypatch.setattr(servers.store, query, fails_once)
    for _ in range(24):
        await retention.round()
        servers.now += 3600
    assert calls == [NOW, NOW + 3600]
    assert servers.asked.count(1) == (2 if query == "depart" else 1)
    assert set(await servers.store.departures()) == {1}


async def test_a_return_that_could_not_be_stored_is_stored_later(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    retention = await servers.started()
    await servers.remove(retention, 1)
    servers.cached = servers.truth = servers.truth | {1}

    async def fail(guild_id: int) -> None:
        raise OSError("disk")

    with monkeypatch.context() as patch:
        patch.setattr(servers.store, "come_back", fail)
        with pytest.raises(OSError, match="disk"):
            await retention.came_back(1)
    await retention.round()
    assert await servers.store.departures() == {}


async def test_while_the_clock_is_not_certain_nothing_is_stored_or_deleted(servers: Servers) -> None:
    """A server left at a wrong time would seem to be left long ago once the clock is right."""
    retention = await servers.started()
    servers.certain = False
    await servers.remove(retention, 6)
    assert await servers.store.departures() == {}
    await retention.round()
    servers.now += KEEP_SECONDS + DAY
    servers.certain = True
    await retention.round()  # finds that the bot was removed
    assert await servers.known() == {1, 2, 3, 4, 5, 6}
    assert await servers.store.departures() == {6: servers.now}
    servers.now += KEEP_SECONDS + DAY
    servers.certain = False
    await retention.round()
    assert 6 in await servers.known()
    servers.certain = True
    await retention.round()
    assert servers.purged == [6]


async def test_what_can_not_be_deleted_holds_back_nothing_else(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For example the data of somebody who joins one game after another."""
    store, retention = servers.store, await servers.started()
    for guild_id in (1, 2):
        await servers.remove(retention, guild_id)
    for person in (8, 9):
        await store.set_meta(f"{TO_ERASE}{person}", "")
    servers.now += KEEP_SECONDS + DAY

    def failing_for(wrong: int, work: Callable[[int], Awaitable[None]]) -> Callable[[int], Awaitable[None]]:
        async def fail(some_id: int) -> None:
            if some_id == wrong:
                raise OSError("disk")
            await work(some_id)

        return fail

    monkeypatch.setattr(store, "purge", failing_for(1, store.purge))
    monkeypatch.setattr(store, "erase", failing_for(8, store.erase))
    retention = await servers.started()
    await retention.round()
    assert servers.purged == [2]
    assert await store.to_erase() == (8,)
    monkeypatch.undo()
    await (await servers.started()).round()
    assert servers.purged == [2, 1]
    assert await store.to_erase() == ()


async def test_one_process_erases_a_person(servers: Servers) -> None:
    for person in (8, 9):
        await servers.store.set_meta(f"{TO_ERASE}{person}", "")
    servers.others = {8}
    await (await servers.started()).round()
    assert await servers.store.to_erase() == (8,)


async def test_people_are_erased_whatever_the_time_is(store: Store) -> None:
    """Just after a start the clock may not be certain, and nobody may click for a while."""
    servers = Servers(store)
    row = await store.create(a_game(100, 1, 2, status=ABORTED), None)
    await store.set_meta(f"{TO_ERASE}1", "")
    servers.certain = False
    await (await servers.started()).round()
    assert await store.to_erase() == ()
    assert not_none(await store.game(row.id)).seats[0].user_id is None
