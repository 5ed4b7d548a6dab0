"""The files, names and links in README.md and docs/ exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])

FILE = re.compile(r"`((?:bot|cogs|tests|tools|deploy|docs|benchmarks|assets)/[\w./<>*-]*)`")
NAMES = re.compile(r"((?:`\w+`(?:, | and ))*`\w+`) (?:in|of) `((?:bot|cogs|tests|tools)/[\w/]+\.py)`")
LINK = re.compile(r"\]\(([^)\s#]*)(?:#([^)\s]*))?\)")


def anchors(path: Path) -> set[str]:
    """The names by which links reach the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_names_is_there(page: Path) -> None:
    text = " ".join(page.read_text(encoding="utf-8").split())
    for name in FILE.findall(text):
        assert list(ROOT.glob(re.sub(r"<\w+>", "*", name).rstrip("/"))), name
    for names, name in NAMES.findall(text):
        source = (ROOT / name).read_text(encoding="utf-8")
        for inside in re.findall(r"\w+", names):
            assert re.search(rf"\b{inside}\b", source), f"{inside} in {name}"
    for file, heading in LINK.findall(text):
        if not file.startswith("http"):
            target = page.parent / file if file else page
            assert target.exists(), file
            assert not heading or heading in anchors(target), f"{file}#{heading}"


def test_the_index_of_decisions_has_all_of_them() -> None:
    folder = ROOT / "docs" / "decisions"
    linked = set(re.findall(r"\]\(([\w-]+\.md)\)", (folder / "README.md").read_text(encoding="utf-8")))
    assert linked == {path.name for path in folder.glob("*.md")} - {"README.md"}
