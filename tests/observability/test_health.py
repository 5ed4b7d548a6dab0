"""Health and metrics over HTTP, also when something is wrong."""

from __future__ import annotations

import asyncio
import socket
from contextlib import nullcontext
from typing import Any

import aiohttp
import pytest

from bot.observability import health, metrics
from bot.observability.health import HealthServer
from bot.store.base import Change, Conflict, Duplicate, ReadOnly
from bot.store.timed import TimedStore
from tests.support.scraping import free_port, get, value
from tests.support.waiting import until


class Bot:
    """A bot that is as well as a test says."""

    def __init__(self) -> None:
        self.reason: str | None = None
        self.error: Exception | None = None
        self.slow = False

    def problem(self) -> str | None:
        return self.reason

    async def ping(self) -> None:
        if self.slow:
            await asyncio.sleep(60)
        if self.error:
            raise self.error

    async def snapshot(self) -> metrics.Snapshot:
        await self.ping()
        return metrics.Snapshot(True, 0.25, 3, {("tutto", "live"): 2, ("gambler", "lobby"): 1})


async def test_pages_of_the_internet_are_refused() -> None:
    """A page's name can be made to point at this machine; its script then asks in the reader's browser."""
    async with HealthServer(Bot(), "127.0.0.1", 0) as server, aiohttp.ClientSession() as session:
        for path in ("/metrics", "/healthz"):
            for host, status in (
                ("127.0.0.1:9464", 200),
                ("[::1]:9464", 200),
                ("localhost", 200),
                ("bot:9464", 200),
                (socket.gethostname(), 200),
                ("evil.example", 421),
                ("evil.example:9464", 421),
                ("127.0.0.1.evil.example", 421),
            ):
                url = f"http://127.0.0.1:{server.port}{path}"
                async with session.get(url, headers={"Host": host}) as response:
                    assert response.status == status, host


async def test_healthy_only_if_discord_and_the_database_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "PATIENCE_SECONDS", 0.05)
    bot = Bot()
    async with HealthServer(bot, "127.0.0.1", 0) as server:
        assert await get(server.port, "/healthz") == (200, "ok\n")
        bot.reason = "the bot is not connected to Discord yet"
        assert await get(server.port, "/healthz") == (503, f"{bot.reason}\n")
        bot.reason, bot.error = None, OSError("/secret/path is gone")
        status, text = await get(server.port, "/healthz")
        assert (status, text) == (503, "the database does not answer (OSError)\n")
        bot.error = ReadOnly("the database is read-only")
        assert await get(server.port, "/healthz") == (503, "degraded: the database is read-only\n")
        bot.error, bot.slow = None, True
        status, text = await get(server.port, "/healthz")
        assert status == 503
        assert "has not answered" in text
        bot.slow = False
        assert await get(server.port, "/healthz") == (200, "ok\n")


async def test_metrics_are_there_even_if_the_database_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "PATIENCE_SECONDS", 0.05)
    bot = Bot()
    async with HealthServer(bot, "127.0.0.1", 0) as server:
        status, text = await get(server.port, "/metrics")
        assert status == 200
        assert value(text, "dicebot_games", game="tutto", status="live") == 2
        assert value(text, "dicebot_gateway_latency_seconds") == 0.25
        assert value(text, "dicebot_servers") == 3
        bot.slow = True
        status, text = await get(server.port, "/metrics")
        assert status == 200
        assert value(text, "dicebot_games", game="tutto", status="live") is None
        assert value(text, "dicebot_paints_total", outcome="done") is not None


async def test_nothing_else_is_served() -> None:
    async with HealthServer(Bot(), "127.0.0.1", 0) as server:
        assert (await get(server.port, "/"))[0] == 404


async def test_a_port_in_use_is_an_os_error() -> None:
    port = free_port()
    async with HealthServer(Bot(), "127.0.0.1", port):
        with pytest.raises(OSError, match=str(port)):
            await HealthServer(Bot(), "127.0.0.1", port).__aenter__()


async def test_the_loop_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "LAG_SECONDS", 0.01)
    name = "dicebot_loop_lag_seconds_count"
    before = metrics.REGISTRY.get_sample_value(name) or 0
    async with HealthServer(Bot(), "127.0.0.1", 0):
        await until(lambda: (metrics.REGISTRY.get_sample_value(name) or 0) >= before + 3)


class Shop:
    """A store that answers every commit with the same."""

    shared = False

    def __init__(self, answer: Exception | None) -> None:
        self.answer = answer

    async def commit(self, change: Change) -> None:
        if self.answer:
            raise self.answer

    async def fresh(self, game_id: int) -> str:
        return f"game {game_id}"

    async def meta(self, key: str) -> str:
        return key


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [(None, "done"), (Conflict(), "conflict"), (Duplicate(), "duplicate"), (OSError("full"), "failed")],
)
async def test_commits_are_counted_by_outcome(answer: Exception | None, outcome: str) -> None:
    def counted() -> float:
        return metrics.REGISTRY.get_sample_value("dicebot_commits_total", {"outcome": outcome}) or 0

    before = counted()
    store = TimedStore(Shop(answer))  # type: ignore[arg-type]
    with pytest.raises(type(answer)) if answer else nullcontext():
        await store.commit(None)  # type: ignore[arg-type]
    assert counted() == before + 1
    assert await store.meta("what is not timed goes through") == "what is not timed goes through"


async def test_what_is_read_is_timed() -> None:
    def counted() -> float:
        return metrics.REGISTRY.get_sample_value("dicebot_step_seconds_count", {"step": "load"}) or 0

    before = counted()
    shop: Any = Shop(None)
    store: Any = TimedStore(shop)
    assert await store.fresh(1) == await store.game(1) == "game 1"
    assert counted() == before + 2
