"""Escaped names, and messages in different languages."""

from __future__ import annotations

import logging
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.i18n.catalogue import Catalogue, read
from bot.i18n.locales import SOURCE, number
from bot.i18n.names import NAME_LENGTH, clean, escaped
from bot.i18n.say import (
    Faces,
    GameIcon,
    GameName,
    Icons,
    Mention,
    Moment,
    Name,
    Say,
    SeatRef,
    from_json,
    resolve,
    say,
    to_json,
)
from bot.registry import TEXT_ICONS

# Names.

NASTY = "*_~`|>#-[]()<:@!+=.\\ \t\n\r0123456789/&"
INVISIBLE = "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad\u034f\u115f\u1160\u17b4\u2800\u3164\uffa0\u180e"
DIRECTIONS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u061c"
LETTERS = "aZäß漢אبم\u0301\u0483ﷺ𝔄👾🎲🏳️‍🌈👨‍👩‍👧1️⃣\ufe0f\ud83c"

names = st.one_of(
    st.text(max_size=60),
    st.text(alphabet=NASTY + INVISIBLE + DIRECTIONS + LETTERS, max_size=60),
)
MARKDOWN = set("*_~`|>#-[]()<:@!+=.\\")


def unescaped(text: str) -> str:
    """A text as Discord shows it, without the backslashes before punctuation."""
    return re.sub(r"\\([\W_])", r"\1", text)


@given(names)
def test_a_clean_name_is_short_one_line_and_visible(name: str) -> None:
    text = clean(name)
    assert len(text) <= NAME_LENGTH
    assert text == " ".join(text.split())
    for character in text:
        assert character == "\u200d" or unicodedata.category(character)[0] != "C", hex(ord(character))
        assert unicodedata.category(character) not in ("Zl", "Zp")
    if text:
        assert any(unicodedata.category(character)[0] in "LNPS" for character in text)


@given(names)
@example("0\n\u0483")
def test_cleaning_twice_is_cleaning_once(name: str) -> None:
    assert clean(clean(name)) == clean(name)


@given(names)
def test_an_escaped_name_shows_what_was_typed(name: str) -> None:
    text = clean(name)
    shown = unescaped(escaped(text)).strip("\u2068\u2069")
    assert shown == text


@example("https://example.org")
@given(names)
def test_an_escaped_name_makes_no_markdown_mention_or_link(name: str) -> None:
    text = escaped(clean(name))
    bare = re.sub(r"\\.", "", text)  # what is left once every escaped character is taken away
    assert not MARKDOWN & set(bare)
    for pattern in (r"<@!?\d+>", r"<@&\d+>", r"<#\d+>", r"<a?:\w+:\d+>", r"<t:\d+", r"@everyone", r"@here"):
        assert not re.search(rf"(?<!\\){pattern}", text)
    assert not re.search(r"(?<!\\)://", text)
    assert "\n" not in text


@given(names)
def test_a_name_can_not_turn_its_line_around(name: str) -> None:
    """Right-to-left names are isolated, and direction marks in names are removed."""
    text = escaped(clean(name))
    inner = text.removeprefix("\u2068").removesuffix("\u2069")
    assert not set(DIRECTIONS) & set(inner)
    assert text.startswith("\u2068") == text.endswith("\u2069")
    if any(unicodedata.bidirectional(character) in ("R", "AL", "AN") for character in inner):
        assert text != inner


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Anna", "Anna"),
        ("  Anna \n Maria\t ", "Anna Maria"),
        ("a\u202eb\u200bc", "abc"),
        ("👾", "👾"),
        ("👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"),
        ("🏳️\u200d🌈", "🏳️\u200d🌈"),
        ("1️⃣", "1️⃣"),
        ("", ""),
        (" \u3000\u2003", ""),
        ("\u200b\u2060\ufeff", ""),
        ("\u3164\u115f\u2800", ""),
        ("\u200d\u200d", ""),
        ("\ufe0f", ""),
        ("\x00\x1f\x7f", ""),
        ("x" * 100, "x" * 32),
        ("\ud83c", ""),
    ],
)
def test_names_as_people_write_them(name: str, shown: str) -> None:
    assert clean(name) == shown


# Messages as values.


