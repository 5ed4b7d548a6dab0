"""The tests' Discord server, tested with a small bot."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import aiohttp
import discord
import pytest
import pytest_asyncio
from simcord.backend.models import Channel, Guild

from tests.support import screen
from tests.support.discord_server import process
from tests.support.discord_server.people import Person, Reply
from tests.support.discord_server.process import NO_WRITING, BotProcess
from tests.support.discord_server.server import DiscordServer
from tests.support.screen import Message, text_of

pytestmark = pytest.mark.asyncio(loop_scope="module")

SAMPLE = (sys.executable, str(Path(process.__file__).with_name("sample_bot.py")))
MESSAGE = r"^/channels/\d+/messages/\d+$"
POST = r"^/channels/\d+/messages$"
CALLBACK = r"/callback$"


class World:
    """One server with a guild, a channel, two people and the sample bot's process."""

    def __init__(self, server: DiscordServer, log: Path) -> None:
        self.server = server
        self.guild: Guild = server.add_guild(locale="de")
        self.channel: Channel = server.add_channel(self.guild)
        self.ann = Person.join(server, self.guild, "ann", locale="fr")
        self.ben = Person.join(server, self.guild, "ben", global_name="Ben")
        self.bot = BotProcess(server, SAMPLE, log=log, env={"SAMPLE_HEARTBEAT_TIMEOUT": "1.2"})

    async def board(self, count: int = 0) -> Message:
        """A fresh board."""
        reply = await self.ann.slash(self.channel, "try", "board", count=count)
        assert reply.message is not None
        return reply.message

    async def counted(self, message: Message, count: int) -> None:
        """Wait until the board shows this count."""
        await self.server.until(lambda: self.text(message) == f"count {count}", what=f"count {count}")

    def text(self, message: Message) -> str:
        """The board's text now."""
        return text_of(self.server.message(self.channel, message["id"]))


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    async with DiscordServer(heartbeat=0.3) as server:
        world = World(server, tmp_path_factory.mktemp("wire") / "bot.log")
        async with world.bot:
            yield world


@pytest.fixture
def world(shared: World) -> Iterator[World]:
    yield shared
    shared.server.faults.clear()
    shared.server.gateway.release()
    shared.server.check()


# ---------------------------------------------------------------------- the ordinary


async def test_login_and_sync(world: World) -> None:
    server = world.server
    assert server.calls_to("GET", "^/users/@me$")[0].status == 200
    sync = server.calls_to("PUT", "^/applications/[0-9]+/commands$")[0]
    assert [command["name"] for command in sync.json] == ["try", "Greet"]
    assert server.gateway.connected == 1
    await world.bot.wait_line("on_ready 1 guilds")
    assert world.ann.may_use(world.channel, "try", "board")


async def test_slash_and_components(world: World) -> None:
    reply = await world.ann.slash(world.channel, "try", "board", count=3)
    assert (reply.type, reply.ephemeral, reply.text) == (4, False, "count 3")
    assert reply.acked_in_time
    assert reply.message is not None
    assert reply.message["flags"] & screen.COMPONENTS_V2
    assert screen.labels(reply.message)[:2] == ["edit", "own"]
    assert screen.button(reply.message, lambda c: c["custom_id"].startswith("step:own"))["label"] == "own"
    assert world.server.messages(world.channel)[-1] == reply.message
    with pytest.raises(LookupError):
        world.ann.click(reply.message, "missing")


async def test_click_edits(world: World) -> None:
    board = await world.board()
    reply = await world.ben.click(board, "edit")
    assert (reply.type, reply.text) == (7, "count 1")
    crossed = await world.ann.click(board, "edit", stale=True)
    assert crossed.text == "count 1"
    with pytest.raises(LookupError):
        world.ann.click(board, screen.button(board, "edit"))


async def test_own_rights_edit(world: World) -> None:
    board = await world.board()
    reply = await world.ann.click(board, "own").finished()
    assert (reply.type, reply.text) == (6, "count 1")
    assert world.server.calls_to("PATCH", f"/messages/{board['id']}$")


