"""``run``: run the bot."""

from __future__ import annotations

import argparse
import asyncio
import errno
import gc
import logging
import signal
import socket
import sqlite3
from contextlib import AsyncExitStack, suppress

import aiohttp
import discord

from bot import __version__
from bot.cli.refusals import refusal
from bot.cli.text import FAILED, OK, REFUSED, TOKEN_HELP, fail
from bot.client import DiceBot
from bot.observability import metrics
from bot.observability.health import HealthServer
from bot.settings import Settings, WrongSetting
from bot.store.base import Unreachable, Unusable
from bot.store.sqlite.access import foreign_obstacle
from bot.store.sqlite.lock import Timeout, claim, note_process, process_file

DESCRIPTION = "Run the bot; needs DISCORD_TOKEN."

_log = logging.getLogger("bot")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add a switch for supervisors; settings come from the environment."""
    parser.add_argument(
        "--stop-for-good",
        action="store_true",
        help="exit with 0 instead of 2 or 3, for a supervisor that starts the bot again after any failure",
    )


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Run the bot until it is stopped, and return the exit code. Locks the SQLite database meanwhile."""
    if not settings.token:
        return fail(TOKEN_HELP)
    if settings.postgres:
        return _run_locked(settings)
    if (obstacle := foreign_obstacle(settings.database)) is not None:
        return fail(f"{obstacle.reason}: {obstacle.remedy}")
    try:
        lock = claim(settings.database)
        note_process(settings.database)
    except Timeout:
        return fail(f"Another bot is running on {settings.database}: stop that one first.")
    except OSError as error:
        return fail(f"The database {settings.database} can't be used, see DATABASE_URL: {error}")
    try:
        return _run_locked(settings)
    finally:
        process_file(settings.database).unlink(missing_ok=True)
        lock.release()


def _run_locked(settings: Settings) -> int:
    """Run the bot, and report why it could not start. The SQLite database is locked by now."""
    try:
        return asyncio.run(_bot(settings))
    except WrongSetting as error:
        return fail(str(error))
    except Unreachable as error:
        return fail(f"The database can't be used, see DATABASE_URL: {error}.", FAILED)
    except (Unusable, sqlite3.DatabaseError) as error:
        return fail(f"The database can't be used, see DATABASE_URL: {error}.")
    except discord.DiscordException as error:
        refused = refusal(error)
        if refused is not None:
            return fail(refused, REFUSED)
        if isinstance(error, discord.HTTPException | discord.GatewayNotFound | discord.ConnectionClosed):
            return fail(f"Discord can't be reached: {error}", FAILED)
        raise
    except aiohttp.ClientError as error:
        return fail(f"Discord can't be reached: {error}", FAILED)


def tune() -> None:
    """Collect garbage less often, and never what is loaded by now. This saves a tenth of a click's time."""
    gc.collect()
    gc.freeze()
    # A few hundred unfinished clicks hold fewer objects, so they are not searched for garbage in vain.
    gc.set_threshold(100_000, 10, 10)


async def _bot(settings: Settings) -> int:
    tune()
    bot = DiceBot(settings)
    async with AsyncExitStack() as stack:
        if settings.metrics_port is not None:
            metrics.set_version(__version__)
            metrics.enable()
            server = HealthServer(bot, settings.metrics_host, settings.metrics_port)
            try:
                await stack.enter_async_context(server)
            except OSError as error:
                # With an unknown name or the address of another machine, the port is not to blame.
                is_host_wrong = isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL
                raise WrongSetting(
                    f"METRICS_PORT {settings.metrics_port} on {settings.metrics_host} can't be used"
                    f"{', see METRICS_HOST' if is_host_wrong else ''}: {error.strerror or error}"
                ) from error
        return await _until_stopped(bot, settings)


async def _until_stopped(bot: DiceBot, settings: Settings) -> int:
    """Run the bot until it is stopped or fails, and close it."""
    assert settings.token
    running = asyncio.create_task(bot.start(settings.token))
    loop = asyncio.get_running_loop()
    for signal_number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows
            loop.add_signal_handler(signal_number, bot.stopping.set)
    with suppress(NotImplementedError, AttributeError):
        loop.add_signal_handler(signal.SIGUSR1, bot.begin_maintenance)
    stop = asyncio.create_task(bot.stopping.wait())
    failed = asyncio.create_task(bot.failed.wait())
    try:
        await asyncio.wait({running, stop, failed}, return_when=asyncio.FIRST_COMPLETED)
        if bot.stopping.is_set():
            _log.info("Stopping")
        elif bot.fatal is not None:
            raise bot.fatal
        else:
            await running
    finally:
        stop.cancel()
        failed.cancel()
        await bot.close()
        running.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await running
    return OK
