"""``maintenance``: tell the players, and stop the bot."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from bot.cli.text import FAILED, OK, complain
from bot.i18n.names import clean
from bot.services.maintenance import ANNOUNCE_SECONDS, TEXT_LENGTH, note_of
from bot.settings import Settings
from bot.store.base import Unusable
from bot.store.operator_note import KEY, note_path, write_note
from bot.store.postgres.address import require_postgres
from bot.store.sqlite.lock import is_locked, process_file

COMMAND = "maintenance"
DESCRIPTION = (
    "Let the running bot open no more games, write a line on every table, and stop. Games go on after the "
    "next start, which takes the line away."
)
WAIT_SECONDS = ANNOUNCE_SECONDS + 30.0
"""How long to wait for the bot's end."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the text for the players."""
    parser.add_argument(
        "text",
        metavar="TEXT",
        nargs="?",
        default="",
        type=_text,
        help='what the line says besides, like "back at 20:15"',
    )


def _text(given: str) -> str:
    text = clean(given, len(given) + 1)
    if len(text) > TEXT_LENGTH:
        raise argparse.ArgumentTypeError(f"it has {len(text)} characters, at most {TEXT_LENGTH} are shown")
    return text


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Leave a note for the bot, wait until it has stopped, and return the exit code."""
    note = note_of(arguments.text, time.time())
    if settings.postgres:
        return asyncio.run(_on_postgres(settings.postgres, note))
    if os.name != "posix":
        return complain(COMMAND, "this system has no signal for it: stop the bot with Ctrl-C")
    database = Path(os.path.realpath(settings.database))

    async def running() -> int:
        return int(is_locked(database))

    async def leave_note() -> None:
        text = process_file(database).read_text(encoding="ascii")
        if not text.isdecimal():
            # It is just starting.
            raise OSError("it has not noted its process yet, try again")
        process_id = int(text)
        write_note(note_path(database), note)
        os.kill(process_id, signal.SIGUSR1)

    return asyncio.run(_stop(running, leave_note))


async def _on_postgres(url: str, note: str) -> int:
    """Do what :func:`run` does, for all processes that share a database."""
    try:
        require_postgres()
        from bot.store.postgres.connection import PostgresConnection
        from bot.store.postgres.store import opened

        async with opened(url) as connection:
            store = PostgresConnection(connection)

            async def running() -> int:
                return len(await store.all("alive"))

            async def leave_note() -> None:
                await store.execute("set_meta", key=KEY, value=note)

            return await _stop(running, leave_note)
    except Unusable as error:
        return complain(COMMAND, str(error), FAILED)


async def _stop(running: Callable[[], Awaitable[int]], leave_note: Callable[[], Awaitable[None]]) -> int:
    """Leave a note, and wait until no process is running. ``running`` counts them."""
    if not await running():
        return complain(COMMAND, "no bot is running on this database")
    start = time.monotonic()
    try:
        await leave_note()
    except OSError as error:
        return complain(COMMAND, f"the bot can't be told: {error}", FAILED)
    print("The bot tells the tables and stops; waiting for it.", flush=True)
    while count := await running():
        if time.monotonic() - start > WAIT_SECONDS:
            return complain(
                COMMAND, f"after {WAIT_SECONDS:.0f} s {count} still running: see the bot's log", FAILED
            )
        await asyncio.sleep(0.5)
    print(f"The bot has stopped after {time.monotonic() - start:.0f} s. Start it to end the maintenance.")
    return OK