async def test_ephemeral_locale_and_permissions(world: World) -> None:
    board = await world.board()
    reply = await world.ann.click(board, "hint")
    assert (reply.ephemeral, reply.text) == (True, "fr de False True")
    assert reply.message not in world.server.messages(world.channel)
    manager = discord.Permissions(manage_guild=True).value
    other = world.ann.using(locale="it", guild_locale="en-GB", permissions=manager, app_permissions=0)
    assert (await other.click(board, "hint")).text == "it en-GB True False"


async def test_defer_then_edit(world: World) -> None:
    reply = await world.ann.slash(world.channel, "try", "slow", who=world.ben)
    assert (reply.type, reply.pending) == (5, True)
    assert (await reply.finished()).text == "hello Ben"


async def test_deferred_privately(world: World) -> None:
    reply = await world.ann.click(await world.board(), "later").finished()
    assert (reply.type, reply.ephemeral, reply.text) == (5, True, "after all")


async def test_forms_menus_and_offers(world: World) -> None:
    ann, channel = world.ann, world.channel
    form = await ann.click(await world.board(), "form")
    assert (form.type, form.message) == (9, None)
    assert (await ann.submit(form, line="six dice")).text == "six dice"
    menu = await ann.slash(channel, "try", "choose")
    assert menu.message is not None
    assert (await ann.select(menu.message, "menu", "blue")).text == "blue"
    with pytest.raises(LookupError):
        world.ben.select(menu.message, "menu", "blue")
    offers = await ann.autocomplete(channel, "try", "choose", focused="colour", typed="r")
    assert [choice["value"] for choice in offers.choices] == ["red"]
    assert (await ann.menu(channel, "Greet", world.ben)).text == "hello Ben"


async def test_direct_messages(world: World) -> None:
    reply = await world.ann.slash(world.ann.dm, "try", "board", count=2)
    assert reply.text == "count 2"
    assert reply.message is not None
    assert (await world.ann.click(reply.message, "edit")).text == "count 3"


async def test_old_messages(world: World) -> None:
    with world.server.dated(3700):
        board = await world.board()
    age = discord.utils.utcnow() - discord.utils.snowflake_time(int(board["id"]))
    assert 3700 <= age.total_seconds() < 3760
    assert (await world.ann.click(board, "edit")).text == "count 1"


async def test_upload(world: World) -> None:
    reply = await world.ann.slash(world.channel, "try", "upload")
    (upload,) = world.server.calls_to("POST", CALLBACK)[-1].files
    assert (upload.filename, upload.data, upload.description) == ("dice.txt", b"six dice", "the dice")
    assert reply.message is not None
    assert reply.message["attachments"][0]["size"] == 8


async def test_many_at_once(world: World) -> None:
    boards = [await world.board(10 * n) for n in range(4)]
    replies = [who.click(board, "edit") for board in boards for who in (world.ann, world.ben)]
    await asyncio.gather(*(reply.wait() for reply in replies))
    assert all(reply.acked for reply in replies)


async def test_delivered_twice(world: World) -> None:
    reply = world.ann.click(await world.board(), "edit")
    world.ann.again(reply)
    await world.server.until(lambda: len(reply.tries) == 2)
    assert sorted((call.status, call.code) for call in reply.tries) == [(200, 0), (400, 40060)]


async def test_new_guild(world: World) -> None:
    # A server that arrives while the client still collects its servers is not a new one.
    await world.bot.wait_line("on_ready")
    guild = world.server.add_guild("Strangers")
    await world.bot.wait_line("on_guild_join Strangers")
    world.server.backend.remove_guild(guild.id)


async def test_errors_are_seen(world: World) -> None:
    before = len(world.bot.errors())
    reply = world.ann.click(await world.board(), "boom")
    await world.server.until(lambda: len(world.bot.errors()) > before)
    assert not reply.acked
    assert "discord.ui.view" in world.bot.errors()[before]


