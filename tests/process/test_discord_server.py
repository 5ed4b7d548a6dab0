"""The tests' Discord server, asked by requests and frames as a bot sends them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import aiohttp
import discord
import pytest
from aiohttp import WSMsgType
from simcord.backend.models import Channel

from tests.support import screen
from tests.support.discord_server.faults import Faults, Rule
from tests.support.discord_server.gateway import ACK, DISPATCH, HEARTBEAT, HELLO, IDENTIFY, INVALID, RESUME
from tests.support.discord_server.people import Person, Reply
from tests.support.discord_server.process import NO_WRITING, BotProcess
from tests.support.discord_server.server import DiscordServer
from tests.support.screen import Message, text_of
from tests.support.values import not_none

POST = r"^/channels/\d+/messages$"
COMMAND = {"name": "try", "type": 1, "description": "Something to try"}
FORM = {
    "custom_id": "form",
    "title": "Form",
    "components": [
        {"type": 18, "label": "Line", "component": {"type": 4, "custom_id": "line", "style": 1}},
        {"type": 10, "content": "A line of text"},
    ],
}


def board(count: int, *, flags: int = 0) -> dict[str, Any]:
    """A line of text and two buttons, one of them disabled."""
    buttons = [
        {"type": 2, "style": 2, "label": label, "custom_id": f"{label}:{count}", "disabled": label == "off"}
        for label in ("add", "off")
    ]
    return {
        "flags": flags | screen.COMPONENTS_V2,
        "components": [{"type": 10, "content": f"count {count}"}, {"type": 1, "components": buttons}],
    }


class Bot:
    """A guild with a channel, Ann and Ben, and a bot whose requests the tests write."""

    def __init__(self, server: DiscordServer, http: aiohttp.ClientSession) -> None:
        self.server = server
        self.http = http
        self.guild = server.add_guild()
        self.channel: Channel = server.add_channel(self.guild)
        self.ann, self.ben = (Person.join(server, self.guild, name) for name in ("ann", "ben"))

    async def ask(self, method: str, path: str, body: Any = None, **more: Any) -> tuple[int, Any]:
        """Send a request. Return the status and the answer."""
        more.setdefault("headers", {"Authorization": f"Bot {self.server.token}"})
        async with self.http.request(method, self.server.api_url + path, json=body, **more) as answer:
            raw = await answer.text()
            return answer.status, json.loads(raw) if answer.content_type == "application/json" else raw

    async def post(self, **body: Any) -> tuple[int, Any]:
        """Post a message with the bot's own rights."""
        return await self.ask("POST", f"/channels/{self.channel.id}/messages", {"content": "posted", **body})

    async def answer(self, reply: Reply, type: int, data: Any = None) -> tuple[int, int]:
        """Answer an interaction. Return the status and Discord's code."""
        path = f"/interactions/{reply.record.id}/{reply.payload['token']}/callback"
        status, body = await self.ask("POST", path, {"type": type, "data": data} if data else {"type": type})
        return status, int(body["code"]) if body else 0

    async def shown(self, count: int = 0, **more: Any) -> Message:
        """Answer Ann's command with a board."""
        reply = self.used()
        await self.answer(reply, 4, board(count, **more))
        return not_none(reply.message)

    def used(self) -> Reply:
        """Let Ann use the command."""
        return self.ann.slash(self.channel, "try")


@pytest.fixture
async def bot() -> AsyncIterator[Bot]:
    async with DiscordServer() as server, aiohttp.ClientSession() as http:
        made = Bot(server, http)
        path = f"/applications/{server.backend.application_id}/commands"
        assert (await made.ask("PUT", path, [COMMAND]))[0] == 200
        yield made


# ---------------------------------------------------------------------- the ordinary


async def test_unknown_tokens_and_routes_are_refused(bot: Bot) -> None:
    assert (await bot.ask("GET", "/users/@me"))[0] == 200
    assert (await bot.ask("GET", "/users/@me", headers={}))[0] == 401
    assert (await bot.ask("GET", "/nothing"))[0] == 405
    with pytest.raises(AssertionError, match="GET /nothing"):
        bot.server.check()
    bot.server.gaps.clear()
    bot.server.contract.violations.clear()


