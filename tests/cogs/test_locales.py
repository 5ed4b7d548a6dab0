"""The language of each text, tested with a made-up second language whose texts are recognisable."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po

from bot.client import DiceBot
from bot.i18n.catalogue import Catalogue, read
from bot.i18n.locales import SOURCE
from bot.registry import TEXT_ICONS
from tests.support import screen
from tests.support.world import World, private, said

MARK = "語"
"""The beginning of every text of the made-up language."""


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """English, and as German all the same texts with a mark before them; one is missing."""
    folder = tmp_path_factory.mktemp("locale")
    english = read(SOURCE)
    for language, mark in ((SOURCE, ""), ("de", MARK)):
        whole = Catalog(locale=language, fuzzy=False)
        for message in english:
            if not message.id or (mark and message.id == "lobby-join"):
                continue
            text = message.string or ""
            marked = mark + text if isinstance(text, str) else tuple(mark + form for form in text)
            whole.add(message.id, marked)
        (folder / language).mkdir()
        with (folder / language / "all.po").open("wb") as file:
            write_po(file, whole)
    return folder


@pytest.fixture
def simcord_bot(make_bot: Callable[[], DiceBot], folder: Path) -> DiceBot:
    bot = make_bot()
    bot.catalogue = Catalogue(TEXT_ICONS, folder)
    return bot


async def test_the_table_speaks_the_servers_language_and_answers_the_clickers(world: World) -> None:
    world.guild_locales[world.guild.id] = "de"
    world.locales[world.ben.id] = "de"  # Anna's client is in English
    await world.slash(world.anna, "tutto start", target=1000)
    assert world.text().startswith(MARK)
    assert "1.000" in world.text()  # and so do the numbers
    assert MARK not in private(await world.slash(world.anna, "tutto rules"))
    assert MARK in private(await world.slash(world.ben, "tutto rules"))
    assert MARK in private(await world.press(world.ben, f"{MARK}Close the table"))
    await world.press(world.ben, "Join")
    assert world.text().startswith(MARK)


async def test_a_click_in_another_language_does_not_change_the_table(world: World, plain_dice: None) -> None:
    world.locales[world.ben.id] = "de"
    await world.begin(world.anna, world.ben)
    await world.finish_turn()
    await world.finish_turn()
    assert MARK not in world.text()
    assert MARK in private(await world.press(world.ben, world.careful()))


async def test_a_client_in_any_language_is_served(world: World) -> None:
    """The server's language stands in for one that is not there, and English for that."""
    for locale in ("pt-BR", "ja", "xx", "zz-ZZ", "", "de_CH", "👾"):
        world.locales[world.anna.id] = locale
        world.guild_locales.clear()
        rules = private(await world.slash(world.anna, "tutto rules"))
        assert "Tutto in a minute" in rules
        assert rules.startswith(MARK) == locale.startswith("de")
        world.guild_locales[world.guild.id] = "de"
        assert private(await world.slash(world.anna, "tutto rules")).startswith(MARK)


async def test_an_unknown_server_language_falls_back_to_english(world: World) -> None:
    world.guild_locales[world.guild.id] = "th"
    await world.begin(world.anna, world.ben)
    assert MARK not in world.text()
    assert "Tutto to 1,000" in world.text()


async def test_a_text_that_a_language_lacks_is_shown_in_english(world: World) -> None:
    world.guild_locales[world.guild.id] = "de"
    await world.lobby(world.anna)
    labels = screen.labels(world.table())
    assert "Join" in labels
    assert f"{MARK}Leave" in labels


async def test_names_of_people_are_the_same_in_every_language(world: World) -> None:
    world.guild_locales[world.guild.id] = "de"
    await world.lobby(world.anna, world.ben)
    assert f"{MARK}2\\. Ben" in world.text()
    assert MARK in said(await world.slash(world.anna, "leaderboard"))