# ---------------------------------------------------------------------- REST faults


FAILED = """\
2026-01-01 00:00:00,000 ERROR    bot.discordpy.answer: Interaction 5 has failed
Traceback (most recent call last):
  File "bot/discordpy/answer.py", line 148, in _words
    await work
sqlite3.OperationalError: disk I/O error
"""


@pytest.mark.parametrize(
    ("log", "explained"),
    [
        (FAILED, True),
        (FAILED.replace("disk I/O error", "no such column: nonsense"), False),
        (FAILED.replace("disk I/O error", "no such savepoint: job"), False),
        (FAILED.replace("sqlite3.OperationalError: disk I/O error", "KeyError: 5"), False),
        (FAILED + "bot/x.py:5: RuntimeWarning: coroutine 'x' was never awaited\n", False),
        (FAILED.partition("Traceback")[0], False),
    ],
)
async def test_what_a_failing_disk_explains(tmp_path: Path, log: str, explained: bool) -> None:
    written = tmp_path / "bot.log"
    written.write_text(FAILED + log)
    async with DiscordServer() as server:
        bot = BotProcess(server, log=written)
    assert (bot.unexplained(NO_WRITING) == []) == explained


async def edit_by_hand(world: World) -> tuple[str, str]:
    """Let the bot edit a message of its own; return what it reports, and what is shown."""
    server, channel = world.server, world.channel
    await world.ann.slash(channel, "try", "post").finished()
    target = server.messages(channel)[-1]
    reply = await world.ann.slash(channel, "try", "edit", message=target["id"]).finished(8)
    return reply.text, text_of(server.message(channel, target["id"]))


async def test_rate_limit_is_waited_for(world: World) -> None:
    rule = world.server.faults.rate_limit("PATCH", MESSAGE, retry_after=0.3)
    assert await edit_by_hand(world) == ("done", "edited")
    first, second = world.server.calls_to("PATCH", MESSAGE)[-2:]
    assert (rule.hits, first.status, second.status) == (1, 429, 200)
    assert second.at - first.at >= 0.3


async def test_rate_limit_without_via(world: World) -> None:
    world.server.faults.rate_limit("PATCH", MESSAGE, via=False)
    assert await edit_by_hand(world) == ("429 0", "posted")


@pytest.mark.parametrize(("status", "code"), [(403, 50013), (404, 10008), (403, 50001)])
async def test_errors_of_discord(world: World, status: int, code: int) -> None:
    world.server.faults.error("PATCH", MESSAGE, status, code)
    assert await edit_by_hand(world) == (f"{status} {code}", "posted")


async def test_old_edits(world: World) -> None:
    # A 429 like any other to discord.py: with a Via header it tries five times before it gives up.
    rule = world.server.faults.old_edits(MESSAGE, retry_after=0.05, times=None)
    assert await edit_by_hand(world) == ("429 30046", "posted")
    assert rule.hits == 5


async def test_limit_by_headers(world: World) -> None:
    spent = {"X-RateLimit-Limit": "1", "X-RateLimit-Remaining": "0", "X-RateLimit-Bucket": "edits"}
    world.server.faults.headers("PATCH", MESSAGE, {**spent, "X-RateLimit-Reset-After": "0.4"})
    assert await edit_by_hand(world) == ("done", "edited")
    assert await edit_by_hand(world) == ("done", "edited")
    first, second = world.server.calls_to("PATCH", MESSAGE)[-2:]
    assert second.at - first.at >= 0.4


async def test_token_too_old(world: World) -> None:
    rule = world.server.faults.hold("PATCH", "@original$")
    reply = await world.ann.slash(world.channel, "try", "slow", who=world.ben)
    await world.server.until(lambda: rule.hits)
    world.server.backend.advance_clock(15 * 60)
    rule.release()
    await world.server.quiet()
    world.server.backend.advance_clock(-15 * 60)
    edit = world.server.calls[-1]
    assert (edit.status, edit.code, reply.pending) == (401, 50027, True)


