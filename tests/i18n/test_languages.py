"""Mistakes of translations: commands, terms, typography."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import discord
import pytest

from bot.client import DiceBot
from bot.discordpy.command_sync import payloads
from bot.i18n.catalogue import FOLDER, Catalogue
from bot.i18n.locales import SOURCE, number, percent
from bot.i18n.say import Say, say
from bot.registry import GAMES, TEXT_ICONS
from bot.settings import Settings
from tests.i18n.test_catalogue import OTHERS, TEXTS, labels

Json = dict[str, Any]

ADVISED = 34
"""So many characters of a button's label can be seen on a phone."""

ALIKE = {
    "de": {
        "choice-modern",
        "elsewhere-game",
        "fair-button",
        "name-status",
        "name-text",
        "tutto-card-plus-minus",
    },
    "fr": {
        "ai-expert",
        "name-maintenance",
        "name-notifications",
        "name-points",
        "name-tables",
        "settings-gambler-target-value",
        "settings-target-value",
        "time-minutes",
    },
    "it": {
        "elsewhere-game",
        "lobby-seat-host",
        "mine-place",
        "name-privacy",
        "board-sort-rating",
        "stats-rating",
    },
}
"""Keys of texts that happen to be the same as in English, beside those made of names alone."""

NAMES = re.compile(
    "|".join([*(f"{TEXTS[SOURCE][f'{game}-name'][0]}s?" for game in GAMES), "Stop", "Bonus", "x2"])
)

NARROW, SOLID = "\u202f", "\u00a0"


# Commands.


class Sync:
    """Stands in for Discord: counts how often the commands were registered."""

    def __init__(self) -> None:
        self.times = 0

    async def __call__(self, *_: object) -> None:
        self.times += 1


async def started(
    database: Path,
    monkeypatch: pytest.MonkeyPatch,
    sync: Sync,
    folder: Path = FOLDER,
    owner: int | None = None,
) -> list[Json]:
    """Start and stop a bot without Discord; return the commands that it would have registered."""
    bot = DiceBot(Settings(database=database, emojis=False, shard_count=1, owner_guild_id=owner))
    bot.catalogue = Catalogue(TEXT_ICONS, folder)
    bot._connection.application_id = 1
    for place in ("global", "guild"):
        monkeypatch.setattr(bot.http, f"bulk_upsert_{place}_commands", sync)
    try:
        await bot.setup_hook()
        return [
            *await payloads(bot.tree),
            *(await payloads(bot.tree, discord.Object(owner)) if owner is not None else ()),
        ]
    finally:
        await bot.close()


@pytest.fixture
async def everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Json]:
    """Those for everybody, and those for the owner."""
    return await started(tmp_path / "games.db", monkeypatch, Sync(), owner=1)


@pytest.fixture
def commands(everything: list[Json]) -> list[Json]:
    """What is typed."""
    return [one for one in everything if one["type"] == 1]


@pytest.fixture
def menus(everything: list[Json]) -> list[Json]:
    """What is chosen from the menu of a message."""
    return [one for one in everything if one["type"] == 3]


def walk(options: list[Json], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], list[Json]]]:
    """All lists of siblings, each with the names of its parents."""
    yield path, options
    for option in options:
        if option.get("options"):
            yield from walk(option["options"], (*path, option["name"]))


def called(one: Json, what: str, language: str) -> str:
    return str((one.get(f"{what}_localizations") or {}).get(language, one[what]))


async def test_commands_fit_discord_in_every_language(commands: list[Json]) -> None:
    for language in (SOURCE, *OTHERS):
        for path, options in walk(commands):
            names = [called(one, "name", language) for one in options]
            assert len(set(names)) == len(names), f"{path} in {language}: {names}"
            for one, name in zip(options, names, strict=True):
                assert re.fullmatch(r"[-_\w]{1,32}", name), f"{name} in {language}"
                assert name == name.lower()
                assert 1 <= len(called(one, "description", language)) <= 100
                choices = [called(choice, "name", language) for choice in one.get("choices", ())]
                assert len(set(choices)) == len(choices)
                assert all(1 <= len(choice) <= 100 for choice in choices)


async def test_menus_fit_discord_in_every_language(menus: list[Json]) -> None:
    assert {one["name"] for one in menus} == {TEXTS[SOURCE][f"cmd-{game}-menu"][0] for game in GAMES}
    for one in menus:
        assert set(one["name_localizations"]) == set(OTHERS)
    for language in (SOURCE, *OTHERS):
        names = [called(one, "name", language) for one in menus]
        assert len(set(names)) == len(names)
        assert all(1 <= len(name) <= 32 for name in names)


