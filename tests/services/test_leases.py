"""Leases of shards: each shard has exactly one process, also while it changes hands."""

from __future__ import annotations

import asyncio
import logging
from itertools import product

import pytest

from bot.services import leases
from bot.services.leases import Leases, assigned_shards
from bot.store.base import Outdated, Process
from tests.support.waiting import until


def a_process(name: str, *shards: int, count: int = 4) -> Process:
    return Process(name, count, frozenset(shards))


def test_each_shard_is_looked_after_by_exactly_one_process() -> None:
    """Whichever processes are alive, with any shards, even the same ones twice or none."""
    choices = [(), (0,), (0, 1), (2, 3), (0, 1, 2, 3)]
    for first, second, third in product(choices, repeat=3):
        alive = [a_process("a", *first), a_process("b", *second), a_process("c", *third)]
        found = [shard for one in alive for shard in assigned_shards(one.name, alive, 4)]
        assert sorted(found) == [0, 1, 2, 3]
        for shard in range(4):
            serving = [one.name for one in alive if shard in one.shards]
            if serving:
                assert shard in assigned_shards(serving[0], alive, 4)


def test_the_shards_of_the_dead_are_shared_out() -> None:
    alive = [a_process("a", 0), a_process("b", 1)]
    assert assigned_shards("a", alive, 4) == {0, 2}
    assert assigned_shards("b", alive, 4) == {1, 3}
    assert assigned_shards("gone", alive, 4) == frozenset()


def test_processes_with_another_shard_count_are_left_out() -> None:
    alive = [a_process("a", 0, 1, count=2), a_process("b", 0)]
    assert assigned_shards("a", alive, 2) == {0, 1}
    assert assigned_shards("b", alive, 4) == {0, 1, 2, 3}


class Board:
    """A store that only knows who is alive."""

    def __init__(self) -> None:
        self.processes: dict[str, Process] = {}
        self.served: list[frozenset[int]] = []
        self.away = False

    def serve_shards(self, shard_count: int, shards: object) -> None:
        assert isinstance(shards, frozenset)
        self.served.append(shards)

    async def heartbeat(
        self, name: str, shard_count: int, shards: object, seconds: float
    ) -> tuple[Process, ...]:
        if self.away:
            raise OSError("the server is away")
        assert isinstance(shards, tuple)
        self.processes.setdefault(name, Process(name, shard_count, frozenset(shards)))
        return tuple(self.processes.values())

    async def carried_out(self, interaction_id: int) -> bool:
        return False

    async def claim(self, interaction_id: int) -> bool:
        return True

    async def leave(self, name: str) -> None:
        self.processes.pop(name)


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "RENEW_SECONDS", 0.01)


async def test_shards_go_over_and_come_back() -> None:
    board = Board()
    gained: list[frozenset[int]] = []

    async def note() -> None:
        gained.append(one.mine)

    async def nothing() -> None: ...

    one, two = Leases(board, 2, [0], note), Leases(board, 2, [1], nothing)
    await one.start()
    assert one.mine == {0, 1}  # nobody else is there yet
    await two.start()
    await until(lambda: one.mine == {0})
    assert two.mine == {1}
    assert gained == []
    guilds = [number << 22 for number in range(4)]
    assert [two.is_responsible_for(guild) for guild in guilds] == [False, True, False, True]
    assert all(one.is_served(guild) for guild in guilds)
    await two.stop()
    await until(lambda: gained)
    assert gained == [{0, 1}]
    # It does what is left to do there, but nobody's clicks reach it.
    assert [one.is_served(guild) for guild in guilds] == [True, False, True, False]
    await one.stop()
    assert board.processes == {}


async def test_a_process_whose_heartbeats_fail_looks_after_nothing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(leases, "LEASE_SECONDS", 0.05)
    board = Board()
    gained: list[frozenset[int]] = []

    async def note() -> None:
        gained.append(one.mine)

    one = Leases(board, 1, [0], note)
    await one.start()
    board.away = True
    await until(lambda: not one.mine)
    assert board.served[-1] == frozenset()
    board.away = False
    await until(lambda: gained)
    assert one.mine == {0}
    await one.stop()
    assert all(record.levelno < logging.ERROR for record in caplog.records)


async def test_a_takeover_that_fails_is_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    board = Board()
    gained: list[frozenset[int]] = []

    async def note() -> None:
        gained.append(one.mine)
        if len(gained) < 3:
            raise OSError("no settings")

    board.processes["other"] = a_process("other", 1, count=2)
    one = Leases(board, 2, [0], note)
    await one.start()
    assert one.mine == {0}
    del board.processes["other"]
    await until(lambda: len(gained) == 3)
    await asyncio.sleep(0.05)
    assert gained == [{0, 1}] * 3
    assert caplog.text.count("no settings") == 2
    await one.stop()


async def test_two_with_the_same_shards_are_told(caplog: pytest.LogCaptureFixture) -> None:
    board = Board()

    async def nothing() -> None: ...

    one, two = Leases(board, 2, [0, 1], nothing), Leases(board, 2, [1], nothing)
    await one.start()
    await two.start()
    await until(lambda: caplog.text.count("SHARD_IDS") == 2)
    await asyncio.sleep(0.1)
    assert caplog.text.count("SHARD_IDS") == 2  # once each
    await two.stop()
    await one.stop()


async def test_a_process_beside_a_newer_schema_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    board, told = Board(), list[Outdated]()

    async def nothing() -> None:
        pass

    one = Leases(board, 4, (0, 1, 2, 3), nothing, told.append)
    await one.start()
    assert one.mine == {0, 1, 2, 3}

    async def newer(*_: object) -> tuple[Process, ...]:
        raise Outdated("schema 9")

    monkeypatch.setattr(board, "heartbeat", newer)
    await until(lambda: bool(told))
    await asyncio.sleep(0.05)
    assert (str(told[0]), len(told), one.mine) == ("schema 9", 1, frozenset())
    await one.stop()
