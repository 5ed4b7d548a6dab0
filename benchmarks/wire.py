"""Run a server that accepts everything in a process of its own, to measure a client's answers alone.

It answers callbacks of interactions as Discord does, with the message as it is after them, and messages that
are posted or edited with themselves.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import sys
from collections.abc import AsyncIterator
from typing import Any

import orjson
from aiohttp import web

from benchmarks.desk import APPLICATION, FIRST_MESSAGE, message

_ids = itertools.count(1 << 61)


def said(value: Any) -> web.Response:
    # The library reads only this content type as JSON, to the letter.
    return web.Response(body=orjson.dumps(value), headers={"Content-Type": "application/json"})


async def components_of(request: web.Request) -> list[Any]:
    """Those of a message that is posted or edited."""
    if request.content_type == "application/json":
        given = orjson.loads(await request.read())
    else:
        # With files, the message itself is the first part.
        given = orjson.loads(str((await request.post())["payload_json"]))
    return list(given.get("components", []))


def answered(request: web.Request, kind: int, number: int, shown: dict[str, Any] | None) -> web.Response:
    """What Discord says to an answer of this type; ``shown`` is message ``number`` as it is after it."""
    if request.query.get("with_response", "").lower() not in ("true", "1"):
        # Who does not ask for the message does not get it.
        return web.Response(status=204)
    resource: dict[str, Any] = {"type": kind}
    if shown is not None:
        resource["message"] = shown
    interaction = {"id": request.match_info["id"], "type": 3, "response_message_id": str(number)}
    return said({"interaction": interaction, "resource": resource})


async def me(request: web.Request) -> web.Response:
    return said({"id": "3", "username": "dice", "discriminator": "0", "avatar": None, "bot": True})


async def application(request: web.Request) -> web.Response:
    return said(
        {
            "id": str(APPLICATION),
            "name": "dice",
            "flags": 0,
            "description": "",
            "icon": None,
            "rpc_origins": None,
            "bot_public": True,
            "bot_require_code_grant": False,
            "verify_key": "",
            "owner": {"id": "1", "username": "owner", "discriminator": "0", "avatar": None},
        }
    )


async def no_emojis(request: web.Request) -> web.Response:
    return said({"items": []})


async def new_emoji(request: web.Request) -> web.Response:
    return said({"id": str(next(_ids)), "name": (await request.json())["name"]})


async def callback(request: web.Request) -> web.Response:
    answer = orjson.loads(await request.read())
    # The token says which message was clicked and where.
    number, channel = (int(part) for part in request.match_info["token"].split("-")[1:3])
    number = number or FIRST_MESSAGE
    shown = message(number, channel, answer["data"]["components"]) if "data" in answer else None
    return answered(request, answer["type"], number, shown)


async def posted(request: web.Request) -> web.Response:
    number = int(request.match_info.get("message", 0)) or next(_ids)
    return said(message(number, int(request.match_info["channel"]), await components_of(request)))


@contextlib.asynccontextmanager
async def listening(app: web.Application) -> AsyncIterator[str]:
    """Serve ``app``, and what a client asks for when it logs in; at the address that is given."""
    app.router.add_get("/users/@me", me)
    app.router.add_get("/oauth2/applications/@me", application)
    app.router.add_get("/applications/{application}/emojis", no_emojis)
    app.router.add_post("/applications/{application}/emojis", new_emoji)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


async def serve() -> None:
    app = web.Application()
    app.router.add_post("/interactions/{id}/{token}/callback", callback)
    app.router.add_post("/channels/{channel}/messages", posted)
    app.router.add_patch("/channels/{channel}/messages/{message}", posted)
    async with listening(app) as url:
        print(url, flush=True)
        # Whoever started this ends it by closing its input.
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(serve())
