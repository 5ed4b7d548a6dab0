"""The catalogues have every text that the sources use, and no other.

A key is used if the sources hold it as a string, or if an f-string in a call that takes a key can become it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from string import Formatter
from typing import Any

import pytest
from babel import Locale
from babel.messages.catalog import Message

from bot.i18n.catalogue import FOLDER, Catalogue, read
from bot.i18n.locales import SOURCE, number
from bot.i18n.say import say
from bot.registry import GAMES, TEXT_ICONS
from tests.support.conventions import keys_of
from tests.support.sources import sources

LANGUAGES = sorted({path.parent.name for path in FOLDER.glob("*/*.po")})
OTHERS = [language for language in LANGUAGES if language != SOURCE]

TAKE_A_KEY = {"say": 0, "described": 0, "Say": 0, "Refused": 0, "IllegalMove": 0, "Unreadable": 0, "Stale": 1}
"""Calls that take a key, and which of their arguments it is."""

GIVEN_ALWAYS = {"Stale": {"game"}}
"""Arguments that a call adds by itself."""

ONLY_ON_THE_COMMAND_LINE = ("error-record-", "error-odds-")
"""Codes of damaged records and impossible questions: whoever uses a command gets their facts."""


@dataclass
class Uses:
    """The uses of keys in the sources. ``calls`` has the arguments of each key, if all are named."""

    literals: set[str] = field(default_factory=set)
    named: dict[str, str] = field(default_factory=dict)
    patterns: dict[str, str] = field(default_factory=dict)
    calls: list[tuple[str, frozenset[str], str]] = field(default_factory=list)


def constants(node: ast.expr) -> list[str]:
    """The strings that an expression can be: itself, or both sides of a condition."""
    match node:
        case ast.Constant(value=str() as text):
            return [text]
        case ast.IfExp(body=body, orelse=orelse):
            return [*constants(body), *constants(orelse)]
        case ast.BoolOp(values=values):
            return [text for value in values for text in constants(value)]
        case _:
            return []


def formatted(node: ast.AST) -> Iterator[ast.JoinedStr]:
    """The f-strings in an expression that can be its value (not those inside of another call)."""
    match node:
        case ast.JoinedStr():
            yield node
        case ast.IfExp(body=body, orelse=orelse):
            yield from formatted(body)
            yield from formatted(orelse)


def pattern(node: ast.JoinedStr) -> str:
    parts = [
        re.escape(str(part.value)) if isinstance(part, ast.Constant) else "[a-z0-9_-]+"
        for part in node.values
    ]
    return "".join(parts)


@cache
def uses() -> Uses:
    """Find the uses of keys in all sources."""
    found = Uses(literals=set(BY_CONVENTION))
    for path, tree in sources().items():
        for node in ast.walk(tree):
            if not isinstance(node, (ast.Constant, ast.Assign, ast.Call)):
                continue
            where = f"{path}:{node.lineno}"
            match node:
                case ast.Constant(value=str() as text):
                    found.literals.add(text)
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if (
                    name in ("key", "label") and "screens" in path.parts
                ):
                    # A key that is built first and used a line later.
                    for one in formatted(value):
                        found.patterns.setdefault(pattern(one), where)
                case ast.Call(func=ast.Name(id=name), args=args) if name in TAKE_A_KEY:
                    place = TAKE_A_KEY[name]
                    if len(args) <= place:
                        continue
                    for key in constants(args[place]):
                        found.named.setdefault(key, where)
                        if all(keyword.arg for keyword in node.keywords):
                            given = frozenset(str(keyword.arg) for keyword in node.keywords)
                            found.calls.append((key, given | GIVEN_ALWAYS.get(name, set()), where))
                    for one in formatted(args[place]):
                        found.patterns.setdefault(pattern(one), where)
    return found


BY_CONVENTION = {key for entry in GAMES.values() for key in keys_of(entry)}
CATALOGUES = {language: read(language) for language in LANGUAGES}


def key_of(message: Any) -> str:
    return str(message.id[0] if isinstance(message.id, (tuple, list)) else message.id)


def texts(language: str) -> dict[str, tuple[str, ...]]:
    """The texts of a language by key, all plural forms of each."""
    return {key_of(message): forms_of(message) for message in CATALOGUES[language] if message.id}


def forms_of(message: Message) -> tuple[str, ...]:
    """A message's text, in each of its plural forms."""
    text = message.string or ""
    return (text,) if isinstance(text, str) else tuple(text)


