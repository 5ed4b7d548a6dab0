"""``doctor``: looks at everything the bot needs, and says of each thing that it is fine or how to mend it."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from bot.cli import checks_discord, checks_here, checks_postgres
from bot.cli.findings import Finding, State, fine, skipped, wrong
from bot.cli.text import WRONG
from bot.observability.logging_setup import redact
from bot.settings import Settings, WrongSetting

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

COMMAND = "doctor"


def add_doctor(subparsers: Subparsers) -> None:
    """Add the subcommand; its default ``func`` takes the arguments, with the settings as one of them."""
    parser = subparsers.add_parser(
        COMMAND,
        help="look whether everything is as the bot needs it",
        description="Look at the token, Discord, permissions, database, clock, disk, versions and files, "
        "and say of each that it is fine or how to mend it. The bot may run meanwhile. Exits with 1 if "
        "anything is wrong.",
    )
    parser.add_argument(
        "--offline", action="store_true", help="ask nobody, check only what is on this machine"
    )
    parser.set_defaults(func=run)


def run(arguments: argparse.Namespace) -> int:
    """Check, print a line for each thing, and return the exit code.

    Takes a :class:`WrongSetting` in the place of settings that can't be read.
    """
    settings: Settings | WrongSetting = arguments.settings
    return asyncio.run(_report(settings, arguments.offline))


async def _report(settings: Settings | WrongSetting, offline: bool) -> int:
    secrets = [settings.token] if isinstance(settings, Settings) and settings.token else []
    bad = 0
    async for finding in _findings(settings, offline):
        bad += finding.state is State.WRONG
        # Names of servers and channels come from outside.
        line = redact(" ".join(str(finding).splitlines()), secrets)
        print("".join(character for character in line if character.isprintable()), flush=True)
    print(f"{bad} to mend." if bad else "All fine.")
    return WRONG if bad else 0


async def _findings(settings: Settings | WrongSetting, offline: bool) -> AsyncIterator[Finding]:
    if isinstance(settings, WrongSetting):
        yield wrong("settings", str(settings), "correct it in .env or in the environment, see .env.example")
        settings = Settings()
        offline = True  # what was meant is not known
    else:
        yield fine("settings", "can be read")
        yield checks_here.token(settings)
    async for finding in _here(settings):
        yield finding
    if offline:
        yield skipped("discord", "not asked")
        return
    try:
        yield await checks_discord.clock()
        if settings.token is None:
            yield skipped("login", "there is no token to try")
            return
        async for finding in checks_discord.account(settings.token):
            yield finding
    except checks_discord.Unreachable as error:
        yield wrong(
            "discord",
            f"it can't be asked: {error}",
            "check the network, https://discordstatus.com and DISCORD_API_URL if it is set",
        )


async def _here(settings: Settings) -> AsyncIterator[Finding]:
    if settings.postgres:
        yield await checks_postgres.database(settings.postgres)
    else:
        yield checks_here.database(settings)
        yield checks_here.disk(settings)
    yield checks_here.python()
    yield checks_here.packages()
    yield checks_here.languages()
    yield checks_here.tables()
