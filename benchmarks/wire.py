"""A server in a process of its own that says yes: what a client's answers cost, without Discord's side of it.

It answers callbacks of interactions as Discord does, with the message as it is after them, and messages that
are posted or edited with themselves.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
from typing import Any

from aiohttp import web

from benchmarks.desk import APPLICATION, message

_ids = itertools.count(1 << 61)


def _json(value: Any) -> web.Response:
    # The library reads only this content type as JSON, to the letter.
    return web.Response(body=json.dumps(value).encode(), headers={"Content-Type": "application/json"})


async def me(request: web.Request) -> web.Response:
    return _json({"id": "3", "username": "dice", "discriminator": "0", "avatar": None, "bot": True})


async def application(request: web.Request) -> web.Response:
    return _json(
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
    return _json({"items": []})


async def new_emoji(request: web.Request) -> web.Response:
    return _json({"id": str(next(_ids)), "name": (await request.json())["name"]})


async def callback(request: web.Request) -> web.Response:
    answer = await request.json()
    # The token says which message was clicked and where.
    number, channel = (int(part) for part in request.match_info["token"].split("-")[1:3])
    resource: dict[str, Any] = {"type": answer["type"]}
    if "data" in answer:
        resource["message"] = message(number or next(_ids), channel, answer["data"]["components"])
    interaction = {"id": request.match_info["id"], "type": 3, "response_message_id": str(number)}
    return _json({"interaction": interaction, "resource": resource})


async def posted(request: web.Request) -> web.Response:
    if request.content_type.startswith("multipart"):
        # A table with a picture, whose components come in a part of their own.
        given = json.loads(str((await request.post())["payload_json"]))
    else:
        given = await request.json()
    components = given.get("components", [])
    number = int(request.match_info.get("message", 0)) or next(_ids)
    return _json(message(number, int(request.match_info["channel"]), components))


async def serve() -> None:
    app = web.Application()
    app.router.add_get("/users/@me", me)
    app.router.add_get("/oauth2/applications/@me", application)
    app.router.add_get("/applications/{application}/emojis", no_emojis)
    app.router.add_post("/applications/{application}/emojis", new_emoji)
    app.router.add_post("/interactions/{id}/{token}/callback", callback)
    app.router.add_post("/channels/{channel}/messages", posted)
    app.router.add_patch("/channels/{channel}/messages/{message}", posted)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    assert site._server is not None
    print(site._server.sockets[0].getsockname()[1], flush=True)  # type: ignore[attr-defined]
    # Whoever started this ends it by closing its input.
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(serve())
