"""The real bot with the real store behind a Discord-like page on this machine. Needs no token."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import discord

from bot.client import DiceBot
from bot.discordpy.client_state import expect_no_voice
from bot.discordpy.preview import in_several_tabs
from bot.settings import Settings
from bot.store.sqlite.access import foreign_obstacle
from bot.store.sqlite.lock import Timeout, claim

HOST, PORT = "127.0.0.1", 8766
DATABASE = "playground.db"
"""Its own file, beside that of the bot; see :func:`apart`."""

PEOPLE = ("Anna", "Ben", "Chiara")
CHANNEL = "dice-games"
WELCOME = """\
## Welcome to the playground
This is the real bot with a database of its own. You are Anna, Ben and Chiara: choose whom at the top, where \
it says “Viewing as”.
{waiting}1. Type `/tutto start` into the box at the bottom, press Enter, and then the arrow on its right. \
(`/gambler start` is the other game.)
2. Press **＋ Casual** for an AI to play against; or view as Ben, and press **Join**.
3. Back as Anna, press **Start the game**.
4. `/help` explains the rest. If you don’t see an answer, it stands further down: “jump to latest”."""

WAITING = """\
**A game from last time is waiting**: `/{game} show` brings its table back, `/{game} end` makes room \
for another.
"""

TICK_SECONDS = 0.25
QUIET_SECONDS = 1.5
"""How long after the last click pages in other tabs are refreshed."""

CLOCK_SECONDS = 30.0
"""How often the page is refreshed for its clock while there are no clicks."""

SETTLE_SECONDS = 1.0
"""How long a click waits for what the bot does after it; for timers that are due by then, too."""

EMOJI_SECONDS = 20.0
"""How long the page waits for the bot's emojis; without them it shows text, as Discord would."""


class Unavailable(Exception):
    """The playground can't be opened; the text says what to do."""


def apart(settings: Settings) -> Settings:
    """The settings with a database of the playground's own, and one process for all servers.

    In the bot's database it would close every game of Discord's, whose channels are not in its world.
    """
    database = settings.database.with_name(DATABASE)
    return replace(
        settings,
        database=database,
        postgres="",
        shard_count=1,
        shard_ids=(),
        guild_ids=(),
        owner_guild_id=None,
    )


async def serve(settings: Settings, port: int, announce: Callable[[str], None]) -> None:
    """Serve the playground until SIGINT or SIGTERM; ``announce`` is told its address.

    Raises :class:`Unavailable`, and :class:`~bot.store.base.Unusable` for its database.
    """
    settings = apart(settings)
    if (obstacle := foreign_obstacle(settings.database)) is not None:
        raise Unavailable(f"{obstacle.reason}; {obstacle.remedy}")
    try:
        lock = claim(settings.database)
    except Timeout as error:
        raise Unavailable(
            f"one is open already on {settings.database}; use that one, or stop it first"
        ) from error
    except OSError as error:
        raise Unavailable(f"the database {settings.database} can't be used: {error}") from error
    try:
        _check(port)
        await _serve(settings, port, announce)
    finally:
        lock.release()


async def _serve(settings: Settings, port: int, announce: Callable[[str], None]) -> None:
    # Importing simcord creates a client, about which the library would log warnings.
    expect_no_voice()
    state = logging.getLogger("discord.state")
    level = state.level
    state.setLevel(logging.ERROR)
    try:
        from simcord import Env, SetupError
    except ImportError as error:
        raise Unavailable(
            "it needs packages that are not installed: make run in a checkout, elsewhere the extra "
            "dicebot[playground]"
        ) from error
    finally:
        state.setLevel(level)
    # The world behind the page forgets the commands, the database does not.
    # After each click the page waits until nothing is going on, so nothing may be put off.
    bot = DiceBot(settings, always_sync=True, lazy_seconds=0.0)
    env = Env(bot, check_errors=False, settle_timeout=SETTLE_SECONDS)
    # The world is made in the same order, at the same moment of its own time, whenever the playground starts:
    # so its people and channels keep their ids, and games in the database find their channel again.
    env.backend.edit_bot_profile("Dice")
    guild = env.create_guild("Playground")
    channel = guild.create_text_channel(CHANNEL)
    people = [guild.add_member(env.create_user(name.lower(), global_name=name)) for name in PEOPLE]
    # The first may change the server's settings. The role comes last, so that all others keep their ids.
    role = guild.create_role("Hosts", permissions=discord.Permissions(manage_guild=True))
    env.backend.add_member_role(guild.id, people[0].id, role.id)
    env.backend.advance_clock(time.time() - env.now().timestamp())
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # Windows
            loop.add_signal_handler(number, stop.set)
    await env.start()
    try:
        pictures = await emoji_assets(bot)
        await _welcome(bot, channel.id)
        page = env.preview(channel, viewers=people, layout="channel", port=port, assets=pictures)
        async with page as preview:
            announce(preview.url)
            await _tick(env, preview, stop, SetupError)
    except SetupError as error:
        raise Unavailable(str(error)) from error
    finally:
        await env.shutdown()
        await bot.close()


def _check(port: int) -> None:
    """Find out before anything is started whether the page can be served. Raises :class:`Unavailable`."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, os.name == "posix")
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise Unavailable(
                f"port {port} can't be used ({error.strerror}); choose another: playground --port NUMBER"
            ) from error


async def _welcome(bot: DiceBot, channel_id: int) -> None:
    """Say what to do first; the world begins without a message."""
    waiting = await bot.store.active_game(channel_id)
    line = "" if waiting is None else WAITING.format(game=waiting.game)
    await bot.get_partial_messageable(channel_id).send(WELCOME.format(waiting=line))


async def emoji_assets(bot: DiceBot) -> dict[str, tuple[str, bytes]]:
    """The pictures of the bot's emojis by their address."""
    from simcord.backend.cdn import CDN_BASE

    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(bot.app_emojis.first_round.wait(), EMOJI_SECONDS if bot.settings.emojis else 0)
    return {
        f"{CDN_BASE}/emojis/{emoji_id}.png": (path.name, path.read_bytes())
        for emoji_id, path in bot.app_emojis.shown().values()
    }


async def _tick(env: Any, preview: Any, stop: asyncio.Event, busy: type[Exception]) -> None:
    """Let the world's clock keep pace with the real one, and the page with what happens without a click.

    After a refresh the page takes no clicks until it has looked again, half a second later at most. So it is
    refreshed only for what it has not shown by itself, and once in a while for its clock when nobody plays.
    """
    before = clicked = refreshed = time.monotonic()
    seen, due = len(env.backend.transcript), None
    while not stop.is_set():
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(stop.wait(), TICK_SECONDS)
        now = time.monotonic()
        env.backend.advance_clock(now - before)
        preview.capture_time = env.now()
        before = now
        news, seen = env.backend.transcript[seen:], len(env.backend.transcript)
        if any(name == "INTERACTION_CREATE" for _, name, _ in news):
            clicked = now
            if in_several_tabs(preview):
                due = now + QUIET_SECONDS
        elif news and now - clicked > 2 * TICK_SECONDS:
            due = now
        if now - max(clicked, refreshed) > CLOCK_SECONDS:
            due = now
        if due is None or now < due:
            continue
        with contextlib.suppress(busy, TimeoutError):  # or else the next tick will do
            await preview.refresh()
            due, refreshed = None, now
