"""The mutation tool: which changes it makes, and where."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tools.mutation import ROOT, install, known, mutants
from tools.near_tests import NEAR, NOT_TRIED

SOURCE = '''
"""A module."""

LIMIT = 3


def small(number: int = 1) -> bool:
    """Whether it is."""
    if not number or number < LIMIT and number + 1 > 0:
        return True
    raise ValueError(number)
'''


@pytest.fixture
def module(tmp_path: Path) -> Any:
    path = tmp_path / "sample.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("sample", path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_every_kind_of_change_is_made_once(module: Any) -> None:
    changes = {one.name.partition(": ")[2] for one in mutants(Path(module.__file__))}
    assert changes >= {
        "not number -> number",
        "number < LIMIT -> number <= LIMIT",
        "number + 1 > 0 -> number + 1 >= 0",
        "number + 1 -> number - 1",
        "1 -> 2",
        "0 -> 1",
        "True -> False",
        "raise ValueError(number) -> pass",
    }
    assert len(changes) == 11, changes


def test_a_change_reaches_functions_that_others_hold(module: Any) -> None:
    """Also one that has been imported elsewhere, and one that remembers its results."""
    held: Callable[[int], bool] = module.small
    remembered = cache(module.small)
    assert held(2)
    assert remembered(2)
    (change,) = [one for one in mutants(Path(module.__file__)) if "< LIMIT or" in one.name]
    install(Path(module.__file__), change.changed())
    assert held(5)
    assert remembered(5)
    (change,) = [one for one in mutants(Path(module.__file__)) if "True -> False" in one.name]
    install(Path(module.__file__), change.changed())
    assert remembered(2) is False


def test_modules_and_their_tests_are_where_they_are_looked_for() -> None:
    for module, near in NEAR.items():
        assert [path for path in (module, *near) if not (ROOT / path).exists()] == []


def test_every_module_of_these_folders_has_near_tests_or_a_reason_for_none() -> None:
    folders = ("games", "sessions", "records", "store", "services", "discordpy")
    found = [
        path.relative_to(ROOT).as_posix()
        for folder in folders
        for path in sorted((ROOT / "bot" / folder).rglob("*.py"))
    ]
    excepted = [name for names in NOT_TRIED.values() for name in names]
    assert [name for name in excepted if not any(path.startswith(name) for path in found)] == []
    assert [path for path in NEAR if path.startswith(tuple(excepted))] == []
    others = [path for path in found if path not in NEAR and not path.startswith(tuple(excepted))]
    assert [path for path in others if any(mutants(ROOT / path))] == []


def test_changes_that_may_survive_still_can_be_made() -> None:
    modules = {name.partition(" ")[0] for name in known()}
    assert modules <= set(NEAR)
    assert known() <= {one.name for module in modules for one in mutants(ROOT / module)}
