"""The real bot with the real store behind a Discord-like page on this machine. Needs no token."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import time
from collections.abc import Callable
from dataclasses import replace

import discord

from bot.client import DiceBot
from bot.settings import Settings

PORT = 8766
DATABASE = "playground.db"
"""Its own file, beside that of the bot; see :func:`apart`."""

PEOPLE = ("Anna", "Ben", "Chiara")
CHANNEL = "dice-games"
TICK_SECONDS = 0.25
EMOJI_SECONDS = 20.0
"""How long the page waits for the bot's emojis; without them it shows text, as Discord would."""

_log = logging.getLogger(__name__)


class Unavailable(Exception):
    """The playground can't be opened; the text says what to do."""


def apart(settings: Settings) -> Settings:
    """The settings with a database of the playground's own, and one process for all servers.

    In the bot's database it would close every game of Discord's, whose channels are not in its world.
    """
    database = settings.database.with_name(DATABASE)
    return replace(settings, database=database, postgres="", shard_count=1, shard_ids=(), guild_ids=())


async def serve(settings: Settings, port: int, announce: Callable[[str], None]) -> None:
    """Serve the playground until SIGINT or SIGTERM; ``announce`` is told its address."""
    # What makes the world begins by trying out a client of its own, of whose intents the library would warn.
    state = logging.getLogger("discord.state")
    level = state.level
    state.setLevel(logging.ERROR)
    try:
        from simcord import Env, SetupError
    except ImportError as error:
        raise Unavailable(
            "the playground needs the packages of `make run`: pip install '.[playground]'"
        ) from error
    finally:
        state.setLevel(level)
    # The world behind the page forgets the commands, the database does not.
    bot = DiceBot(apart(settings), always_sync=True)
    env = Env(bot, check_errors=False)
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
        try:
            pictures = await emoji_assets(bot)
            page = env.preview(channel, viewers=people, layout="channel", port=port, assets=pictures)
            async with page as preview:
                announce(preview.url)
                await _tick(env, preview, stop, SetupError)
        except OSError as error:
            raise Unavailable(f"port {port} can't be used ({error}); choose another with --port") from error
    finally:
        await env.shutdown()
        await bot.close()


async def emoji_assets(bot: DiceBot) -> dict[str, tuple[str, bytes]]:
    """The pictures of the bot's emojis by their address."""
    from simcord.backend.cdn import CDN_BASE

    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(bot.drawings.first_round.wait(), EMOJI_SECONDS if bot.settings.emojis else 0)
    return {
        f"{CDN_BASE}/emojis/{emoji_id}.png": (path.name, path.read_bytes())
        for emoji_id, path in bot.drawings.shown().values()
    }


async def _tick(env: object, preview: object, stop: asyncio.Event, busy: type[Exception]) -> None:
    """Let the world's clock keep pace with the real one, and the page with the world."""
    before, seen = time.monotonic(), -1
    while not stop.is_set():
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(stop.wait(), TICK_SECONDS)
        now = time.monotonic()
        try:
            await env.advance_time(now - before)  # type: ignore[attr-defined]
            before = now
            if len(env.backend.transcript) != seen:  # type: ignore[attr-defined]
                await preview.refresh()  # type: ignore[attr-defined]
                seen = len(env.backend.transcript)  # type: ignore[attr-defined]
        except busy:
            continue  # a click is being handled; the next tick will do
        except TimeoutError:
            _log.warning("The playground could not keep up; going on")
