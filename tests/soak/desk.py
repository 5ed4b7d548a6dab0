"""A Discord without sockets that misbehaves: it accepts calls, refuses them, or fails after the effect."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import itertools
import json
from collections import Counter
from collections.abc import Callable, Collection
from random import Random
from types import SimpleNamespace
from typing import Any

import aiohttp
import discord

from benchmarks import desk
from benchmarks.desk import command, component, message
from bot.client import DiceBot

INJECTED = "injected"
"""A word in the text of every error that is made on purpose."""

PATIENCE = 5.0
"""More seconds than any interaction takes to be answered on a busy machine."""

TURNS = 100
"""At least so often the event loop goes round while an interaction is waited for.

AIs think in it here, so on a busy machine one round may take longer than :data:`PATIENCE`.
"""

_ANSWERS = ((404, 10062), (400, 40060), (500, 0), (503, 0))
_EDITS = ((404, 10008), (400, 30046), (500, 0), (403, 50001), (400, 50083))
_POSTS = ((403, 50013), (500, 0), (504, 0))
_GONE = (404, 10003)


def error(status: int, code: int) -> discord.HTTPException:
    response: Any = SimpleNamespace(status=status, reason=INJECTED)
    kind = {403: discord.Forbidden, 404: discord.NotFound}.get(status, discord.HTTPException)
    if status >= 500:
        kind = discord.DiscordServerError
    return kind(response, {"code": code, "message": INJECTED})


class Faults:
    """Decides whether a request fails and how, and counts the failures by kind."""

    def __init__(self, rng: Random, rate: float) -> None:
        self.rng = rng
        self.rate = rate
        self.made: Counter[str] = Counter()

    def draw(self, kinds: tuple[tuple[int, int], ...], what: str) -> tuple[Exception | None, bool]:
        """Return the error to raise, if any, and whether Discord carries the request out all the same."""
        if self.rng.random() >= self.rate:
            return None, True
        cut = self.rng.random()
        if cut < 0.15:
            self.made[f"{what} cut off"] += 1
            return aiohttp.ClientOSError(INJECTED), self.rng.random() < 0.5
        if cut < 0.25:
            self.made[f"{what} timed out"] += 1
            return TimeoutError(INJECTED), self.rng.random() < 0.5
        status, code = self.rng.choice(kinds)
        self.made[f"{what} {status} {code}"] += 1
        # Only a server that fails may have carried the request out before.
        return error(status, code), status >= 500 and self.rng.random() < 0.5

    async def pause(self) -> None:
        """Take some time to answer, mostly none, and none at all where nothing fails."""
        await asyncio.sleep(self.rng.choice((0, 0, 0, 0, 0.001, 0.005)) if self.rate else 0)


class Desk(desk.Desk):
    """Feeds a bot with interactions, and takes what it sends or makes that fail."""

    def __init__(self, bot: DiceBot, faults: Faults, now: Callable[[], float]) -> None:
        super().__init__(bot)
        self.bot = bot
        self._now = now
        self.faults = faults
        self.gone: set[int] = set()
        """People who are no longer in the server."""
        self.told: set[int] = set()
        """The interactions that got a further text as an answer, as clicks on old tables do."""
        self._ids: dict[str, int] = {}
        """The latest interactions by their tokens."""

    def forget(self) -> None:
        """Forget the interactions so far, when the bot is done with all of them."""
        self.told.clear()
        self._ids.clear()

    async def take_answer(self, route: Any, session: Any, given: dict[str, Any]) -> Any:
        await self.faults.pause()
        payload = sent(given.get("payload"), given.get("multipart"))
        failure, done = self.faults.draw(_ANSWERS, "answer")
        if route.path.endswith("/callback"):
            self.answered(route.webhook_token, payload if done else None)
        elif route.method == "POST" and route.webhook_token in self._ids:
            self.told.add(self._ids[route.webhook_token])
        if failure is not None:
            raise failure
        components = payload.get("data", payload).get("components", [])
        told = message(next(_ids), int(route.webhook_token.split("-")[2]), components)
        if not route.path.endswith("/callback"):
            return told
        return {
            "interaction": {"id": "1", "type": 3, "response_message_id": told["id"]},
            "resource": {"type": payload["type"], "message": told},
        }

    async def _request(self, route: Any, **given: Any) -> Any:
        """Take a request that the bot makes with its own rights."""
        await self.faults.pause()
        path = str(route.path)
        if "/members/" in path:
            if int(route.url.rsplit("/", 1)[-1]) in self.gone:
                raise error(404, 10007)
            failure, _ = self.faults.draw(((500, 0), (403, 50001)), "member")
            if failure is not None:
                raise failure
            return {}
        if route.method == "GET" and path == "/channels/{channel_id}":
            return {"id": str(route.channel_id), "type": 0}
        if "/messages" not in path:
            # Commands and the like.
            return []
        editing = route.method == "PATCH"
        kinds: tuple[tuple[int, int], ...] = _EDITS if editing else _POSTS
        if self.faults.rng.random() < 0.02:
            kinds = (_GONE,)
        failure, _ = self.faults.draw(kinds, "edit" if editing else "post")
        if failure is not None:
            raise failure
        number = int(route.url.rsplit("/", 1)[-1]) if editing else next(_ids)
        payload = sent(given.get("json"), given.get("form"))
        return message(number, int(route.channel_id), payload.get("components", []))

    # ------------------------------------------------------------------ people

    async def press(
        self, channel: int, user: int, message_id: int, custom_id: str, **fate: float
    ) -> tuple[int, dict[str, Any] | None]:
        return await self.use(component(channel, user, message(message_id, channel, []), custom_id), **fate)

    async def slash(
        self, channel: int, user: int, *path: str, **options: Any
    ) -> tuple[int, dict[str, Any] | None]:
        return await self.use(command(channel, user, *path, **options))

    async def use(
        self,
        payload: dict[str, Any],
        *,
        twice: float = 0.0,
        cancelled: float = 0.0,
    ) -> tuple[int, dict[str, Any] | None]:
        """Send an interaction. Return its id and its answer, or None if none was seen.

        ``twice`` and ``cancelled`` are the chances that it is delivered again, and that the bot is
        interrupted while it works on it.
        """
        # An id says when it was made, and the bot forgets ids after a week.
        payload["id"] = str(discord.utils.time_snowflake(moment(self._now())) + next(_numbers))
        answer: asyncio.Future[dict[str, Any] | None] = asyncio.get_running_loop().create_future()
        self.waiting[payload["token"]] = answer
        self._ids[payload["token"]] = int(payload["id"])
        before = set(self.bot.running)
        self._deliver(payload)
        if self.faults.rng.random() < twice:
            self.faults.made["delivered twice"] += 1
            self._deliver(payload)
        if self.faults.rng.random() < cancelled:
            await self._interrupt(before, answer)
        try:
            assert await done_soon({answer}), f"nobody has answered {payload['data']}"
            said = answer.result()
            if said is not None and said["type"] in (5, 6) and (begun := self.bot.running - before):
                # The bot has only announced an answer.
                assert await done_soon(begun), f"this was never finished: {payload['data']}"
            return int(payload["id"]), said
        finally:
            self.waiting.pop(payload["token"], None)

    def _deliver(self, payload: dict[str, Any]) -> None:
        self.bot._connection.parse_interaction_create(json.loads(json.dumps(payload)))

    async def _interrupt(self, before: set[Any], answer: asyncio.Future[Any]) -> None:
        """Cancel the work on this interaction, if it can be told from the work on others."""
        started: set[Any] = set()
        for _ in range(5):
            await asyncio.sleep(0)
            started = self.bot.running - before
            if started:
                break
        if len(started) != 1 or answer.done():
            return
        (task,) = started
        for _ in range(self.faults.rng.randrange(6)):
            await asyncio.sleep(0)
        if task.cancel():
            self.faults.made["interrupted"] += 1
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([task])
            if not answer.done():
                answer.set_result(None)


async def done_soon(waited_for: Collection[asyncio.Future[Any]]) -> bool:
    """Wait patiently until all of these are done. Return whether they are."""
    for _ in range(TURNS):
        _, left = await asyncio.wait(waited_for, timeout=PATIENCE / TURNS)
        if not left:
            return True
    return False


_ids = itertools.count(1 << 61)
_numbers = itertools.count()


def moment(seconds: float) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC)


def sent(payload: Any, form: Any) -> dict[str, Any]:
    """Return the JSON of a request, with or without files beside it."""
    for part in form or ():
        if part["name"] == "payload_json":
            return dict(json.loads(part["value"]))
    return json.loads(discord.utils._to_json(payload)) if payload else {}
