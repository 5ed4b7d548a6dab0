"""``simulate``: let AI players play many games, and summarise the results."""

from __future__ import annotations

import argparse
import json
import re
import secrets
import sys
from types import TracebackType
from typing import TextIO

from tqdm import tqdm

from bot.cli.simulation import Report, SimulationError, simulate
from bot.cli.text import INTERRUPTED, OK, complain, explain
from bot.games.core import GameError, Json
from bot.games.options import declared
from bot.registry import GAMES
from bot.settings import Settings

COMMAND = "simulate"
DESCRIPTION = "Let AI players play many games and sum up who won. The same seed gives the same games."
DEFAULT_GAMES = 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the game, its options, the seats, and what to print."""
    games = "; ".join(f"{key}: {', '.join(entry.policies)}" for key, entry in GAMES.items())
    parser.epilog = f"AI players, weakest first - {games}."
    parser.add_argument("--game", default=next(iter(GAMES)), help=f"one of {', '.join(GAMES)}")
    parser.add_argument("--edition", metavar="E", help="short for --option edition=E (tutto)")
    parser.add_argument("--target", metavar="T", help="short for --option target=T (tutto)")
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the game; may be repeated; the others have defaults",
    )
    parser.add_argument(
        "--seats",
        metavar="P,P,...",
        help="the AI player of each seat, the first one starts; default: two of the weakest",
    )
    parser.add_argument(
        "--games",
        type=int,
        default=DEFAULT_GAMES,
        metavar="N",
        help=f"how many games; default {DEFAULT_GAMES}",
    )
    parser.add_argument("--seed", metavar="S", help="any text; default: a random one, which is printed")
    parser.add_argument(
        "--record", metavar="FILE", help="write the games' records to this file, one per line"
    )
    parser.add_argument("--json", action="store_true", help="print the summary as one JSON object")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Play the games, print the summary, and return the exit code."""
    key: str = arguments.game
    if key not in GAMES:
        return complain(COMMAND, f"there is no game {key!r}; choose from: {', '.join(GAMES)}")
    entry = GAMES[key]
    try:
        options = _options(arguments)
        known = declared(entry.rules.options_type)
        for name in options:
            if name not in known:
                names = ", ".join(known) if known else "none"
                return complain(COMMAND, f"{key} has no option {name!r}; it has: {names}")
    except ValueError as error:
        return complain(COMMAND, str(error))
    weakest = next(iter(entry.policies))
    seats = arguments.seats.split(",") if arguments.seats is not None else [weakest] * 2
    seed = arguments.seed if arguments.seed is not None else secrets.token_hex(8)
    quiet = not sys.stderr.isatty()
    try:
        with (
            _Records(arguments.record) as records,
            tqdm(total=arguments.games, unit="game", disable=quiet, leave=False) as bar,
        ):
            report = simulate(
                key,
                options,
                [name.strip() for name in seats],
                arguments.games,
                seed,
                records.write if arguments.record is not None else None,
                bar.update,
            )
    except GameError as error:
        return complain(COMMAND, explain(error))
    except SimulationError as error:
        return complain(COMMAND, str(error))
    except OSError as error:
        return complain(COMMAND, f"can't write {arguments.record}: {error.strerror or error}")
    except KeyboardInterrupt:
        return complain(COMMAND, "interrupted, so there is no summary", INTERRUPTED)
    if arguments.json:
        print(json.dumps(report.to_json()))
    else:
        print(summary(report))
        if arguments.record is not None:
            print(ascii_text(f"Records: {arguments.record} ({records.lines:,})"))
    return OK


def summary(report: Report) -> str:
    """Format the report as a table in plain ASCII, one row per seat."""
    options = "".join(f", {name} {value}" for name, value in report.options.items())
    width = max(len("player"), *(len(seat.policy) for seat in report.seats))
    lines = [
        f"{report.game}{options}",
        f"{report.games:,} games in {report.seconds:.1f} s ({report.games_per_second:,.0f} a second),"
        f" seed {report.seed}",
        "",
        f"seat  {'player':<{width}}  {'wins':>10}  {'share':>7}  {'95% interval':>16}  {'mean score':>10}",
    ]
    for number, seat in enumerate(report.seats):
        interval = f"{seat.low:.1%} - {seat.high:.1%}"
        lines.append(
            f"{number:>4}  {seat.policy:<{width}}  {_wins(seat.wins):>10}  {seat.share:>7.1%}"
            f"  {interval:>16}  {seat.mean_score:>10,.0f}"
        )
    endings = ", ".join(f"{reason} {count:,}" for reason, count in report.reasons.items())
    lines += ["", f"Turns per game: {report.mean_turns:.1f}", f"Ended by: {endings}"]
    if report.shared:
        wins = "1 win was shared; it" if report.shared == 1 else f"{report.shared:,} wins were shared; each"
        lines.append(f"{wins} counts as an equal part of one for each of its winners.")
    return ascii_text("\n".join(lines))


def ascii_text(text: str) -> str:
    """Escape everything that a terminal might not show."""
    return text.encode("ascii", "backslashreplace").decode("ascii")


def _wins(wins: float) -> str:
    return f"{wins:,.0f}" if wins % 1 == 0 else f"{wins:,.1f}"


def _options(arguments: argparse.Namespace) -> dict[str, Json]:
    """Parse the game's options. Raises :class:`ValueError`, which says what would be right."""
    given: list[tuple[str, str]] = []
    for short in ("edition", "target"):
        value = getattr(arguments, short)
        if value is not None:
            given.append((short, value))
    for text in arguments.option:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise ValueError(f"--option takes NAME=VALUE, for example target=6000, not {text!r}")
        given.append((name, value))
    options: dict[str, Json] = {}
    for name, value in given:
        if name in options:
            raise ValueError(f"the option {name!r} is given twice; give it once")
        options[name] = _value(value)
    return options


def _value(text: str) -> Json:
    """Read the value of an option: a number, true, false, or any other text."""
    if re.fullmatch(r"-?[0-9]{1,18}", text):
        return int(text)
    return {"true": True, "false": False}.get(text, text)


class _Records:
    """A file that is opened when its first line is written, so that a refused command overwrites nothing."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._file: TextIO | None = None
        self.lines = 0

    def write(self, line: str) -> None:
        if self._file is None:
            assert self._path is not None
            self._file = open(self._path, "w", encoding="ascii", newline="\n")  # noqa: SIM115
        self._file.write(line + "\n")
        self.lines += 1

    def __enter__(self) -> _Records:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()
