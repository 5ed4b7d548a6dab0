"""``playground``: try the bot in the browser."""

from __future__ import annotations

import argparse
import asyncio

from bot import playground
from bot.cli.text import OK, fail
from bot.settings import Settings
from bot.store.base import Unusable

DESCRIPTION = "The real bot behind a Discord-like page on this machine, with three people to play."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the port."""
    parser.add_argument("--port", type=_port, default=playground.PORT, help="port on 127.0.0.1 (%(default)s)")


def _port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: use a number from 1 to 65535")
    return int(text)


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Serve the playground until it is stopped; return the exit code."""

    def announce(url: str) -> None:
        print(f"The playground is open: {url}\nStop it with Ctrl-C.", flush=True)

    try:
        asyncio.run(playground.serve(settings, arguments.port, announce))
    except (playground.Unavailable, Unusable) as error:
        return fail(f"The playground can't be opened: {error}.")
    return OK
