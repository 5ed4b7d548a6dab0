"""docs/situations.md: every situation names tests that exist, or says why it can't arise."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "situations.md").read_text(encoding="utf-8")
NODE = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def rows() -> Iterator[tuple[str, str]]:
    """The situations and what stands beside them."""
    for line in PAGE.splitlines():
        if line.startswith("|") and not line.startswith(("| situation |", "|--|")):
            situation, beside = line.strip("|").split("|")
            yield situation.strip(), beside.strip()


@cache
def collected(path: Path) -> set[str]:
    """The tests that pytest finds in a file: functions of the module itself."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return {node.name for node in body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}


def test_every_situation_has_a_test_or_a_reason() -> None:
    found = dict(rows())
    assert len(found) == len(list(rows())) > 80
    for situation, beside in found.items():
        reason = NODE.sub("", beside).replace("<br>", "").strip()
        assert not reason or re.fullmatch(r"[A-Z].+\.", reason), situation
        assert reason or NODE.search(beside), situation


def test_every_test_that_is_named_is_there() -> None:
    named = NODE.findall(PAGE)
    assert PAGE.count("::") == len(named), "a name is not written as the id of a test"
    missing = [
        f"{path}::{name}"
        for path, name in named
        if not (ROOT / path).is_file() or name not in collected(ROOT / path)
    ]
    assert missing == []