async def test_permission_taken_away(world: World) -> None:
    world.server.deny(world.channel, "view_channel")
    reply = await world.ann.slash(world.channel, "try", "edit", message="1").finished()
    world.server.deny(world.channel)
    assert reply.text == "403 50001"


async def test_5xx_before_the_effect(world: World) -> None:
    world.server.faults.fail("POST", POST, 502)
    reply = await world.ann.slash(world.channel, "try", "post").finished()
    assert reply.text == "tries 1"
    first, second = world.server.calls_to("POST", POST)[-2:]
    assert [(call.status, call.effect) for call in (first, second)] == [(502, False), (200, True)]


async def test_5xx_after_the_effect_and_nonce(world: World) -> None:
    before = len(world.server.messages(world.channel))
    world.server.faults.fail("POST", POST, 503, after=True)  # not retried by discord.py
    reply = await world.ann.slash(world.channel, "try", "post").finished()
    assert reply.text == "tries 2"
    assert len(world.server.messages(world.channel)) == before + 1
    first, second = world.server.calls_to("POST", POST)[-2:]
    assert [call.status for call in (first, second)] == [503, 200]
    assert second.answer["nonce"] == first.json["nonce"]


@pytest.mark.parametrize("reset", [False, True])
async def test_cut_before_and_after_the_effect(world: World, reset: bool) -> None:
    gone = "ClientOSError" if reset else "ServerDisconnectedError"
    world.server.faults.cut("PATCH", MESSAGE, reset=reset)
    assert await edit_by_hand(world) == (gone, "posted")
    world.server.faults.cut("PATCH", MESSAGE, after=True, reset=reset)
    assert await edit_by_hand(world) == (gone, "edited")


async def test_delay_and_hold(world: World) -> None:
    world.server.faults.delay("POST", CALLBACK, 0.3)
    reply = await world.ann.slash(world.channel, "try", "board")
    assert reply.acked_after is not None
    assert reply.acked_after >= 0.3
    rule = world.server.faults.hold("POST", CALLBACK)
    reply = world.ann.slash(world.channel, "try", "board")
    await world.server.until(lambda: rule.hits)
    assert not reply.acked
    rule.release()
    assert (await reply).acked


async def test_too_late(world: World) -> None:
    reply = world.ann.click(await world.board(), "late")
    await world.server.until(lambda: reply.tries)
    assert not reply.acked
    assert [(call.status, call.code) for call in reply.tries] == [(404, 10062)]


async def test_unknown_route_is_a_gap(world: World) -> None:
    async with aiohttp.ClientSession() as session:
        url, header = f"{world.server.api_url}/nothing", {"Authorization": f"Bot {world.server.token}"}
        async with session.get(url, headers=header) as answer:
            assert answer.status == 405
        async with session.get(f"{world.server.api_url}/users/@me") as answer:
            assert answer.status == 401
    with pytest.raises(AssertionError, match="GET /nothing"):
        world.server.check()
    world.server.gaps.clear()
    world.server.contract.violations.clear()


# ---------------------------------------------------------------------- gateway faults


async def test_drop_and_resume_with_a_missed_event(world: World) -> None:
    gateway = world.server.gateway
    board, resumes = await world.board(), gateway.resumes
    gateway.hold()
    reply = world.ann.click(board, "edit")
    await gateway.drop(None)
    gateway.release()
    assert (await reply).text == "count 1"
    assert gateway.resumes == resumes + 1
    assert [note.detail for note in gateway.log if note.what == "connect"][-1] == "/resume"


async def test_resume_refused(world: World) -> None:
    gateway = world.server.gateway
    identifies, readies = gateway.identifies, gateway.readies
    await gateway.drop(4000, forget=True)
    await world.server.until(lambda: gateway.readies == readies + 1)
    assert gateway.identifies == identifies + 1
    assert (await world.ann.click(await world.board(), "edit")).acked


