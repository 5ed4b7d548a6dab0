"""``verify``: check game records against their seeds and the rules."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections import Counter
from contextlib import nullcontext
from typing import TYPE_CHECKING, BinaryIO

from tqdm import tqdm

from bot.cli.text import INTERRUPTED, USAGE, WRONG, complain
from bot.records.record import RecordError, verify_stream

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

COMMAND = "verify"


def add_verify(subparsers: Subparsers) -> None:
    """Add the subcommand; its default ``func`` takes the parsed arguments and returns an exit code."""
    parser = subparsers.add_parser(
        COMMAND,
        help="check game records against their seeds and the rules",
        description="Check every game record of a file: the seed against its hash, each die and card against"
        " the seed, each move against the rules, each score and the result. Names the first thing that is"
        " wrong and exits with 1.",
    )
    parser.add_argument("file", metavar="FILE.jsonl", help="one record a line; - for standard input")
    parser.set_defaults(func=run)


def run(arguments: argparse.Namespace) -> int:
    """Check, print the summary, and return the exit code."""
    name = arguments.file
    games: Counter[str] = Counter()
    moves = outcomes = 0
    if name == "-" and sys.stdin is None:
        complain(COMMAND, "can't read -: standard input is closed")
        return USAGE
    try:
        with (
            nullcontext(sys.stdin.buffer) if name == "-" else open(name, "rb") as stream,
            tqdm(
                total=_size(stream), unit="B", unit_scale=True, disable=not sys.stderr.isatty(), leave=False
            ) as bar,
        ):
            for verified in verify_stream(stream, bar.update):
                games[verified.game] += 1
                moves += verified.moves
                outcomes += verified.outcomes
    except RecordError as error:
        before = games.total()
        complain(COMMAND, f"{name}, {error}")
        if before:
            complain(COMMAND, f"{_games(before)} before it {'is' if before == 1 else 'are'} in order")
        return WRONG
    except OSError as error:
        complain(COMMAND, f"can't read {name}: {error.strerror or error}")
        return USAGE
    except KeyboardInterrupt:
        complain(COMMAND, f"interrupted after {_games(games.total())} without a fault")
        return INTERRUPTED
    if not games:
        complain(COMMAND, f"{name} holds no game records")
        return WRONG
    kinds = ", ".join(f"{key} {number}" for key, number in games.items())
    print(f"{_games(games.total())} verified ({kinds}): {moves:,} moves and {outcomes:,} outcomes of chance")
    return 0


def _games(number: int) -> str:
    return f"{number} game{'' if number == 1 else 's'}"


def _size(stream: BinaryIO) -> int | None:
    """How many bytes there are to read, or None where that can't be known."""
    try:
        status = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None