async def test_an_answer_is_a_message_and_a_click_changes_it(bot: Bot) -> None:
    reply = bot.used()
    assert not reply.acked
    assert await bot.answer(reply, 4, board(3)) == (204, 0)
    assert (reply.type, reply.ephemeral, reply.text, reply.acked_in_time) == (4, False, "count 3", True)
    seen = not_none(reply.message)
    assert bot.server.messages(bot.channel) == [seen]
    click = bot.ben.click(seen, "add")
    await bot.answer(click, 7, board(4))
    assert (click.type, click.text, click.ephemeral) == (7, "count 4", False)
    # Discord refuses clicks on buttons that are disabled, unknown or gone; one that has crossed with an edit
    # is delivered.
    for which in ("off", "missing", screen.button(seen, "add")):
        with pytest.raises(LookupError):
            bot.ann.click(seen, which)
    assert bot.ann.click(seen, "add", stale=True).payload["message"] == seen


async def test_a_private_answer_is_for_one_person(bot: Bot) -> None:
    reply = bot.used()
    await bot.answer(reply, 4, board(1, flags=screen.EPHEMERAL))
    assert reply.ephemeral
    assert bot.server.messages(bot.channel) == []
    with pytest.raises(LookupError):
        bot.ben.click(not_none(reply.message), "add")


async def test_an_interaction_is_answered_once_within_three_seconds(bot: Bot) -> None:
    reply = bot.used()
    bot.ann.again(reply)
    await bot.answer(reply, 4, board(0))
    assert await bot.answer(reply, 4, board(0)) == (400, 40060)
    late = bot.used()
    bot.server.backend.advance_clock(3.1)
    assert await bot.answer(late, 4, board(0)) == (404, 10062)
    assert not late.acked
    assert [call.code for call in reply.tries + late.tries] == [0, 40060, 10062]


async def test_a_deferred_answer_is_pending_until_it_comes_and_its_token_ends(bot: Bot) -> None:
    reply = bot.used()
    await bot.answer(reply, 5)
    assert (reply.type, reply.pending) == (5, True)
    path = f"/webhooks/{bot.server.backend.application_id}/{reply.payload['token']}/messages/@original"
    bot.server.backend.advance_clock(15 * 60)
    status, body = await bot.ask("PATCH", path, {"content": "hello"})
    assert (status, body["code"], reply.pending) == (401, 50027, True)
    bot.server.backend.advance_clock(-15 * 60)
    assert (await bot.ask("PATCH", path, {"content": "hello"}))[0] == 200
    assert (await reply.finished()).text == "hello"


async def test_a_form_is_sent_back_filled_in(bot: Bot) -> None:
    opened = bot.ann.click(await bot.shown(), "add")
    await bot.answer(opened, 9, FORM)
    assert (opened.type, opened.message) == (9, None)
    (label,) = bot.ann.submit(opened, line="six dice").payload["data"]["components"]
    assert label["component"]["value"] == "six dice"


async def test_a_file_is_attached(bot: Bot) -> None:
    described = {"id": "0", "filename": "dice.txt", "description": "the dice"}
    form = aiohttp.FormData()
    form.add_field("payload_json", json.dumps({"content": "here", "attachments": [described]}))
    form.add_field("files[0]", b"six dice", filename="dice.txt")
    status, message = await bot.ask("POST", f"/channels/{bot.channel.id}/messages", data=form)
    assert (status, message["attachments"][0]["size"]) == (200, 8)
    (upload,) = bot.server.calls[-1].files
    assert (upload.filename, upload.data, upload.description) == ("dice.txt", b"six dice", "the dice")


async def test_a_message_with_a_known_nonce_is_posted_once(bot: Bot) -> None:
    (_, first), (_, second) = [await bot.post(nonce="5", enforce_nonce=True) for _ in range(2)]
    assert first["id"] == second["id"]
    assert first["nonce"] == second["nonce"] == "5"
    assert len(bot.server.messages(bot.channel)) == 1


