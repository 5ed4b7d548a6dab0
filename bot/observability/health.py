"""Metrics and health over HTTP: ``/metrics`` and ``/healthz``, for operators."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from ipaddress import ip_address
from types import TracebackType
from typing import Protocol
from urllib.parse import urlsplit

from aiohttp import web
from prometheus_client import generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from bot.observability import metrics
from bot.store.base import ReadOnly

PATIENCE_SECONDS = 2.0
"""How long the database may take to answer."""

LAG_SECONDS = 1.0
"""How often to measure how late the event loop runs a timer."""

_log = logging.getLogger(__name__)


class Monitored(Protocol):
    """What :class:`HealthServer` asks the bot, also while the bot starts and stops."""

    def problem(self) -> str | None:
        """Return why the bot is not connected to Discord; None if it is."""
        ...

    async def ping(self) -> None:
        """Raise an error if the database does not answer."""
        ...

    async def snapshot(self) -> metrics.Snapshot:
        """Return the current values."""
        ...


class HealthServer:
    """A context manager that serves metrics and health. Raises :class:`OSError` if it can't listen."""

    def __init__(self, bot: Monitored, host: str, port: int) -> None:
        self._bot = bot
        self._host = host
        self._port = port
        self._runner: web.AppRunner | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> HealthServer:
        app = web.Application(middlewares=[self._refuse_foreign_hosts])
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
        self._measure_lag(None)
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

    async def problem(self) -> str | None:
        """Return what is wrong, in a line; None if the bot is connected and its database answers."""
        disconnected = self._bot.problem()
        if disconnected is not None:
            return disconnected
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await self._bot.ping()
        except TimeoutError:
            return f"the database has not answered within {PATIENCE_SECONDS:g} s"
        except ReadOnly as error:
            return f"degraded: {error}"
        except Exception as error:
            # Not the text of the error, which may name hosts and files.
            return f"the database does not answer ({type(error).__name__})"
        return None

    @web.middleware
    async def _refuse_foreign_hosts(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """Refuse a page of the Internet whose name was made to point at this machine (DNS rebinding)."""
        if not is_own_host(request.host, self._host):
            return web.Response(
                status=421,
                text="This name is not the bot's: ask for its address, or set METRICS_HOST to it.\n",
            )
        return await handler(request)

    async def _healthz(self, request: web.Request) -> web.Response:
        problem = await self.problem()
        if problem is None:
            return web.Response(text="ok\n")
        return web.Response(status=503, text=f"{problem}\n")

    async def _metrics(self, request: web.Request) -> web.Response:
        text = generate_latest(metrics.REGISTRY)
        current = await _if_answered(self._bot.snapshot)
        if current is not None:
            text += generate_latest(current)
        return web.Response(body=text, headers={"Content-Type": CONTENT_TYPE_LATEST})

    def _measure_lag(self, expected: float | None) -> None:
        """Note how late the loop calls this; it was to be called at ``expected``, None for the first time."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        if expected is not None:
            metrics.loop_lag_seconds.observe(max(0.0, now - expected))
        self._timer = loop.call_at(now + LAG_SECONDS, self._measure_lag, now + LAG_SECONDS)


def is_own_host(header: str, listening: str) -> bool:
    """Return whether the ``Host`` of a request can be meant for this server, which listens on ``listening``.

    That is so for IP addresses, for names without a dot, as local networks and containers have them, and for
    this machine's own names. A page of the Internet has a name with a dot.

    >>> [is_own_host(host, "127.0.0.1") for host in ("127.0.0.1:9464", "[::1]:9464", "bot:9464", "a.example")]
    [True, True, True, False]
    """
    try:
        name = (urlsplit(f"//{header}").hostname or "").rstrip(".")
    except ValueError:
        return False
    # A colon is part of an IPv6 address, which is checked below.
    if "." not in name and ":" not in name:
        return True
    with suppress(ValueError):
        ip_address(name)
        return True
    return name in {own.lower().rstrip(".") for own in (listening, socket.gethostname(), socket.getfqdn())}


async def _if_answered(ask: Callable[[], Awaitable[metrics.Snapshot]]) -> metrics.Snapshot | None:
    """Return the current values, or None if the database does not answer; the counters are served anyway."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await ask()
    except Exception as error:
        _log.warning("The current values could not be read: %s", error or type(error).__name__)
        return None
