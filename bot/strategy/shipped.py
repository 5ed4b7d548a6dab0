"""Files of numbers that are shipped with the bot, each checked against its SHA-256."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from bot.games.core import CORRUPT_DATA_ERRORS, GameError, Json

T = TypeVar("T")

INDEX = "tables.json"
"""The file of a folder that names its tables, each with its SHA-256."""


class TableProblem(GameError):
    """A table file is missing or damaged. The facts are ``file`` and the ``command`` that computes it."""

    def __str__(self) -> str:
        what = "is missing" if self.code == "problem-table-missing" else "is damaged"
        return f"the file {self.facts['file']} {what}; compute it with: {self.facts['command']}"


def read_bytes(path: Path, command: str) -> bytes:
    """Return the bytes of a file. Raises :class:`TableProblem` if it can't be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise TableProblem("problem-table-missing", file=path.name, command=command) from error


def checked(path: Path, sha256: object, command: str) -> bytes:
    """Return the bytes of a file if they have the given hash, or else raise :class:`TableProblem`."""
    data = read_bytes(path, command)
    if hashlib.sha256(data).hexdigest() != sha256:
        raise TableProblem("problem-table-damaged", file=path.name, command=command)
    return data


def read_json(path: Path, command: str, read: Callable[[Any], T | None]) -> T:
    """Return what ``read`` makes of the JSON in a file.

    Raises :class:`TableProblem` if the file is missing or damaged: if it is no JSON, or if ``read`` returns
    None or raises one of :data:`~bot.games.core.CORRUPT_DATA_ERRORS`.
    """
    data, cause = read_bytes(path, command), None
    try:
        found = read(json.loads(data))
        if found is not None:
            return found
    except CORRUPT_DATA_ERRORS as error:
        cause = error
    raise TableProblem("problem-table-damaged", file=path.name, command=command) from cause


def problems_of(reads: Iterable[Callable[[], object]]) -> tuple[TableProblem, ...]:
    """Return the problems of all files that can't be read, each by a function that raises its problem."""
    wrong = []
    for read in reads:
        try:
            read()
        except TableProblem as problem:
            wrong.append(problem)
    return tuple(wrong)


def read_index(
    directory: Path, command: str, fits: Callable[[Any], object] = lambda entry: True
) -> dict[str, Json]:
    """Return the entries of a folder's index by file.

    Raises :class:`TableProblem` as :func:`read_json`; an entry is wrong if ``fits`` returns something false.
    """

    def read(entries: Any) -> dict[str, Json] | None:
        right = all(isinstance(entry["sha256"], str) and fits(entry) for entry in entries.values())
        return dict(entries) if right else None

    return read_json(directory / INDEX, command, read)


def write_table(
    directory: Path, file: str, data: bytes, names: Mapping[str, Json], facts: Mapping[str, object]
) -> None:
    """Write a table, then its entry in the index, which never names a missing table that way.

    The entry says which table it is (``names``), its hash, and how it was made (``facts``).
    """
    directory.mkdir(parents=True, exist_ok=True)
    (directory / file).write_bytes(data)
    index = directory / INDEX
    entries = json.loads(index.read_text("utf-8")) if index.exists() else {}
    entries[file] = {**names, "sha256": hashlib.sha256(data).hexdigest(), **facts}
    index.write_text(json.dumps(dict(sorted(entries.items())), indent=2) + "\n", "utf-8")
