"""Command line and composition root: ``python -m bot``."""

from __future__ import annotations

import argparse
import asyncio
import errno
import gc
import logging
import os
import signal
import socket
import sqlite3
import sys
import time
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import aiohttp
import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route
from tqdm import tqdm

from bot import __version__, playground
from bot.cli import doctor
from bot.cli.backup import add_backup
from bot.cli.simulate import add_simulate
from bot.cli.verify import add_verify
from bot.client import INTENTS, PERMISSIONS, SCOPES, DiceBot
from bot.discordpy.client_state import expect_no_voice
from bot.observability import metrics
from bot.observability.health import Watch
from bot.observability.logging_setup import log_to_stderr
from bot.settings import Settings, WrongSetting, load, parse
from bot.store.base import Unreachable, Unusable
from bot.store.files import make_folder
from bot.store.postgres.address import require_postgres
from bot.store.rebuild import rebuild_file
from bot.store.sqlite.lock import Timeout, holding, take
from bot.store.standings import Rebuilt

OK, FAILED, CONFIGURATION, REFUSED = 0, 1, 2, 3
"""Exit codes: fine; starting again may help; a setting is wrong; Discord refuses the token or the intents."""

TOKEN_HELP = (
    "DISCORD_TOKEN is not set. Create an application at https://discord.com/developers/applications, "
    "take its token from Bot > Reset Token, and put DISCORD_TOKEN=... into the file .env (see .env.example)."
)

_log = logging.getLogger("bot")