TEXTS = {language: texts(language) for language in LANGUAGES}
ENGLISH = TEXTS[SOURCE]


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_every_key_that_is_said_is_there() -> None:
    missing = {
        key: where
        for key, where in uses().named.items()
        if key not in ENGLISH
        and not key.startswith(ONLY_ON_THE_COMMAND_LINE)
        and not where.startswith("bot/strategy")
    }
    assert missing == {}


def test_every_key_that_is_put_together_is_there() -> None:
    empty = {
        shape: where
        for shape, where in uses().patterns.items()
        if not any(re.fullmatch(shape, key) for key in ENGLISH)
    }
    assert empty == {}


def test_every_key_that_follows_from_a_declaration_is_there() -> None:
    assert sorted(BY_CONVENTION - ENGLISH.keys()) == []


def test_no_key_is_dead() -> None:
    shapes = [re.compile(shape) for shape in uses().patterns]
    dead = [
        key
        for key in ENGLISH
        if key not in uses().literals and not any(shape.fullmatch(key) for shape in shapes)
    ]
    assert dead == []


def test_names_and_icons_of_games_have_a_substitute_everywhere() -> None:
    """A game that is no longer in the registry may still be in the database, and has no texts of its own.

    Only these modules ask for the texts of a game by themselves, as they know that it is in the registry.
    """
    known = ("bot/i18n/voice.py", "bot/screens/entry.py", "bot/screens/settings.py", "cogs/command_texts.py")
    raw = [
        f"{path}:{node.lineno}"
        for path, tree in sources().items()
        if not path.as_posix().endswith(known)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        and re.fullmatch(r"game-\[a-z0-9_-\]\+|\[a-z0-9_-\]\+-name", pattern(node).replace("\\-", "-"))
    ]
    assert raw == []


def test_what_is_filled_in_is_what_is_given() -> None:
    """No text has a placeholder for which a call gives no argument."""
    wrong = [
        (key, where, sorted(placeholders(text) - given))
        for key, given, where in uses().calls
        for text in ENGLISH.get(key, ())
        if not placeholders(text) <= given
    ]
    assert wrong == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_placeholders_are_plain_names(language: str) -> None:
    """``{name}`` and nothing else: no positions, attributes, formats, or stray braces."""
    for key, forms in TEXTS[language].items():
        for text in forms:
            for _, name, form, conversion in Formatter().parse(text):
                if name is not None:
                    assert re.fullmatch(r"[a-z_]+", name), key
                    assert not form, key
                    assert conversion is None, key


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_empty_or_untidy(language: str) -> None:
    for key, forms in TEXTS[language].items():
        for text in forms:
            assert text.strip() == text, f"{key} has spaces around it"
            assert text, f"{key} is empty"
            assert "  " not in text, f"{key} has two spaces in a row"
    assert not [key_of(message) for message in CATALOGUES[language] if message.id and message.fuzzy]


@pytest.mark.parametrize("language", LANGUAGES)
def test_keys_are_written_alike(language: str) -> None:
    assert [key for key in TEXTS[language] if not re.fullmatch(r"[a-z0-9_]+(-[a-z0-9_]+)*", key)] == []


@pytest.mark.parametrize("language", OTHERS)
def test_each_language_has_the_same_keys(language: str) -> None:
    assert TEXTS[language].keys() == ENGLISH.keys()


