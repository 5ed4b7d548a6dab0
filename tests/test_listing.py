"""The texts for Discord's app directory keep to its limits, and what they name exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PIL import Image

from bot.i18n.catalogue import Catalogue
from bot.i18n.say import say
from bot.screens.help import PAGES, picture_of

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "listing"
LANGUAGES = sorted(Catalogue({}).languages)

MAX_SUMMARY, MAX_DESCRIPTION, MAX_TAGS, MAX_TAG = 200, 400, 5, 20
"""https://docs.discord.com/developers/discovery/best-practices and /resources/application."""


def parts(language: str) -> dict[str, str]:
    """The sections of a language's page by their titles."""
    _, *sections = (FOLDER / f"{language}.md").read_text(encoding="utf-8").split("\n## ")
    return {title: text.strip() for title, _, text in (one.partition("\n") for one in sections)}


def test_each_language_has_a_page_that_is_linked() -> None:
    assert {path.stem for path in FOLDER.glob("*.md")} == {"README", *LANGUAGES}
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    for name in (*(f"{one}.md" for one in LANGUAGES), "../terms.md", "../privacy.md"):
        assert f"]({name})" in readme
    assert "](listing/README.md)" in (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_texts_keep_to_the_limits(language: str) -> None:
    found = parts(language)
    assert set(found) == {"Summary", "Description", "Tags", "Expanded description"}
    assert 50 < len(found["Summary"]) <= MAX_SUMMARY
    assert 100 < len(found["Description"]) <= MAX_DESCRIPTION
    assert "\n" not in found["Summary"] + found["Description"]
    tags = [line.removeprefix("- ") for line in found["Tags"].splitlines()]
    assert 1 <= len(set(tags)) == len(tags) <= MAX_TAGS
    assert all(1 <= len(tag) <= MAX_TAG for tag in tags)
    assert len(found["Expanded description"]) > 500


@pytest.mark.parametrize("language", LANGUAGES)
def test_buttons_and_menus_are_called_as_in_the_bot(language: str) -> None:
    catalogue, found = Catalogue({}), parts(language)
    assert catalogue.text(language, say("lobby-join")) in found["Description"]
    assert f"**{catalogue.text(language, say('cmd-challenge-menu'))}**" in found["Expanded description"]
    start, *others = (catalogue.text(language, say(f"name-{name}")) for name in ("start", "help", "privacy"))
    assert f"/tutto {start}" in found["Description"]
    for command in (f"tutto {start}", *others):
        assert f"`/{command}`" in found["Expanded description"]


def test_french_keeps_its_marks_with_the_word_before() -> None:
    text = "".join(parts("fr").values())
    assert not re.search(r"[^\u202f][:;!?](?=\s|\*|$)", text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_pictures_are_there(language: str) -> None:
    for page in PAGES:
        with Image.open(ROOT / "assets" / "help" / language / picture_of(page)) as picture:
            assert picture.width >= 800


@pytest.mark.parametrize("name", ["privacy.md", "terms.md"])
def test_the_pages_that_discord_asks_for_are_linked(name: str) -> None:
    assert f"](docs/{name})" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"]({name})" in (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
