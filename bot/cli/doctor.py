"""``doctor``: check everything that the bot needs, and say how to fix what is wrong."""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter
from collections.abc import AsyncIterator

from bot.cli import checks_discord, checks_here, checks_postgres
from bot.cli.findings import Finding, State, fail, skipped
from bot.cli.text import FAILED, OK, printable
from bot.settings import Settings, WrongSetting

DESCRIPTION = (
    "Check the token, Discord, permissions, database, clock, disk, versions and files; report each as ok or "
    "FAIL with how to fix it. The bot can keep running. Exits with 1 if there is a problem."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the switch that leaves out the network."""
    parser.add_argument(
        "--offline", action="store_true", help="check only this machine, don't connect to Discord"
    )


def run(arguments: argparse.Namespace, settings: Settings | WrongSetting) -> int:
    """Check everything, print a line for each finding, and return the exit code."""
    return asyncio.run(_report(settings, arguments.offline))


async def _report(settings: Settings | WrongSetting, offline: bool) -> int:
    secrets = settings.secrets if isinstance(settings, Settings) else ()
    counts: Counter[State] = Counter()
    async for finding in _findings(settings, offline):
        counts[finding.state] += 1
        print(printable(" ".join(str(finding).splitlines()), secrets), flush=True)
    print(f"{counts[State.OK]} ok, {counts[State.FAIL]} FAIL, {counts[State.SKIPPED]} not checked")
    return FAILED if counts[State.FAIL] else OK


async def _findings(settings: Settings | WrongSetting, offline: bool) -> AsyncIterator[Finding]:
    if isinstance(settings, WrongSetting):
        yield fail("settings", str(settings), "correct it in .env or the environment, see .env.example")
        settings = Settings()
        offline = True  # the address of Discord is unknown
    else:
        yield checks_here.file_of_settings(settings)
        yield checks_here.token(settings)
    async for finding in _here(settings):
        yield finding
    if offline:
        yield skipped("discord", "not checked (--offline)")
        return
    try:
        yield await checks_discord.clock()
        if settings.token is None:
            yield skipped("login", "not checked without a token")
            return
        async for finding in checks_discord.account(settings.token):
            yield finding
    except checks_discord.Unreachable as error:
        yield fail(
            "discord",
            f"can't be reached: {error}",
            "check the network, https://discordstatus.com and DISCORD_API_URL if it is set",
        )


async def _here(settings: Settings) -> AsyncIterator[Finding]:
    if settings.postgres:
        yield await checks_postgres.database(settings.postgres)
    else:
        yield checks_here.database(settings)
        yield checks_here.file_system(settings)
        yield checks_here.sqlite()
        yield checks_here.disk(settings)
    for name, check in {"python": checks_here.python, "packages": checks_here.packages}.items():
        try:
            yield check()
        except OSError as error:
            yield fail(name, f"not known: {error}", "get this file again, for example with git checkout")
    yield checks_here.languages()
    yield checks_here.tables()