async def test_invalid_session(world: World) -> None:
    gateway = world.server.gateway
    identifies, readies = gateway.identifies, gateway.readies
    await gateway.invalidate()
    await world.server.until(lambda: gateway.readies == readies + 1)
    assert gateway.identifies == identifies + 1
    assert (await world.ann.click(await world.board(), "edit")).acked


async def test_reconnect_asked_for(world: World) -> None:
    gateway = world.server.gateway
    identifies, resumes = gateway.identifies, gateway.resumes
    await gateway.reconnect()
    await world.server.until(lambda: gateway.resumes == resumes + 1)
    assert gateway.identifies == identifies
    assert (await world.ann.click(await world.board(), "edit")).acked


async def test_nobody_at_home(world: World) -> None:
    gateway = world.server.gateway
    board, resumes = await world.board(), gateway.resumes
    gateway.refusing = True
    await gateway.drop(None)
    await world.bot.wait_line("Attempting a reconnect")
    gateway.refusing = False
    await world.server.until(lambda: gateway.resumes == resumes + 1)
    assert (await world.ann.click(board, "edit")).acked


async def test_zombie(world: World) -> None:
    gateway = world.server.gateway
    board, resumes = await world.board(), gateway.resumes
    gateway.freeze()
    reply = world.ann.click(board, "edit")
    assert (await reply.wait(3.0)).text == "count 1"
    assert gateway.resumes == resumes + 1


# ---------------------------------------------------------------------- the process


async def test_killed_and_started_again(world: World) -> None:
    board, bot = await world.board(7), world.bot
    await bot.kill()
    assert bot.exit_code == -9
    missed: Reply = await world.ann.click(board, "edit").wait(0.2)
    assert missed in world.server.unanswered()
    await bot.start()
    await bot.wait_ready()
    assert (await world.ann.click(board, "edit")).text == "count 8"


async def test_killed_between_effect_and_answer(world: World) -> None:
    board, bot = await world.board(7), world.bot
    rule = world.server.faults.hold("PATCH", MESSAGE, after=True)
    world.ann.click(board, "own")
    await world.server.until(lambda: rule.hits)
    await bot.kill()
    rule.release()
    await world.counted(board, 8)
    assert await (await bot.start()).wait_ready() is bot


async def test_two_at_once(world: World, tmp_path: Path) -> None:
    board = await world.board()
    async with BotProcess(world.server, SAMPLE, log=tmp_path / "second.log") as second:
        assert world.server.gateway.connected == 2
        reply = await world.ann.click(board, "edit")
        await world.server.until(lambda: len(reply.tries) == 2)
        assert sorted(call.code for call in reply.tries) == [0, 40060]
        assert await second.terminate() == 0


async def test_terminated(world: World) -> None:
    gateway = world.server.gateway
    assert await world.bot.terminate(5) == 0
    await world.server.until(lambda: gateway.connected == 0)
    # The close code is 4000: discord.py's reader closes the socket before its close(1000) does.
    assert (gateway.log[-1].what, gateway.log[-1].detail) == ("close", 4000)
    await world.bot.start()
    await world.bot.wait_ready()


async def test_refused_at_the_door(tmp_path: Path) -> None:
    async with DiscordServer() as server:
        wrong = BotProcess(server, SAMPLE, log=tmp_path / "a.log", env={"DISCORD_TOKEN": "wrong"})
        members = BotProcess(server, SAMPLE, log=tmp_path / "b.log", env={"SAMPLE_MEMBERS": "1"})
        await asyncio.gather(wrong.start(), members.start())
        assert await wrong.wait_exit() == 3
        assert await members.wait_exit() == 4
        assert wrong.errors() == ["ERROR root wrong token"]
    async with DiscordServer(privileged=("members",)) as server:
        members = BotProcess(server, SAMPLE, log=tmp_path / "c.log", env={"SAMPLE_MEMBERS": "1"})
        async with members:
            assert server.gateway.identifies == 1
