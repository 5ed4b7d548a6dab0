"""Makes requests wait until a rate limit is over that an earlier request met.

The library waits for the end of a limit only within the request that met it. If that one is given up, as by a
timeout, the next one for the same would ask Discord before the limit is over, again and again while it lasts
for minutes; and after a global limit all requests would wait for ever. Written for discord.py 2.7.1;
``tests/process/test_met_limits.py`` tests it with the library. If the library does this itself after an
upgrade, delete this module and its call in ``sharded_bot.py``.
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
    global_end = 0.0
    """When it takes any request again."""

    async def note(
        asked: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        nonlocal global_end
        response = await handler(asked)
        seconds = response.headers.get("Retry-After", "")
        # Without Via it is no limit but a ban, for which the library does not wait either.
        if response.status == 429 and "Via" in response.headers and seconds.replace(".", "", 1).isdecimal():
            end = asyncio.get_running_loop().time() + float(seconds)
            if "X-RateLimit-Global" in response.headers:
                global_end = end
            else:
                ends[asked.method, asked.url.path] = end
        return response

    async def request_in_time(route: Route, **more: Any) -> Any:
        now = asyncio.get_running_loop().time
        path = yarl.URL(route.url).path
        while (end := max(global_end, ends.get((route.method, path), 0.0))) > now():  # noqa: ASYNC110 - the end is known
            await asyncio.sleep(end - now())
        try:
            # Only here: for the whole session it would cost each click as well.
            return await request(route, middlewares=(note,), **more)
        except asyncio.CancelledError:
            # If this one has met a global limit, no other need wait for it any more, but only for its end.
            http._global_over.set()
            raise

    http.request = request_in_time  # type: ignore[method-assign]
