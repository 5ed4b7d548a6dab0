"""Command line: ``python -m bot``. Parses the arguments and starts the subcommand's module in bot/cli."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import NoReturn

from bot import __version__
from bot.cli.text import FAILED, OK, REFUSED, USAGE, fail, printable, program
from bot.settings import Settings, WrongSetting, load


@dataclass(frozen=True)
class Command:
    """A subcommand. ``logs``: it writes a log. ``explains_settings``: it reports wrong settings itself."""

    help: str
    logs: bool = False
    explains_settings: bool = False


COMMANDS = {
    "run": Command("run the bot", logs=True),
    "playground": Command("try the bot in the browser, without Discord", logs=True),
    "invite": Command("print the link that adds the bot to a server", logs=True),
    "doctor": Command("check that everything the bot needs is in place", explains_settings=True),
    "healthcheck": Command("ask the running bot whether it is healthy", explains_settings=True),
    "stats": Command("print how many servers, people and games there are"),
    "maintenance": Command("tell the players, and stop the running bot"),
    "backup": Command("copy the database into a file, also while the bot runs"),
    "restore": Command("replace the database with a backup"),
    "erase": Command("have the bot delete everything about people"),
    "rebuild-ratings": Command("recalculate all ratings and statistics from the results", logs=True),
    "migrate-data": Command("copy a SQLite database into PostgreSQL", logs=True),
    "simulate": Command("let AI players play many games and sum up who won"),
    "verify": Command("check game records against their seeds and the rules"),
}
"""The commands by name. Their modules have the same names, with underscores for hyphens."""

AddArguments = Callable[[argparse.ArgumentParser], None]
Run = Callable[[argparse.Namespace, Settings | WrongSetting], int]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand; return the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    parsed = _parser(given).parse_args(given)
    settings: Settings | WrongSetting
    try:
        settings = load()
    except WrongSetting as error:
        settings = error
    if parsed.command is None:
        name = _default(settings)
        parsed = _parser([name]).parse_args([name])
    else:
        name = parsed.command
    try:
        code = _carry_out(name, parsed, settings)
        sys.stdout.flush()
    except BrokenPipeError:
        if name == "run":  # It prints nothing, so this is about another pipe.
            raise
        # Nobody reads the output any more, such as head. Python flushes at its end, and would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = FAILED
    # After these two only a person can help.
    return OK if code in (USAGE, REFUSED) and getattr(parsed, "stop_for_good", False) else code


def _carry_out(name: str, parsed: argparse.Namespace, settings: Settings | WrongSetting) -> int:
    command = COMMANDS[name]
    if isinstance(settings, WrongSetting):
        if not command.explains_settings:
            return fail(str(settings))
    else:
        _use_addresses(settings)
        if command.logs:
            _log_to_stderr(settings)
    run: Run = _module(name).run
    return run(parsed, settings)


def _default(settings: Settings | WrongSetting) -> str:
    """Return the command to run if none was given. Wrong settings are left for it to report."""
    if isinstance(settings, WrongSetting):
        return "run"
    if settings.token:
        print("DISCORD_TOKEN is set: starting the bot.", file=sys.stderr)
        return "run"
    print("DISCORD_TOKEN is not set: opening the playground instead of the bot.", file=sys.stderr)
    return "playground"


def _module(name: str) -> ModuleType:
    # Nothing of what is imported is garbage; to search it takes a tenth of the time.
    gc.disable()
    try:
        return import_module(f"bot.cli.{name.replace('-', '_')}")
    finally:
        gc.enable()


def _use_addresses(settings: Settings) -> None:
    """Make discord.py use the addresses in the settings instead of Discord's, if there are any."""
    if settings.api_url or settings.gateway_url:
        from bot.discordpy.addresses import use

        use(settings.api_url, settings.gateway_url)


def _log_to_stderr(settings: Settings) -> None:
    from bot.observability.logging_setup import log_to_stderr

    log_to_stderr(settings.log_level, settings.log_format, settings.secrets)


class _Parser(argparse.ArgumentParser):
    """A parser that never prints a password or a control character that was given to it."""

    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


def _parser(given: Sequence[str]) -> argparse.ArgumentParser:
    """Return a parser of all commands. Only those in ``given`` are imported, so that ``--help`` is quick."""
    parser = _Parser(
        prog=program(),
        description="A Discord bot for dice games among friends. Without a command: the bot if DISCORD_TOKEN "
        "is set, else the playground.",
    )
    parser.add_argument("--version", action="version", version=f"dicebot {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, command in COMMANDS.items():
        subparser = commands.add_parser(name, help=command.help)
        if name in given:
            module = _module(name)
            subparser.description = module.DESCRIPTION
            add_arguments: AddArguments | None = getattr(module, "add_arguments", None)
            if add_arguments is not None:
                add_arguments(subparser)
    return parser


if __name__ == "__main__":
    sys.exit(main())