async def test_messages_can_be_old(bot: Bot) -> None:
    with bot.server.dated(3700):
        seen = await bot.shown()
    age = discord.utils.utcnow() - discord.utils.snowflake_time(int(seen["id"]))
    assert 3700 <= age.total_seconds() < 3760
    assert bot.ann.click(seen, "add").payload["message"] == seen


async def test_a_permission_is_taken_away_and_given_back(bot: Bot) -> None:
    bot.server.deny(bot.channel, "view_channel")
    status, body = await bot.post()
    assert (status, body["code"]) == (403, 50001)
    bot.server.deny(bot.channel)
    assert (await bot.post())[0] == 200


# ---------------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("fault", "status", "code", "effect"),
    [
        (lambda faults: faults.rate_limit("POST", POST), 429, 0, False),
        (lambda faults: faults.old_edits(POST, method="POST"), 429, 30046, False),
        (lambda faults: faults.error("POST", POST, 403, 50013), 403, 50013, False),
        (lambda faults: faults.fail("POST", POST, 500), 500, 0, False),
        (lambda faults: faults.fail("POST", POST, 500, after=True), 500, 0, True),
        (lambda faults: faults.delay("POST", POST, 0.02), 200, 0, True),
    ],
    ids=("rate limited", "edited too often", "refused", "before the effect", "after the effect", "delayed"),
)
async def test_one_call_fails(
    bot: Bot, fault: Callable[[Faults], Rule], status: int, code: int, effect: bool
) -> None:
    rule = fault(bot.server.faults)
    found, body = await bot.post()
    call = bot.server.calls[-1]
    assert (found, call.status, call.code, call.effect, rule.hits) == (status, status, code, effect, 1)
    assert len(bot.server.messages(bot.channel)) == effect
    assert ("retry_after" in body) == (status == 429)
    assert not_none(call.took) >= rule.delay
    assert (await bot.post())[0] == 200
    assert rule.hits == 1


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(
    ("reset", "error"), [(False, aiohttp.ServerDisconnectedError), (True, aiohttp.ClientOSError)]
)
async def test_a_connection_is_cut(bot: Bot, after: bool, reset: bool, error: type[Exception]) -> None:
    bot.server.faults.cut("POST", POST, after=after, reset=reset)
    with pytest.raises(error):
        await bot.post()
    assert [text_of(one) for one in bot.server.messages(bot.channel)] == ["posted"] * after


async def test_a_call_is_held_until_it_is_released(bot: Bot) -> None:
    rule = bot.server.faults.hold("POST", POST, after=True)
    posting = bot.server.until(lambda: rule.hits)
    posted = asyncio.create_task(bot.post())
    await posting
    assert not posted.done()
    assert len(bot.server.messages(bot.channel)) == 1
    rule.release()
    assert (await posted)[0] == 200


FAILED = """\
2026-01-01 00:00:00,000 ERROR    bot.discordpy.answer: Interaction 5 has failed
Traceback (most recent call last):
  File "bot/discordpy/answer.py", line 148, in _words
    await work
sqlite3.OperationalError: disk I/O error
"""

UNWRITTEN = (
    FAILED.partition("\n")[2]
    + """
During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "logging/__init__.py", line 1113, in emit
    stream.write(msg + self.terminator)
OSError: [Errno 27] File too large
"""
)


STALE = """\
2026-01-01 00:00:00,000 ERROR    bot.discordpy.handling: Interaction 5 has failed
Traceback (most recent call last):
  File "bot/sessions/commands.py", line 5, in press
    raise Stale(game)
bot.sessions.request.Stale: error-stale
"""


@pytest.mark.parametrize(
    ("log", "explained"),
    [
        (FAILED, True),
        (STALE + UNWRITTEN[UNWRITTEN.index("\nDuring") :], True),
        (STALE, False),
        (FAILED + "--- Logging error ---\n" + UNWRITTEN, True),
        (FAILED.replace("disk I/O error", "no such column: nonsense"), False),
        (FAILED.replace("disk I/O error", "no such savepoint: job"), False),
        (FAILED.replace("sqlite3.OperationalError: disk I/O error", "KeyError: 5"), False),
        (FAILED + "bot/x.py:5: RuntimeWarning: coroutine 'x' was never awaited\n", False),
        (FAILED.partition("Traceback")[0], False),
    ],
)
async def test_errors_that_a_failing_disk_explains(tmp_path: Path, log: str, explained: bool) -> None:
    written = tmp_path / "bot.log"
    written.write_text(FAILED + log)
    async with DiscordServer() as server:
        bot = BotProcess(server, log=written)
    assert (bot.unexplained(NO_WRITING) == []) == explained


