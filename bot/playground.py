"""The real bot with the real store behind a Discord-like page on this machine. Needs no token."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import secrets
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import discord

from bot.client import PERMISSIONS, DiceBot
from bot.discordpy.client_state import expect_no_voice
from bot.discordpy.components import TEXT, Component, Rendered, render
from bot.discordpy.preview.places import archive_idle
from bot.discordpy.preview.tabs import Tabs, as_bot
from bot.discordpy.threads import MAX_NAME
from bot.i18n.say import say
from bot.registry import GAMES
from bot.screens.help import open_buttons
from bot.screens.model import Screen
from bot.services.emojis import FOLDER
from bot.settings import Settings
from bot.store.base import NEVER, GameRow
from bot.store.files import make_file
from bot.store.sqlite.access import foreign_obstacle
from bot.store.sqlite.lock import Timeout, claim
from bot.store.sqlite.store import SqliteStore

HOST, PORT = "127.0.0.1", 8766
DATABASE = "playground.db"
"""Its own file, beside that of the bot; see :func:`apart`."""

PEOPLE = ("Anna", "Ben", "Chiara")
CHANNEL, SECOND_CHANNEL = "dice-games", "evenings"
TITLE = "Dice playground"
TICK_SECONDS = 0.1
"""How often the page is brought up to date with what happens without a click."""

CLOCK_SECONDS = 30.0
"""How often the page is refreshed for its clock."""

EMOJI_SECONDS = 20.0
"""How long the page waits for the bot's emojis; without them it shows text, as Discord would."""

MAX_GAMES = 1000
"""For how many of the games that go on to make their thread again."""


class Unavailable(Exception):
    """The playground can't be opened; the text says what to do."""


class PortTaken(Unavailable):
    """The playground can't be opened on this port; another one may do."""


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


async def serve(
    settings: Settings, port: int, announce: Callable[[str], None], *, language: str, at: float | None
) -> None:
    """Serve the playground until SIGINT or SIGTERM; ``announce`` is told its address.

    People and server speak ``language``, a locale of Discord's. The clock begins ``at`` that time (seconds
    since 1970, not before 2026), or now.

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
        _check_port(port)
        await _serve(settings, port, announce, language, time.time() if at is None else at)
    finally:
        lock.release()


async def _serve(
    settings: Settings, port: int, announce: Callable[[str], None], language: str, at: float
) -> None:
    _import_simcord()
    from simcord import SetupError

    # The world behind the page is new and has no commands yet, even if the database says that it has.
    bot = DiceBot(settings, always_sync=True)
    # After each click the page waits until nothing is going on, so no write may be postponed.
    SqliteStore.lazy_seconds = 0.0
    env, channel, people = _build_world(bot)
    _speak(language)
    env.backend.advance_clock(at - env.now().timestamp())
    games = await _games(settings)
    _restore_threads(env.backend, games, channel.id)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for signal_number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # Windows
            loop.add_signal_handler(signal_number, stop.set)
    await env.start()
    try:
        pictures = await emoji_assets(bot)
        with as_bot(env):
            await _welcome(bot, channel.id, games, language)
        page = env.preview(
            channel, viewers=people, layout="channel", port=port, assets=pictures, locale=language
        )
        page.capability = _key(settings.database.with_suffix(".key"))
        you_are = bot.catalogue.text(language, say("playground-you-are"))
        unreached = bot.catalogue.text(language, say("playground-unreached"))
        tabs = Tabs(page, TITLE, you_are, unreached, (FOLDER / "png" / "dice.png").read_bytes())
        async with page as preview:
            announce(preview.url)
            await _tick(env, tabs, stop)
    except SetupError as error:
        raise Unavailable(str(error)) from error
    finally:
        await env.shutdown()
        await bot.close()


def _import_simcord() -> None:
    """Import what makes the world, without warnings. Raises :class:`Unavailable` if it is not installed."""
    # Importing simcord creates a client, and discord.py would log warnings about it.
    expect_no_voice()
    state = logging.getLogger("discord.state")
    level = state.level
    state.setLevel(logging.ERROR)
    try:
        import simcord  # noqa: F401
    except ImportError as error:
        raise Unavailable(
            "it needs packages that are not installed: make run in a checkout, elsewhere the extra "
            "dicebot[playground]"
        ) from error
    finally:
        state.setLevel(level)


def _build_world(bot: DiceBot) -> tuple[Any, Any, list[Any]]:
    """Return the world behind the page, its first channel and its people.

    Each start makes it in the same order and at the same time of its own clock. So its people and channels
    keep their ids, and games in the database find their channel again.
    """
    from simcord import Env
    from simcord.http import router

    from bot.discordpy.preview.strictness import invite, strict

    env = Env(bot, check_errors=False)
    env.backend.edit_bot_profile("Dice")
    guild = env.create_guild("Playground")
    channel = guild.create_text_channel(CHANNEL)
    people = [guild.add_member(env.create_user(name.lower(), global_name=name)) for name in PEOPLE]
    # The first person may change the server's settings. Whatever a version adds must come last, so that all
    # others keep their ids.
    role = guild.create_role("Hosts", permissions=discord.Permissions(manage_guild=True))
    env.backend.add_member_role(guild.id, people[0].id, role.id)
    guild.create_text_channel(SECOND_CHANNEL)
    for person in people:
        env.backend.get_dm_channel(person.id)
    invite(env.backend, env.backend.guilds[guild.id], PERMISSIONS)
    router.dispatch = strict(router.dispatch)
    return env, channel, people


def _key(path: Path) -> str:
    """Return the secret in the page's address: the one in a file, so that open tabs go on after a restart.

    If the file is missing or empty, the secret is made and written to it.
    """
    with contextlib.suppress(FileExistsError):
        make_file(path)
    if not (key := path.read_text(encoding="ascii")):
        path.write_text(key := secrets.token_urlsafe(32), encoding="ascii")
    return key


def _check_port(port: int) -> None:
    """Find out before anything is started whether the page can be served. Raises :class:`PortTaken`."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, os.name == "posix")
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise PortTaken(f"port {port} can't be used ({error.strerror})") from error


