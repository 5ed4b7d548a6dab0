"""Names that would break a table's text, and names that are alike."""

from __future__ import annotations

import unicodedata
from types import SimpleNamespace

import pytest

from bot.i18n.names import MAX_MARKS, NAME_LENGTH, clean, escaped, name_of, told_apart

ZALGO = "A" + "\u0335\u0321\u0353" * 8 + "nna"


def test_a_letter_keeps_as_many_marks_as_languages_need() -> None:
    shown = clean(ZALGO)
    assert shown.endswith("nna")
    assert sum(unicodedata.category(one) == "Mn" for one in shown) == MAX_MARKS


@pytest.mark.parametrize("name", ["กำลัง", "हिन्दी", "שָׁלוֹם", "Ngọc Diễm", "Ngo\u0323\u0302c"])
def test_names_of_languages_with_many_marks_stay_whole(name: str) -> None:
    assert clean(name) == name


def test_a_mark_without_a_letter_does_not_sit_on_the_text_before_it() -> None:
    assert clean("\u0335\u0336Anna") == "Anna"
    assert clean("Anna \u0335\u0336") == "Anna"


def test_a_name_from_right_to_left_keeps_the_rest_of_the_line_in_order() -> None:
    for name in ("שיר", "شيماء", "1 שיר 2"):
        assert escaped(clean(name)) == f"\u2068{name}\u2069"


@pytest.mark.parametrize(
    ("nick", "global_name", "shown"),
    [
        (None, "Anna", "Anna"),
        ("Queen", "Anna", "Queen"),
        ("\u3164", "Anna", "Anna"),
        ("\u2800\u200b", "\u00ad", "anna.b"),
        (None, None, "anna.b"),
    ],
)
def test_the_first_name_that_shows_is_shown(nick: str | None, global_name: str | None, shown: str) -> None:
    display = nick or global_name or "anna.b"
    person = SimpleNamespace(display_name=display, global_name=global_name, name="anna.b")
    assert name_of(person) == shown


@pytest.mark.parametrize(
    ("name", "username", "taken", "shown"),
    [
        ("Anna", "anna.b", (), "Anna"),
        ("Anna", "anna.b", ("Ben",), "Anna"),
        ("Anna", "anna.b", ("Ben", "Anna"), "Anna (anna.b)"),
        ("anna", "anna.b", ("Anna",), "anna (anna.b)"),
        ("Anna", "anna.b", ("𝓐𝓷𝓷𝓪",), "Anna (anna.b)"),
        ("Anna", "", ("Anna",), "Anna"),
    ],
)
def test_people_of_one_name_are_told_apart(
    name: str, username: str, taken: tuple[str, ...], shown: str
) -> None:
    assert told_apart(name, username, taken) == shown
    assert len(told_apart("W" * 32, "w" * 32, ("W" * 32,))) <= NAME_LENGTH