def stored() -> st.SearchStrategy[Say]:
    value = st.one_of(
        st.integers(-(10**9), 10**9),
        st.text(max_size=10),
        st.builds(SeatRef, st.integers(0, 9)),
        st.builds(Faces, st.lists(st.integers(1, 6), max_size=6).map(tuple)),
        st.builds(Icons, st.lists(st.text(max_size=5), max_size=3).map(tuple)),
    )

    def message(inner: st.SearchStrategy[object]) -> st.SearchStrategy[Say]:
        arguments = st.dictionaries(st.text(min_size=1, max_size=5), inner, max_size=3)
        return st.builds(lambda key, args: Say(key, tuple(args.items())), st.text(max_size=8), arguments)

    return message(st.one_of(value, message(value)))


@given(stored())
def test_what_is_stored_of_a_message_comes_back(message: Say) -> None:
    assert from_json(to_json(message)) == message


@given(stored())
def test_seats_are_named_wherever_they_are(message: Say) -> None:
    named = resolve(message, lambda seat: f"seat {seat}")
    assert "SeatRef" not in repr(named)
    assert resolve(named, lambda seat: "never") == named


@pytest.mark.parametrize("argument", [Name("Anna"), Mention(5), Moment(1.0)])
def test_people_are_not_stored_in_messages(argument: object) -> None:
    """Names change and people are erased, so stored messages refer to seats."""
    with pytest.raises(TypeError):
        to_json(say("x", who=argument))  # type: ignore[arg-type]


# Languages.

PO = """msgid ""
msgstr ""
"Language: {language}\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Plural-Forms: {plurals}\\n"

"""
TWO_FORMS = "nplurals=2; plural=(n != 1);"


def entry(key: str, *texts: str) -> str:
    if len(texts) == 1:
        return f'msgid "{key}"\nmsgstr "{texts[0]}"\n\n'
    forms = "".join(f'msgstr[{number}] "{text}"\n' for number, text in enumerate(texts))
    return f'msgid "{key}"\nmsgid_plural "{key}"\n{forms}\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """English, German with gaps and mistakes, and Polish with its three plural forms."""
    languages = {
        "en": (
            TWO_FORMS,
            entry("hello", "Hello {name}")
            + entry("points", "{points} points")
            + entry("turns", "{n} turn", "{n} turns")
            + entry("list", "{head}, {tail}")
            + entry("broken", "Fine {name}")
            + entry("only-english", "Only English")
            + entry("when", "{who} {at} {icons} {dice}")
            + entry("fixed", "as it is"),
        ),
        "de": (
            TWO_FORMS,
            entry("hello", "Hallo {name}")
            + entry("points", "{points} Punkte")
            + entry("turns", "{n} Zug", "{n} Züge")
            + entry("broken", "Kaputt {nome}"),
        ),
        "pl": (
            "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2);",
            entry("turns", "{n} tura", "{n} tury", "{n} tur"),
        ),
    }
    for language, (plurals, entries) in languages.items():
        (tmp_path / language).mkdir()
        text = PO.format(language=language, plurals=plurals) + entries
        (tmp_path / language / "all.po").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def catalogue(folder: Path) -> Catalogue:
    return Catalogue({"die-1": "⚀"}, folder)


@pytest.mark.parametrize(
    ("locales", "language"),
    [
        (["de"], "de"),
        (["de-CH"], "de-CH"),
        (["DE"], "DE"),
        (["pt-BR", "de"], "de"),
        (["ja", None, ""], "en"),
        ([None, "pl"], "pl"),
        ([], "en"),
        (["xx-YY", "👾"], "en"),
        (["en-US", "de"], "en-US"),
        (["deu"], "en"),
    ],
)
def test_the_first_language_that_is_there_is_spoken(
    catalogue: Catalogue, locales: list[str | None], language: str
) -> None:
    assert catalogue.language(locales) == language


@given(st.lists(st.one_of(st.none(), st.text(max_size=12)), max_size=4))
def test_any_locale_leads_to_a_language(locales: list[str | None]) -> None:
    spoken = _real.language(locales)
    assert _real.text(spoken, say("unnamed-person"))
    assert number(spoken, 12345)


_real = Catalogue({})