# ---------------------------------------------------------------------- the gateway


class Socket:
    """A connection to the gateway, whose frames the tests write."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket

    async def send(self, op: int, **data: Any) -> None:
        await self.socket.send_json({"op": op, "d": data})

    async def identify(self, token: str, intents: int = 1) -> None:
        await self.send(IDENTIFY, token=token, intents=intents)

    async def until(self, op: int, event: str | None = None) -> Any:
        """Return the data of the next frame of this kind; of others, only events may come before."""
        async for message in self.socket:
            frame = json.loads(message.data)
            if (frame["op"], frame["t"]) == (op, event):
                return frame["d"]
            assert frame["op"] == DISPATCH, frame
        raise AssertionError(f"closed with {self.socket.close_code}")

    async def closed(self) -> int | None:
        """Wait for the end of the connection. Return the close code."""
        while (await self.socket.receive()).type not in (WSMsgType.CLOSE, WSMsgType.CLOSED, WSMsgType.ERROR):
            pass
        return self.socket.close_code


@pytest.fixture
async def connect(bot: Bot) -> AsyncIterator[Callable[..., Any]]:
    sockets: list[aiohttp.ClientWebSocketResponse] = []

    async def connect(url: str | None = None) -> Socket:
        sockets.append(await bot.http.ws_connect(url or bot.server.gateway_url))
        made = Socket(sockets[-1])
        assert (await made.until(HELLO))["heartbeat_interval"] == 41_250
        return made

    yield connect
    for socket in sockets:
        await socket.close()


async def test_a_session_goes_on_over_another_connection(bot: Bot, connect: Callable[..., Any]) -> None:
    gateway = bot.server.gateway
    first = await connect()
    await first.identify(bot.server.token)
    ready = await first.until(DISPATCH, "READY")
    assert ready["resume_gateway_url"] == bot.server.resume_url
    await first.until(DISPATCH, "GUILD_CREATE")
    (session,) = gateway.sessions.values()
    heard = len(session.frames)
    gateway.hold()
    missed = bot.used()
    await gateway.drop(None)
    assert await first.closed() in (None, 1006)
    gateway.release()
    resuming = {"token": bot.server.token, "session_id": ready["session_id"], "seq": heard}
    second = await connect(bot.server.resume_url)
    await second.send(RESUME, **resuming)
    assert (await second.until(DISPATCH, "INTERACTION_CREATE"))["id"] == str(missed.record.id)
    await second.until(DISPATCH, "RESUMED")
    assert (gateway.identifies, gateway.resumes, gateway.connected) == (1, 1, 1)
    await gateway.drop(4000, forget=True)
    assert await second.closed() == 4000
    third = await connect()
    await third.send(RESUME, **resuming)
    assert await third.until(INVALID) is False
    assert gateway.connected == 0


async def test_a_frozen_connection_says_nothing(bot: Bot, connect: Callable[..., Any]) -> None:
    socket = await connect()
    await socket.send(HEARTBEAT)
    await socket.until(ACK)
    bot.server.gateway.freeze()
    await socket.send(HEARTBEAT)
    await bot.server.until(lambda: bot.server.gateway.heartbeats == 2)
    with pytest.raises(TimeoutError):
        await socket.socket.receive(timeout=0.02)


async def test_who_may_not_connect_is_told_why(bot: Bot, connect: Callable[..., Any]) -> None:
    wrong = await connect()
    await wrong.identify("another token")
    assert await wrong.closed() == 4004
    curious = await connect()
    await curious.identify(bot.server.token, discord.Intents(members=True).value)
    assert await curious.closed() == 4014
    bot.server.gateway.refusing = True
    with pytest.raises(aiohttp.WSServerHandshakeError):
        await connect()