async def test_commands_are_not_too_long_altogether(commands: list[Json]) -> None:
    """Discord allows 8000 characters per command, counting each text in its longest language."""

    def longest(one: Json, what: str) -> int:
        return max(len(text) for text in (one[what], *(one.get(f"{what}_localizations") or {}).values()))

    for command in commands:
        whole = 0
        for _, options in walk([command]):
            for one in options:
                whole += longest(one, "name") + longest(one, "description")
                whole += sum(longest(choice, "name") for choice in one.get("choices", ()))
        assert whole <= 8000, command["name"]


async def test_every_command_is_translated(commands: list[Json]) -> None:
    """Names except those of games, descriptions and choices are translated into all languages."""
    for path, options in walk(commands):
        for one in options:
            where = " ".join((*path, one["name"]))
            assert set(one["description_localizations"]) == set(OTHERS), where
            if not path and one["name"] in {*GAMES, "dicebot"}:
                assert not one["name_localizations"]
            else:
                assert set(one["name_localizations"]) == set(OTHERS), where
                assert TEXTS[SOURCE][f"name-{one['name']}"] == (one["name"],)
            for choice in one.get("choices", ()):
                assert set(choice["name_localizations"]) == set(OTHERS), f"{where}: {choice['name']}"


async def test_texts_call_commands_what_they_are_called(commands: list[Json]) -> None:
    """`/tutto start` and the like have in each language the names that its users type.

    A command is named with its group, an option alone; ``{game}`` stands for the group of any game.
    """
    paths = {language: set[str]() for language in TEXTS}
    words = {language: set[str]() for language in TEXTS}
    for language in TEXTS:
        for command in commands:
            top = called(command, "name", language)
            paths[language].add(f"/{top}")
            for _, options in walk(command.get("options", []), (command["name"],)):
                for one in options:
                    name = called(one, "name", language)
                    if one["type"] == discord.AppCommandOptionType.subcommand.value:
                        paths[language].add(f"/{top} {name}")
                    else:
                        words[language].add(name)
    for language, texts in TEXTS.items():
        for key, forms in texts.items():
            for code in re.findall(r"`((?:/\{game\})?[^`{}]+)`", " ".join(forms)):
                if code.startswith("/"):
                    for game in GAMES:
                        assert code.replace("{game}", game) in paths[language], f"{key} in {language}"
                elif re.fullmatch(r"[^\W\d]+(-[^\W\d]+)?", code):
                    assert code in words[language], f"{key} in {language}: {code}"


async def test_a_changed_translation_is_registered_and_nothing_else_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync, database, folder = Sync(), tmp_path / "games.db", tmp_path / "locale"
    await started(database, monkeypatch, sync)
    await started(database, monkeypatch, sync)
    assert sync.times == 1
    shutil.copytree(FOLDER, folder)
    path = folder / "it" / "core.po"
    path.write_text(path.read_text(encoding="utf-8").replace('"regole"', '"regolamento"'), encoding="utf-8")
    after = await started(database, monkeypatch, sync, folder)
    assert sync.times == 2
    assert "regolamento" in str(after)


# Texts.


@pytest.mark.parametrize("language", OTHERS)
def test_nothing_is_left_in_english(language: str) -> None:
    alike = set()
    for key, forms in TEXTS[language].items():
        words = NAMES.sub("", re.sub(r"\{\w+\}|`[^`]*`", "", " ".join(forms)))
        if forms == TEXTS[SOURCE][key] and re.search(r"[^\W\d_]{2}", words):
            alike.add(key)
    assert alike == ALIKE[language]


@pytest.mark.parametrize("language", OTHERS)
def test_buttons_are_short(language: str) -> None:
    """There is room for the highest points of a turn."""
    long = {
        key: text
        for key in labels()
        for text in TEXTS[language][key]
        if len(re.sub(r"\{\w+\}", "12.350", text)) > ADVISED
    }
    assert not long


@pytest.mark.parametrize("language", TEXTS)
def test_buttons_are_called_in_texts_what_stands_on_them(language: str) -> None:
    texts = TEXTS[language]
    named = {forms[0]: label for label, forms in TEXTS[SOURCE].items() if len(forms) == 1}
    for key, (said, *_) in TEXTS[SOURCE].items():
        for quoted in re.findall(r"\*\*([^*]+)\*\*|“([^“”]+)”", said):
            label = named.get("".join(quoted))
            assert label is None or texts[label][0] in texts[key][0], f"{label} in {key}"
    assert texts["tutto-turn-card"][0] in texts["tutto-rules-turn"][0]
    for label, shown in (("tutto-bank", "help-turn"), ("tutto-roll-on", "help-turn")):
        words = re.split(r"\{\w+\}|·|\bd(?:é|ado)\b", texts[label][0])
        word = next(part.strip() for part in words if part.strip())
        assert f"**{word}**" in texts[shown][0]
        assert f"**{word}**" in texts["tutto-rules-turn"][0]
    for edition in ("current", "modern", "classic"):
        assert texts[f"choice-{edition}"][0] in texts["error-edition"][0]
    for stars in ("independent", "distinct"):
        assert texts[f"choice-{stars}"][0] in texts["error-stars"][0]
        assert texts[f"choice-{stars}"][0] in texts[f"gambler-stars-{stars}"][0]


