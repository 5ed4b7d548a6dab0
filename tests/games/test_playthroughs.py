"""The stored playthroughs are what the rules play today; see tests/support/playthroughs.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.playthroughs import FOLDER, files

WANTED = files()


def test_none_is_missing_and_none_is_left_over() -> None:
    there = {path for folder in ("perft", "playthroughs") for path in (FOLDER / folder).glob("*.txt")}
    assert there == WANTED.keys(), "run `make playthroughs`"


@pytest.mark.parametrize("path", WANTED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_what_is_written_down_is_what_is_played(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == WANTED[path], (
        "if the rules are meant to change: `make playthroughs`"
    )
