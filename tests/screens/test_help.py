"""The help pages: complete, within Discord's limits, with pictures that are there."""

from __future__ import annotations

import json

import pytest
from PIL import Image

from bot.discordpy.components import MAX_ALT
from bot.games.core import Unreadable
from bot.i18n.catalogue import Catalogue
from bot.i18n.locales import SOURCE
from bot.i18n.say import say
from bot.registry import GAMES, TEXT_ICONS
from bot.screens.help import PAGES, help_page, picture_of
from bot.screens.model import PRIMARY, Buttons, Picture, Text
from cogs.help import FOLDER, pictures

CATALOGUE = Catalogue(TEXT_ICONS)
LANGUAGES = CATALOGUE.languages
DRAWN = sorted(path.name for path in FOLDER.iterdir() if path.is_dir())

cases = pytest.mark.parametrize(
    ("language", "page"), [(language, page) for language in LANGUAGES for page in PAGES]
)


@cases
def test_a_page_says_what_it_shows(language: str, page: str) -> None:
    screen = help_page(page, GAMES, pictured=True)
    (text,) = [block for block in screen.blocks if isinstance(block, Text)]
    (picture,) = [block for block in screen.blocks if isinstance(block, Picture)]
    *opening, row = [block for block in screen.blocks if isinstance(block, Buttons)]
    said = CATALOGUE.text(language, text.lines[0])
    assert said != f"help-{page}"
    assert len(said) < 1500, "three short pages"
    alt = CATALOGUE.text(language, picture.alt)
    assert alt != f"help-{page}-alt"
    assert len(alt) <= MAX_ALT
    assert not set("*_`{}") & set(alt), "it is plain text"
    labels = [CATALOGUE.text(language, button.label) for button in row.buttons if button.label]
    assert len(set(labels)) == len(PAGES)
    assert max(map(len, labels)) <= 34
    assert [button.token for button in row.buttons] == [f"he.{one}" for one in PAGES]
    assert [button.disabled for button in row.buttons] == [one == page for one in PAGES]
    opened = [button.token for one in opening for button in one.buttons]
    assert opened == ([f"op.{game}" for game in GAMES] if page == PAGES[0] else [])
    assert sum(button.style == PRIMARY for button in row.buttons) <= 1


def test_an_unknown_page_is_refused() -> None:
    with pytest.raises(Unreadable):
        help_page("nowhere", GAMES, pictured=False)


def test_without_a_picture_there_is_text() -> None:
    assert not any(isinstance(block, Picture) for block in help_page("turn", GAMES, pictured=False).blocks)


def test_the_command_is_described() -> None:
    for language in LANGUAGES:
        assert 0 < len(CATALOGUE.text(language, say("cmd-help"))) <= 100


@pytest.mark.parametrize("language", DRAWN)
def test_the_pictures_are_there_and_light(language: str) -> None:
    assert SOURCE in DRAWN
    noted = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
    assert set(noted[language]) == set(PAGES)
    for page in PAGES:
        path = FOLDER / language / picture_of(page)
        assert path.stat().st_size < 150 * 1024
        with Image.open(path) as image:
            assert image.format == "PNG"
            assert image.width > 800


async def test_a_language_without_pictures_shows_the_english_ones() -> None:
    english = await pictures("en-GB", "turn")
    assert english
    assert await pictures("xx", "turn") == english
    assert await pictures("../..", "turn") == english
    assert await pictures("de-CH" if "de" in DRAWN else "en-US", "turn")


@pytest.mark.slow
@pytest.mark.parametrize("language", DRAWN)
@pytest.mark.parametrize("page", PAGES)
async def test_the_pictures_are_up_to_date(language: str, page: str) -> None:
    """If this fails: python -m tools.help_pictures"""
    from tools.help_pictures import play, shown

    async def digest(stage: object) -> str:
        return shown(stage)  # type: ignore[arg-type]

    noted = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
    assert await play(language, page, digest) == noted[language][page]