def main(arguments: list[str] | None = None) -> int:
    """Run a subcommand; return the exit code."""
    parser = _parser()
    given = parser.parse_args(arguments)
    try:
        settings = load()
    except WrongSetting as error:
        if given.command != doctor.COMMAND:
            return _complain(str(error))
        given.settings = error
        return doctor.run(given)
    if settings.api_url:
        Route.BASE = settings.api_url
    if settings.gateway_url:
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(settings.gateway_url)
    run = getattr(given, "func", None)
    if run is not None:
        given.settings = settings
        code: int = run(given)
        return code
    _log_to_stderr(settings)
    match given.command:
        case "run":
            return _run(settings)
        case "playground":
            return _playground(settings, given.port)
        case "invite":
            return _invite(settings)
        case "rebuild-ratings":
            return _rebuild(settings)
        case "migrate-data":
            return _migrate_data(given.source, given.target)
        case _ if settings.token:
            print("DISCORD_TOKEN is set: starting the bot.", file=sys.stderr)
            return _run(settings)
        case _:
            print("DISCORD_TOKEN is not set: opening the playground instead of the bot.", file=sys.stderr)
            return _playground(settings, playground.PORT)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bot",
        description="A Discord bot for dice games among friends. Without a command: the bot if DISCORD_TOKEN "
        "is set, else the playground.",
    )
    parser.add_argument("--version", action="version", version=f"dicebot {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    commands.add_parser("run", help="run the bot", description="Run the bot; needs DISCORD_TOKEN.")
    play = commands.add_parser(
        "playground",
        help="try the bot in the browser, without Discord",
        description="The real bot behind a Discord-like page on this machine, with three people to play.",
    )
    play.add_argument("--port", type=_port, default=playground.PORT, help="port on 127.0.0.1 (%(default)s)")
    commands.add_parser(
        "invite",
        help="print the link that adds the bot to a server",
        description="Print the link that adds the bot to a server, with the fewest permissions it needs.",
    )
    commands.add_parser(
        "rebuild-ratings",
        help="work out all ratings and statistics anew from the results",
        description="Work out all ratings and statistics anew from the results, in the order in which the "
        "games ended, and say whether any were wrong. Stop the bot before.",
    )
    migrate = commands.add_parser(
        "migrate-data",
        help="copy a SQLite database into PostgreSQL",
        description="Copy a SQLite database into an empty PostgreSQL database, row by row, and compare all "
        "of it. May be interrupted and run again. Stop the bot before.",
    )
    migrate.add_argument("source", metavar="FROM", type=_sqlite, help="like sqlite:///data/games.db")
    migrate.add_argument(
        "target", metavar="TO", type=_postgres, help="like postgresql://user:password@host/name"
    )
    add_simulate(commands)
    add_verify(commands)
    add_backup(commands)
    doctor.add_doctor(commands)
    return parser


def _port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: use a number from 1 to 65535")
    return int(text)


def _sqlite(text: str) -> Path:
    settings = _address(text)
    if settings.postgres:
        raise argparse.ArgumentTypeError("it should look like sqlite:///data/games.db")
    return settings.database


def _postgres(text: str) -> str:
    settings = _address(text)
    if not settings.postgres:
        raise argparse.ArgumentTypeError("it should look like postgresql://user:password@host/name")
    return settings.postgres


def _address(text: str) -> Settings:
    try:
        return parse({"DATABASE_URL": text})
    except WrongSetting as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _complain(text: str, code: int = CONFIGURATION) -> int:
    print(text, file=sys.stderr)
    return code


def _log_to_stderr(settings: Settings) -> None:
    log_to_stderr(settings.log_level, settings.log_format, [settings.token or ""])


def _run(settings: Settings) -> int:
    if not settings.token:
        return _complain(TOKEN_HELP)
    if settings.postgres:
        return _run_locked(settings)
    try:
        make_folder(settings.database.parent)
        lock = take(settings.database)
    except Timeout:
        return _complain(f"Another bot is running on {settings.database}: stop that one first.")
    except OSError as error:
        return _complain(f"The database {settings.database} can't be used, see DATABASE_URL: {error}")
    try:
        return _run_locked(settings)
    finally:
        lock.release()


def _run_locked(settings: Settings) -> int:
    """Run the bot on a database that is its own, or that several may use."""
    try:
        return asyncio.run(_bot(settings))
    except WrongSetting as error:
        return _complain(str(error))
    except Unreachable as error:
        return _complain(f"The database can't be used, see DATABASE_URL: {error}.", FAILED)
    except (Unusable, sqlite3.DatabaseError) as error:
        return _complain(f"The database can't be used, see DATABASE_URL: {error}.")
    except discord.LoginFailure:
        return _complain(
            "Discord refuses the token. Take a new one from https://discord.com/developers/applications "
            "(Bot > Reset Token) and put it into .env as DISCORD_TOKEN.",
            REFUSED,
        )
    except discord.PrivilegedIntentsRequired:
        return _complain(
            "Discord refuses the intents. Switch them on at https://discord.com/developers/applications "
            "(Bot > Privileged Gateway Intents).",
            REFUSED,
        )
    except (discord.HTTPException, discord.GatewayNotFound, discord.ConnectionClosed) as error:
        return _complain(f"Discord can't be reached: {error}", FAILED)
    except aiohttp.ClientError as error:
        return _complain(f"Discord can't be reached: {error}", FAILED)


def tune() -> None:
    """Look for garbage less often, and not among what is loaded by now, which stays: a tenth of a click."""
    gc.collect()
    gc.freeze()
    # More than a few hundred clicks hold that are under way at once, or it is looked for among those.
    gc.set_threshold(100_000, 10, 10)


async def _bot(settings: Settings) -> int:
    tune()
    bot = DiceBot(settings)
    async with AsyncExitStack() as stack:
        if settings.metrics_port is not None:
            metrics.about(__version__)
            metrics.watch()
            watch = Watch(bot, settings.metrics_host, settings.metrics_port)
            try:
                await stack.enter_async_context(watch)
            except OSError as error:
                # A name that leads nowhere, or an address of another machine, and not the port.
                host = isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL
                raise WrongSetting(
                    f"METRICS_PORT {settings.metrics_port} on {settings.metrics_host} can't be used"
                    f"{', see METRICS_HOST' if host else ''}: {error.strerror or error}"
                ) from error
        return await _until_stopped(bot, settings)


async def _until_stopped(bot: DiceBot, settings: Settings) -> int:
    assert settings.token
    running = asyncio.create_task(bot.start(settings.token))
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows
            loop.add_signal_handler(number, stopping.set)
    stop = asyncio.create_task(stopping.wait())
    try:
        await asyncio.wait({running, stop}, return_when=asyncio.FIRST_COMPLETED)
        if stopping.is_set():
            _log.info("Stopping")
        else:
            await running
    finally:
        stop.cancel()
        await bot.close()
        running.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await running
    return OK


def _playground(settings: Settings, port: int) -> int:
    def announce(url: str) -> None:
        print(f"The playground is open: {url}\nStop it with Ctrl-C.", flush=True)

    try:
        asyncio.run(playground.serve(settings, port, announce))
    except (playground.Unavailable, Unusable) as error:
        return _complain(f"The playground can't be opened: {error}.")
    return OK


def _rebuild(settings: Settings) -> int:
    if settings.postgres:
        return _rebuild_postgres(settings.postgres)
    database = Path(os.path.realpath(settings.database))
    try:
        if not database.is_file():
            return _complain(f"There is no database {settings.database}.")
        with holding(database), tqdm(unit="game", disable=not sys.stderr.isatty(), leave=False) as bar:
            report = rebuild_file(database, time.time(), bar.update)
    except Timeout:
        return _complain(f"A bot is running on {settings.database}: stop it first.")
    except (Unusable, sqlite3.Error, OSError) as error:
        return _complain(f"The database {settings.database} can't be used: {error}")
    return _report(report)


def _rebuild_postgres(url: str) -> int:
    try:
        require_postgres()
        from bot.store.postgres.store import rebuild_postgres

        with tqdm(unit="game", disable=not sys.stderr.isatty(), leave=False) as bar:
            report = asyncio.run(rebuild_postgres(url, time.time(), bar.update))
    except Unusable as error:
        return _complain(f"The ratings can't be worked out: {error}")
    return _report(report)


def _migrate_data(source: Path, target: str) -> int:
    try:
        if not source.is_file():
            return _complain(f"There is no database {source}.")
        require_postgres()
        from bot.store.postgres.copy import Different, copy, rows_of
        from bot.store.postgres.copy import source as opened
    except (Unusable, OSError) as error:
        return _complain(f"Nothing was copied: {error}")
    try:
        with (
            holding(source),
            opened(source) as connection,
            tqdm(total=rows_of(connection), unit="row", leave=False) as bar,
        ):

            def progress(table: str, rows: int) -> None:
                bar.set_description(table)
                bar.update(rows)

            counts = asyncio.run(copy(connection, target, progress))
    except Timeout:
        return _complain(f"A bot is running on {source}: stop it first.")
    except (Different, Unusable, OSError) as error:
        return _complain(f"The data could not be copied: {error}")
    except KeyboardInterrupt:
        return _complain("Interrupted; the same command goes on from here.", FAILED)
    for table, rows in counts.items():
        print(f"{table:>12} {rows:>12,}")
    print(f"{sum(counts.values()):,} rows are the same in both. Now set DATABASE_URL, and start the bot.")
    return OK


def _report(report: Rebuilt) -> int:
    wrong = report.changed
    found = "all as they were" if not wrong else f"{wrong} of them {'was' if wrong == 1 else 'were'} wrong"
    print(f"{report.games:,} games counted, {report.rated:,} ratings: {found}")
    return OK


def _invite(settings: Settings) -> int:
    if not settings.token:
        return _complain(TOKEN_HELP)
    try:
        application = asyncio.run(_application(settings))
    except discord.LoginFailure:
        return _complain("Discord refuses the token; check DISCORD_TOKEN.", REFUSED)
    except (discord.DiscordException, OSError) as error:
        return _complain(f"Discord can't be reached: {error}", 1)
    print(discord.utils.oauth_url(application, permissions=PERMISSIONS, scopes=SCOPES))
    return OK


async def _application(settings: Settings) -> int:
    expect_no_voice()
    async with discord.Client(intents=INTENTS) as client:
        assert settings.token
        await client.login(settings.token)
        assert client.application_id is not None
        return client.application_id


if __name__ == "__main__":
    sys.exit(main())
