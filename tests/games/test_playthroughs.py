"""The stored playthroughs are what the rules play today; see tests/support/playthroughs.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.playthroughs import FOLDER, files

WANTED = files()


def test_every_game_has_its_files_and_there_are_no_others() -> None:
    there = {path for folder in ("perft", "playthroughs") for path in (FOLDER / folder).glob("*.txt")}
    assert there == WANTED.keys(), "run `make playthroughs`"


@pytest.mark.parametrize("path", WANTED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_stored_playthrough_is_what_the_rules_play(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == WANTED[path](), (
        "if the rules are meant to change: `make playthroughs`"
    )
