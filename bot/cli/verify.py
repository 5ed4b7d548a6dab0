"""``verify``: check game records against their seeds and the rules."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections import Counter
from contextlib import nullcontext
from typing import BinaryIO

from tqdm import tqdm

from bot.cli.text import FAILED, INTERRUPTED, OK, complain
from bot.daily import record as daily
from bot.records.header import OtherVersion
from bot.records.record import RecordError
from bot.records.verification import verify_stream
from bot.settings import Settings

COMMAND = "verify"
DESCRIPTION = (
    "Check every game record of a file: the seed against its hash or seal, each die and card against "
    "the seed, each move against the rules, each score and the result. Reports the first error and then "
    "exits with 1."
)

KINDS = {daily.SCHEMA: daily.verify}
"""What checks the records of games that are not played at tables, by their schema."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the name of the file."""
    parser.add_argument("file", metavar="FILE.jsonl", help="one record per line; - for standard input")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Check every record, print the summary, and return the exit code."""
    name: str = arguments.file
    games: Counter[str] = Counter()
    moves = outcomes = aborted = deleted = 0
    unchecked: list[OtherVersion] = []
    if name == "-" and sys.stdin is None:
        return complain(COMMAND, "can't read -: standard input is closed")
    try:
        with (
            nullcontext(sys.stdin.buffer) if name == "-" else open(name, "rb") as stream,
            tqdm(
                total=_size(stream), unit="B", unit_scale=True, disable=not sys.stderr.isatty(), leave=False
            ) as bar,
        ):
            for verified in verify_stream(stream, bar.update, unchecked.append, KINDS):
                games[verified.game] += 1
                moves += verified.moves
                outcomes += verified.outcomes
                aborted += verified.result is None
                deleted += verified.deleted
    except RecordError as error:
        checked = games.total()
        complain(COMMAND, f"{name}, {error}")
        if checked:
            complain(COMMAND, f"{_games(checked)} before it {'is' if checked == 1 else 'are'} in order")
        return FAILED
    except OSError as error:
        return complain(COMMAND, f"can't read {name}: {error.strerror or error}")
    except KeyboardInterrupt:
        return complain(COMMAND, f"interrupted; {_games(games.total())} verified so far", INTERRUPTED)
    if not games and not unchecked:
        return complain(COMMAND, f"{name} contains no game records", FAILED)
    kinds = ", ".join(f"{key} {count}" for key, count in games.items())
    if games:
        verified_games = f"{_games(games.total())} verified ({kinds})"
        print(f"{verified_games}: {moves:,} moves and {outcomes:,} outcomes of chance")
    if aborted:
        print(f"Without a result, because they were ended before: {aborted}")
    if deleted:
        print(f"Words that their players have deleted, so that they can't be checked: {deleted}")
    if not unchecked:
        return OK
    # Nothing is wrong with these as far as can be told, but they are not verified either.
    complain(COMMAND, f"{name}, {unchecked[0]}")
    return complain(
        COMMAND,
        f"{_games(len(unchecked))} made under other rules: seeds and seals are right, moves not checked",
        FAILED,
    )


def _games(count: int) -> str:
    return f"{count} game{'' if count == 1 else 's'}"


def _size(stream: BinaryIO) -> int | None:
    """Return the number of bytes to read, or None if it can't be known."""
    try:
        status = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None
