"""Makes a request wait until the rate limit is over that an earlier request for the same met.

The library waits for the end of a limit only within the request that met it. If that one is given up, as by a
timeout, the next one would ask Discord before the limit is over, again and again while it lasts for minutes.
Written for discord.py 2.7.1; ``tests/process/test_route_limits.py`` tests it with the library. If the library
does this itself after an upgrade, delete this module and its call in ``sharded_bot.py``.
"""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp
import discord
import yarl
from discord.http import Route

from bot.store.bounded import Bounded

MAX_LIMITS = 4096
"""How many limits to remember."""


def wait_for_limits(client: discord.Client) -> None:
    """Let requests wait for the end of limits that were met. Call this before the client logs in."""
    http = client.http
    request = http.request
    ends: Bounded[tuple[str, str], float] = Bounded(MAX_LIMITS)
    """By method and path: when Discord takes the request again, in the seconds of the loop's clock."""

    async def note(
        asked: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        response = await handler(asked)
        seconds = response.headers.get("Retry-After", "")
        # Without Via it is no limit but a ban, for which the library does not wait either.
        if response.status == 429 and "Via" in response.headers and seconds.replace(".", "", 1).isdecimal():
            ends[asked.method, asked.url.path] = asyncio.get_running_loop().time() + float(seconds)
        return response

    async def request_in_time(route: Route, **more: Any) -> Any:
        end = ends.get((route.method, yarl.URL(route.url).path), 0.0)
        await asyncio.sleep(end - asyncio.get_running_loop().time())
        # Only here: for the whole session it would cost each click as well.
        return await request(route, middlewares=(note,), **more)

    http.request = request_in_time  # type: ignore[method-assign]