def _speak(language: str) -> None:
    """Have all people and servers speak a language; simcord knows English only."""
    from simcord import interactions

    original = interactions.base_payload

    def base_payload(*args: Any, **kwargs: Any) -> Any:
        record, payload = original(*args, **kwargs)
        payload["locale"] = payload["guild_locale"] = language
        return record, payload

    interactions.base_payload = base_payload


async def _games(settings: Settings) -> list[GameRow]:
    """Return the games that go on. To be called before the bot looks for their channels."""
    store = await SqliteStore.open(settings.database)
    try:
        rows = [await store.game(game_id) for game_id in await store.due(NEVER, MAX_GAMES)]
    finally:
        await store.close()
    return [row for row in rows if row is not None]


def _restore_threads(world: Any, games: list[GameRow], parent_id: int) -> None:
    """Make the threads of these games again, with their people in them; the world begins without threads."""
    for row in games:
        if row.channel_id not in world.channels:
            people = [seat for seat in row.seats if seat.user_id in world.users]
            world.create_thread(
                parent_id,
                f"{row.game.title()} · {people[0].name}"[:MAX_NAME] if people else row.game.title(),
                world.bot_user.id,
                message_id=row.channel_id,
                broadcast=False,
            )
            for seat in people:
                world.add_thread_member(row.channel_id, seat.user_id)


async def _welcome(bot: DiceBot, channel_id: int, games: list[GameRow], language: str) -> None:
    """Say what to do first, with a button for each game, and bring back the tables of the games that go on.

    The world begins without a message.
    """
    waiting = next((row for row in games if row.channel_id == channel_id), None)
    below = say("playground-first-steps", command="/help")
    if waiting is not None:
        below = say("playground-goes-on", command=f"/{waiting.game} end")
    texts = [bot.catalogue.text(language, said) for said in (say("playground-welcome"), below)]
    parts: list[Component] = [{"type": TEXT, "content": "\n".join(texts)}]
    if waiting is None:
        screen = Screen.of(open_buttons(GAMES))
        parts += render(screen, bot.catalogue, language).to_components()
    await bot.get_partial_messageable(channel_id).send(view=Rendered(parts).view)
    for row in games:
        await bot.painter.paint(row.id, fresh=True)


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
        clock_is_due = now - refreshed > CLOCK_SECONDS
        if clock_is_due:
            refreshed = now
            archive_idle(env.backend)
        tabs.refresh(clock=clock_is_due)