@pytest.mark.parametrize("language", OTHERS)
def test_each_language_fills_in_the_same(language: str) -> None:
    """Singular forms may spell the number out; everything else is filled in by every language."""
    for key, forms in TEXTS[language].items():
        should = set().union(*map(placeholders, ENGLISH.get(key, ())))
        for text in forms:
            assert placeholders(text) | ({"n"} & should) == should, f"{key} in {language}: {text}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_plurals_are_those_of_the_language(language: str) -> None:
    """All files of a language agree on its forms, every plural has them all, and each number finds one."""
    assert Locale.parse(language)
    headers = set()
    for path in (FOLDER / language).glob("*.po"):
        header = path.read_text(encoding="utf-8").split("\n\n")[0]
        headers.update(re.findall(r"Plural-Forms: (.*?)\\n", header))
    assert len(headers) == 1
    spoken = Catalogue(TEXT_ICONS)
    for message in CATALOGUES[language]:
        if not isinstance(message.id, (tuple, list)):
            continue
        assert message.id[0] == message.id[1]
        assert len(forms_of(message)) == CATALOGUES[language].num_plurals, key_of(message)
        if any(placeholders(form) - {"n"} for form in forms_of(message)):
            continue
        for n in (0, 1, 2, 3, 5, 11, 21, 101, 1_000_000):
            shown = {form.replace("{n}", number(language, n)) for form in forms_of(message)}
            text = spoken.text(language, say(key_of(message), n=n))
            assert text in shown, f"{key_of(message)} for {n}: {text}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_command_texts_fit_discord(language: str) -> None:
    """Descriptions of commands and options: 1 to 100 characters, one line."""
    for key, forms in TEXTS[language].items():
        if key.startswith("cmd-"):
            for text in forms:
                assert 1 <= len(text) <= 100, f"{key} has {len(text)} characters"
                assert "\n" not in text
                assert not placeholders(text)


@cache
def labels() -> frozenset[str]:
    """The keys of buttons' labels, where they are named in the call."""
    found = set()
    for tree in sources().values():
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Name(id="Button" | "Option"), args=[_, ast.Call(args=[key, *_]), *_]):
                    found.update(constants(key))
                    for shape in map(pattern, formatted(key)):
                        found.update(known for known in ENGLISH if re.fullmatch(shape, known))
    return frozenset(found & ENGLISH.keys())


@pytest.mark.parametrize("language", LANGUAGES)
def test_labels_fit_on_buttons(language: str) -> None:
    """Discord allows 80 characters; from about 38 on they are cut off on phones."""
    assert len(labels()) > 20
    for key in labels():
        for text in TEXTS[language].get(key, ()):
            filled = re.sub(r"\{[a-z_]+\}", "50,000", text)
            assert len(filled) <= 38, f"{key} in {language}: {text}"
            assert "\n" not in filled
            assert not re.search(r"[*_`~]{2}", filled), f"{key} is no place for markdown"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_game_has_its_texts(language: str) -> None:
    """The keys of games, levels, topics and endings are built from their names."""
    known = TEXTS[language]
    for key, entry in GAMES.items():
        assert f"{key}-name" in known
        assert f"cmd-{key}" in known
        for level in entry.policies:
            assert f"ai-{level}" in known
        for topic in entry.screen.topics:
            assert f"{key}-rules-{topic}" in known
            assert f"{key}-rules-{topic}-title" in known
            assert len(known[f"{key}-rules-{topic}"][0]) <= 3900


def test_icons_that_are_named_have_a_text_to_stand_in() -> None:
    """``Icons(("game-tutto",))`` and the like: an icon without a drawing needs a text."""
    named: set[str] = set()
    for tree in sources().values():
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Name(id="Icons"), args=[ast.Tuple(elts=elements)]):
                    named.update(text for element in elements for text in constants(element))
    assert named - TEXT_ICONS.keys() == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_is_served(language: str) -> None:
    catalogue = Catalogue(TEXT_ICONS)
    assert catalogue.language([language]) == language
    assert language in catalogue.languages