@pytest.mark.parametrize(
    ("language", "pattern"),
    [
        ("de", r"\b(Sie|Ihnen|Ihre?[nmrs]?)\b"),
        ("fr", r"\b([Vv]ous|[Vv]otre|[Vv]os)\b|\b(?!assez|chez)\w+ez\b"),
        ("it", r"\b(Lei|Suo|Sua|voi|vostr[oaie])\b"),
    ],
)
def test_people_are_spoken_to_alike(language: str, pattern: str) -> None:
    """As du, tu and tu, everywhere."""
    for key, forms in TEXTS[language].items():
        for text in forms:
            # "Sie" may also begin a sentence about a thing.
            found = re.search(pattern, re.sub(r"(^|[.:!?]\s)Sie (kommt|sagt|hat)\b", "", text))
            assert not found, f"{key}: {text}"


def bare(text: str) -> str:
    """A text without code, links and placeholders."""
    return re.sub(r"`[^`]*`|\]\([^)]*\)|\{\w+\}", "x", text)


@pytest.mark.parametrize("language", TEXTS)
def test_signs_are_those_of_print(language: str) -> None:
    """No typewriter's apostrophes and quotes, no three dots, no hyphens for dashes and minus."""
    for key, forms in TEXTS[language].items():
        for text in map(bare, forms):
            assert not re.search(r"['\"]|\.\.\.| - |--", text), f"{key}: {text}"
            # German writes a space before three dots that stand for words.
            assert language == "de" or " …" not in text, f"{key}: {text}"


@pytest.mark.parametrize("language", TEXTS)
def test_numbers_in_texts_are_written_as_the_language_does(language: str) -> None:
    """Numbers over 999 occur only in texts without arguments, in the notation of the language."""
    for key, forms in TEXTS[language].items():
        for text in map(bare, forms):
            # A year, and the French name of a card.
            text = re.sub(rf"\(1994\)|\+{SOLID}/{SOLID}−{SOLID}1000", "", text)
            for found in re.findall(rf"\d(?:[.,’'{NARROW}{SOLID}]?\d)+", text):
                digits = re.sub(r"\D", "", found)
                if len(digits) > 3:
                    assert found == number(language, int(digits)), f"{key}: {text}"
                    assert key.startswith("cmd-") or key.endswith("-alt"), f"{key} should be given {found}"


@pytest.mark.parametrize("language", TEXTS)
def test_pictures_are_icons_and_not_in_the_texts(language: str) -> None:
    """Drawn icons are arguments; and no arrow is one that some clients show as an emoji."""
    drawn = {text for name, text in TEXT_ICONS.items() if not name.startswith(("box-", "die-"))}
    for key, forms in TEXTS[language].items():
        for text in forms:
            assert not re.search("[\u25c0\u25b6\u23e9-\u23fa\u21a9\u21aa\u2194-\u2199\u2b05-\u2b07]", text), (
                key
            )
            if key != "end-won-cloverleaf":
                assert not [one for one in drawn if one in text], key


def test_german_quotes_and_spaces() -> None:
    for key, forms in TEXTS["de"].items():
        for text in map(bare, forms):
            assert not re.search(r"[»«”’]", text), key
            assert text.count("„") == text.count("“"), key
            assert not re.search(r"\w%|\w…$", text), key
            assert "Strasse" not in text


def test_french_quotes_and_spaces() -> None:
    for key, forms in TEXTS["fr"].items():
        for text in map(bare, forms):
            assert not re.search(r"[“”„]", text), key
            assert not re.search(rf"(?<!{SOLID})%", text), key
            assert not re.search(rf"(?<!{NARROW})[!?;:»](?!\w)", re.sub(r"\*\*|~~", "", text)), (
                f"{key}: {text}"
            )
            assert not re.search(rf"«(?!{NARROW})", text), key
            assert text.count("«") == text.count("»"), key


def test_italian_quotes_and_spaces() -> None:
    for key, forms in TEXTS["it"].items():
        for text in map(bare, forms):
            assert not re.search(r"[“”„]", text), key
            assert not re.search(r"\s[!?;:»%]|«\s", text), key
            assert text.count("«") == text.count("»"), key
            assert not re.search(r"\b(E|e)['’](?!\w)|\bpo['`]", text), key