@pytest.mark.parametrize(
    ("locale", "value", "text"),
    [
        ("en", 6000, "6,000"),
        ("en-US", -1234567, "−1,234,567"),
        ("de", 6000, "6.000"),
        ("de-ZZ", 6000, "6.000"),
        ("fr", 6000, "6\u202f000"),
        ("it", 1000000, "1.000.000"),
        ("hi", 1234567, "12,34,567"),
        ("zz-ZZ", 6000, "6,000"),
        ("", 6000, "6,000"),
        ("👾", 6000, "6,000"),
        ("en", 0, "0"),
    ],
)
def test_numbers_are_written_as_people_there_do(locale: str, value: int, text: str) -> None:
    assert number(locale, value) == text


def test_arguments_of_every_kind(catalogue: Catalogue) -> None:
    message = say(
        "when",
        who=Mention(7),
        at=Moment(1700000000.9),
        icons=Icons(("die-1", "unknown")),
        dice=Faces((1, 2, 2)),
    )
    assert catalogue.text("en", message) == "<@7> <t:1700000000:R> ⚀ unknown 1\u00a02\u00a02"
    assert catalogue.text("de", say("hello", name=Name("*x*"))) == "Hallo \\*x\\*"
    nested = say("list", head=say("points", points=1000), tail=say("turns", n=2))
    assert catalogue.text("de", nested) == "1.000 Punkte, 2 Züge"
    with pytest.raises(AssertionError):
        catalogue.text("en", say("hello", name=SeatRef(1)))


@pytest.mark.parametrize(
    ("locale", "n", "text"),
    [
        ("en", 0, "0 turns"),
        ("en", 1, "1 turn"),
        ("en", 1000, "1,000 turns"),
        ("de", 1, "1 Zug"),
        ("pl", 1, "1 tura"),
        ("pl", 3, "3 tury"),
        ("pl", 5, "5 tur"),
        ("pl", 22, "22 tury"),
        ("xx", 1, "1 turn"),
    ],
)
def test_plurals_follow_each_language(catalogue: Catalogue, locale: str, n: int, text: str) -> None:
    assert catalogue.text(locale, say("turns", n=n)) == text


def test_what_a_language_lacks_is_said_in_english(catalogue: Catalogue) -> None:
    assert catalogue.text("de", say("only-english")) == "Only English"
    assert catalogue.text("pl", say("points", points=5000)) == "5\xa0000 points"
    assert catalogue.text("de", say("nowhere")) == "nowhere"


def test_a_text_that_does_not_fit_is_replaced_by_english_and_told(
    catalogue: Catalogue, caplog: pytest.LogCaptureFixture
) -> None:
    assert catalogue.text("de", say("broken", name="x")) == "Fine x"
    assert "broken in de" in caplog.text
    caplog.clear()
    assert catalogue.text("de", say("hello")) == "hello"
    assert [record.levelno for record in caplog.records] == [logging.WARNING] * 2


def test_a_key_in_two_files_is_an_error(folder: Path) -> None:
    text = PO.format(language="en", plurals=TWO_FORMS) + entry("hello", "Again")
    (folder / "en" / "more.po").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="repeats hello"):
        read("en", folder)


def test_icons_can_be_drawn_and_go_back_to_text(catalogue: Catalogue) -> None:
    message = say("when", who="", at="", icons=Icons(("die-1",)), dice="")
    assert "⚀" in catalogue.text("en", message)
    catalogue.use({"die-1": "<:one:1>"})
    assert "<:one:1>" in catalogue.text("en", message)  # earlier messages too
    catalogue.use({})
    assert "⚀" in catalogue.text("en", message)
    assert catalogue.icon("die-1") == "⚀"


@pytest.mark.parametrize("locale", _real.languages)
def test_a_game_that_is_no_longer_offered_has_a_name_and_an_icon(
    locale: str, caplog: pytest.LogCaptureFixture
) -> None:
    catalogue = Catalogue(TEXT_ICONS)

    def told(game: str) -> str:
        return catalogue.text(locale, say("forecast-title", icon=GameIcon(game), game=GameName(game)))

    assert told("tutto").startswith(f"## {TEXT_ICONS['game-tutto']} Tutto ")
    assert told("chess").startswith(f"## {TEXT_ICONS['dice']} {catalogue.text(locale, say('former-game'))} ")
    assert "-" not in told("chess").replace("## ", "")
    assert not caplog.records


def test_english_is_there() -> None:
    assert SOURCE in _real.languages
    assert len(list(read(SOURCE))) > 100
