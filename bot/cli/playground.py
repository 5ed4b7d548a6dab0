"""``playground``: try the bot in the browser."""

from __future__ import annotations

import argparse
import asyncio
from datetime import UTC, datetime

from bot import playground
from bot.cli.text import OK, fail, program
from bot.i18n.catalogue import languages
from bot.i18n.locales import SOURCE
from bot.settings import Settings
from bot.store.base import Unusable

DESCRIPTION = "The real bot behind a Discord-like page on this machine, with three people to play."
DEFAULT = "en-US"
LOCALES = (DEFAULT, *(language for language in languages() if language != SOURCE))
"""Discord's locales in which the bot has texts."""

EARLIEST = datetime(2026, 1, 1, tzinfo=UTC)
"""When the clock of the page's world begins by itself."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the port, the language and the time."""
    parser.add_argument("--port", type=_port, default=playground.PORT, help="port on 127.0.0.1 (%(default)s)")
    parser.add_argument(
        "--language", choices=LOCALES, default=DEFAULT, help="what everybody speaks (%(default)s)"
    )
    parser.add_argument(
        "--at", type=_time, metavar="TIME", help="when the clock begins, such as 2026-12-31T23:58 (UTC; now)"
    )


def _port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: use a number from 1 to 65535")
    return int(text)


def _time(text: str) -> float:
    try:
        moment = datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=moment.tzinfo or UTC)
    except ValueError:
        moment = EARLIEST
    if moment <= EARLIEST:
        raise argparse.ArgumentTypeError(f"{text!r} is no time after 2026-01-01, such as 2026-12-31T23:58")
    return moment.timestamp()


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Serve the playground until it is stopped; return the exit code."""

    def announce(url: str) -> None:
        print(f"The playground is open: {url}\nStop it with Ctrl-C.", flush=True)

    try:
        asyncio.run(
            playground.serve(settings, arguments.port, announce, language=arguments.language, at=arguments.at)
        )
    except playground.PortTaken as error:
        again = f"{program()} playground --port NUMBER"
        return fail(f"The playground can't be opened: {error}. Choose another one: {again}")
    except (playground.Unavailable, Unusable) as error:
        return fail(f"The playground can't be opened: {error}.")
    return OK
