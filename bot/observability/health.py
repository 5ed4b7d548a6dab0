"""The bot as seen from outside: ``/healthz`` and ``/metrics`` over HTTP, for whoever runs it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Protocol

from aiohttp import web
from prometheus_client import generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from bot.observability import metrics

PATIENCE_SECONDS = 2.0
"""A database that has not answered by then counts as one that does not answer."""

LAG_SECONDS = 1.0
"""How often the event loop is asked whether it is on time."""

_log = logging.getLogger(__name__)


class Watched(Protocol):
    """What can be asked about a bot. All are called while it starts and stops, too."""

    def trouble(self) -> str | None:
        """Why the bot is not connected to Discord; None if it is."""
        ...

    async def ping(self) -> None:
        """Raises if the database does not answer."""
        ...

    async def now(self) -> metrics.Now: ...


class Watch:
    """Serves until it is stopped. Use as ``async with``; raises :class:`OSError` where it can't listen."""

    def __init__(self, bot: Watched, host: str, port: int) -> None:
        self._bot = bot
        self._host = host
        self._port = port
        self._runner: web.AppRunner | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> Watch:
        app = web.Application()
        app.router.add_get("/healthz", self._healthz)
        app.router.add_get("/metrics", self._metrics)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, self._host, self._port).start()
        except BaseException:
            await self._runner.cleanup()
            raise
        _log.info("Metrics at http://%s:%s/metrics, health at /healthz", self._host, self.port)
        self._look(None)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._runner is not None:
            await self._runner.cleanup()

    @property
    def port(self) -> int:
        """The port it listens on."""
        assert self._runner is not None
        return int(self._runner.addresses[0][1])

    async def health(self) -> str | None:
        """What is wrong, in a line; None if the bot is connected and its database answers."""
        trouble = self._bot.trouble()
        if trouble is not None:
            return trouble
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await self._bot.ping()
        except TimeoutError:
            return f"the database has not answered within {PATIENCE_SECONDS:g} s"
        except Exception as error:
            # Only the kind: an error's text may name hosts and files.
            return f"the database does not answer ({type(error).__name__})"
        return None

    async def _healthz(self, request: web.Request) -> web.Response:
        trouble = await self.health()
        if trouble is None:
            return web.Response(text="ok\n")
        return web.Response(status=503, text=f"{trouble}\n")

    async def _metrics(self, request: web.Request) -> web.Response:
        text = generate_latest(metrics.REGISTRY)
        now = await _quietly(self._bot.now)
        if now is not None:
            text += generate_latest(now)
        return web.Response(body=text, headers={"Content-Type": CONTENT_TYPE_LATEST})

    def _look(self, expected: float | None) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        if expected is not None:
            metrics.loop_lag_seconds.observe(max(0.0, now - expected))
        self._timer = loop.call_at(now + LAG_SECONDS, self._look, now + LAG_SECONDS)


async def _quietly(ask: Callable[[], Awaitable[metrics.Now]]) -> metrics.Now | None:
    """The present figures; None while the database does not answer, which must not hide the others."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await ask()
    except Exception as error:
        _log.warning("The figures of the moment could not be had: %s", error or type(error).__name__)
        return None
