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
from bot.discordpy.components import TEXT, Component, Rendered, render
from bot.discordpy.preview import Tabs
from bot.i18n.locales import SOURCE
from bot.registry import GAMES
from bot.screens.help import open_buttons
from bot.screens.model import Screen
from bot.services.emojis import FOLDER
from bot.settings import Settings
from bot.store.sqlite.access import foreign_obstacle
from bot.store.sqlite.lock import Timeout, claim

HOST, PORT = "127.0.0.1", 8766
DATABASE = "playground.db"
"""Its own file, beside that of the bot; see :func:`apart`."""

PEOPLE = ("Anna", "Ben", "Chiara")
CHANNEL = "dice-games"
TITLE = "Dice playground"
WELCOME = """\
## Welcome to the playground
This is the real bot with a database of its own. You are Anna, Ben and Chiara: choose whom at the top. To be \
two at once, open this page in a second tab.
{below}"""

FIRST_STEPS = """\
1. Press a button below. The table opens here.
2. Press **＋ Casual** for an AI to play against; or be Ben, and press **Join**.
3. As Anna again, press **Start the game**.
-# Commands work as well: type `/help` into the box at the bottom, press Enter, then the arrow beside it."""

GOES_ON = "Your game from last time goes on below; `/{game} end` makes room for another."
"""In place of the first steps, if there is one."""

TICK_SECONDS = 0.1
CLOCK_SECONDS = 30.0
"""How often the page is refreshed for its clock."""

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
        from simcord.backend.models import Overwrite
        from simcord.enums import OverwriteType
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
    env = Env(bot, check_errors=False)
    # The world is made in the same order, at the same moment of its own time, whenever the playground starts:
    # so its people and channels keep their ids, and games in the database find their channel again.
    env.backend.edit_bot_profile("Dice")
    guild = env.create_guild("Playground")
    channel = guild.create_text_channel(CHANNEL)
    # The page shows this one channel, so a table in a thread could not be reached.
    no_threads = discord.Permissions(create_public_threads=True).value
    bot_id = env.backend.bot_user.id
    env.backend.set_overwrite(channel.id, Overwrite(bot_id, OverwriteType.MEMBER, allow=0, deny=no_threads))
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
        tabs = Tabs(page, TITLE, (FOLDER / "png" / "dice.png").read_bytes())
        async with page as preview:
            tabs.start()
            announce(preview.url)
            await _tick(env, tabs, stop)
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
    """Say what to do first, with a button for each game, or bring back the table of a game that goes on.

    The world begins without a message.
    """
    waiting = await bot.store.active_game(channel_id)
    below = FIRST_STEPS if waiting is None else GOES_ON.format(game=waiting.game)
    parts: list[Component] = [{"type": TEXT, "content": WELCOME.format(below=below)}]
    if waiting is None:
        screen = Screen((open_buttons(GAMES),))
        parts += render(screen, bot.catalogue, SOURCE).to_components()
    await bot.get_partial_messageable(channel_id).send(view=Rendered(parts).view)
    if waiting is not None:
        await bot.painter.paint(waiting.id, fresh=True)


async def emoji_assets(bot: DiceBot) -> dict[str, tuple[str, bytes]]:
    """The pictures of the bot's emojis by their address."""
    from simcord.backend.cdn import CDN_BASE

    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(bot.app_emojis.first_round.wait(), EMOJI_SECONDS if bot.settings.emojis else 0)
    return {
        f"{CDN_BASE}/emojis/{emoji_id}.png": (path.name, path.read_bytes())
        for emoji_id, path in bot.app_emojis.shown().values()
    }


async def _tick(env: Any, tabs: Tabs, stop: asyncio.Event) -> None:
    """Let the world's clock keep pace with the real one, and the tabs with what happens without a click."""
    before = refreshed = time.monotonic()
    while not stop.is_set():
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(stop.wait(), TICK_SECONDS)
        now = time.monotonic()
        env.backend.advance_clock(now - before)
        before = now
        clock = now - refreshed > CLOCK_SECONDS
        if clock:
            refreshed = now
        tabs.refresh(clock=clock)