ELIDED = {
    "fr": (
        r"(?:de|du|que|jusque|lorsque|puisque|le|la|ne|se|si|je|te|me|ce)",
        "(?:name|names|host|other|others|winners|month)",
    ),
    "it": (
        r"(?:il|lo|la|al|allo|alla|del|dal|nel|sul|un|uno|una|a|e)",
        "(?:name|names|host|other|others|winners|month|place|day)",
    ),
}
"""Words with another form before some sounds, and placeholders of unknown sound: d’Anna, ad Anna, all’8."""


@pytest.mark.parametrize("language", ELIDED)
def test_no_word_before_a_name_depends_on_its_first_sound(language: str) -> None:
    """A list joined by the Italian “e” is the only exception."""
    word, name = ELIDED[language]
    for key, forms in TEXTS[language].items():
        for text in forms:
            found = re.search(rf"\b{word} \*{{0,2}}\{{{name}\}}", text, re.IGNORECASE)
            assert not found or key == "list-and", f"{key}: {text}"


@pytest.mark.parametrize("language", TEXTS)
def test_what_is_counted_has_plural_forms(language: str) -> None:
    """A text without plural forms has no noun after a number: “1 of 4 seats taken”."""
    for key, forms in TEXTS[language].items():
        if len(forms) == 1 and key != "gambler-roll-on":  # where a verb follows
            counted = re.search(
                r"\{(?:n|number|people|servers|wins)\}\*{0,2} (?!(?:of|in|on|auf|von|sur|su|di)\b)\w",
                forms[0],
            )
            assert not counted, f"{key}: {forms[0]}"


TERMS = {
    "cloverleaf": ("Kleeblatt", "Trèfle", "Quadrifoglio"),
    "fireworks": ("Feuerwerk", "Feux d’artifice", "Fuochi d’artificio"),
    "stop": ("Stop", "Stop", "Stop"),
    "straight": ("Straße", "Suite", "Scala"),
    "plus-minus": ("Plus/Minus", f"+{SOLID}/{SOLID}−{SOLID}1000", "Più-Meno"),
    "x2": ("x2", "Double", "Raddoppia"),
}
WORDS = {
    "tutto-rules-dice": (
        ("Niete", "Drilling"),
        ("rien", "brelan", "dé gagnant"),
        ("cilecca", "tris", "dado vincente"),
    ),
    "tutto-rules-game": (("aufhören", "weitermachen"), ("arrêter", "continuer"), ("lasciare", "continuare")),
}


@pytest.mark.parametrize("language", OTHERS)
def test_terms_are_those_of_the_leaflets(language: str) -> None:
    place = ("de", "fr", "it").index(language)
    for card, names in TERMS.items():
        name = names[place]
        assert TEXTS[language][f"tutto-card-{card}"] == (name,)
        assert name in TEXTS[language]["tutto-rules-cards"][0]
    for key, words in WORDS.items():
        for word in words[place]:
            assert word in TEXTS[language][key][0]


# Which language somebody reads.


@pytest.mark.parametrize("locale", ["pt-BR", "ja", "zh-TW", "xx", ""])
def test_an_unknown_language_gives_way_to_the_servers_then_english(locale: str) -> None:
    catalogue = Catalogue(TEXT_ICONS)
    assert catalogue.language([locale, "de"]) == "de"
    assert catalogue.language([locale, None]) == SOURCE
    assert catalogue.text(locale, Say("lobby-join")) == TEXTS[SOURCE]["lobby-join"][0]


def test_a_region_has_its_language_and_its_own_numbers() -> None:
    catalogue = Catalogue(TEXT_ICONS)
    assert catalogue.language(["de-CH"]) == "de-CH"
    text = catalogue.text("de-CH", say("tutto-bank", points=6000))
    assert re.fullmatch("Aufhören · 6['’]000", text)  # which apostrophe, Unicode has changed its mind about
    assert catalogue.text("fr-CA", Say("lobby-join")) == TEXTS["fr"]["lobby-join"][0]


@pytest.mark.parametrize(
    ("locale", "points", "share"),
    [
        ("en", "6,000", "51.2%"),
        ("de", "6.000", f"51,2{SOLID}%"),
        ("fr", f"6{NARROW}000", f"51,2{SOLID}%"),
        ("it", "6.000", "51,2%"),
    ],
)
def test_numbers_are_those_of_the_language(locale: str, points: str, share: str) -> None:
    assert number(locale, 6000) == points
    assert percent(locale, 0.5123) == share


@pytest.mark.parametrize("language", ["en", "de", "fr", "it"])
def test_places_do_not_become_a_markdown_list(language: str) -> None:
    """Discord counts the lines of a list itself, and would make 1, 2, 3 of the places 1, 1, 3."""
    places = [key for key in TEXTS[language] if key.startswith("board-line-") and key != "board-line-mine"]
    assert len(places) == 5
    for key in (*places, "end-place"):
        assert all(text.startswith("{place}\\.") for text in TEXTS[language][key]), key
