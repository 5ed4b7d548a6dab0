"""The plainer forms of a message that Discord refuses."""

from __future__ import annotations

import pytest

from bot.discordpy.components import render
from bot.discordpy.errors import INVALID_FORM
from bot.discordpy.fallbacks import attempts, is_about_emojis
from bot.i18n.catalogue import Catalogue
from bot.i18n.say import say
from bot.screens.model import File, Picture, Screen, Text

CATALOGUE = Catalogue({"die-1": "1"})
ALT = say("error-stale")
WORDS, PICTURE, RECORD = Text((say("error-not-shown"),)), Picture("race.png", ALT), File("record.json")


def test_a_picture_becomes_words_and_files_to_be_saved_stay() -> None:
    screen = Screen((WORDS, PICTURE, RECORD))
    files = {"race.png": b"1", "record.json": b"2"}
    first, second = attempts(screen, files, CATALOGUE)
    assert (first.screen, first.files, first.catalogue) == (screen, files, CATALOGUE)
    assert second.screen.blocks == (WORDS, Text((say("picture-not-shown"), PICTURE.alt)), RECORD)
    assert second.files == {"record.json": b"2"}
    assert second.catalogue is not CATALOGUE
    message = render(screen, CATALOGUE, "de", 7, 3)
    assert first.rendered("de", 7, 3).to_components() == message.to_components()


def test_a_screen_without_files_has_none_in_any_attempt() -> None:
    assert [one.files for one in attempts(Screen((WORDS,)), None, CATALOGUE)] == [{}, {}]


class Error(Exception):
    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


@pytest.mark.parametrize(
    ("error", "about"),
    [
        (Error(INVALID_FORM, "In components: Invalid Emoji"), True),
        (Error(INVALID_FORM, "In components: too long"), False),
        (Error(10008, "Unknown emoji"), False),
        (ValueError("emoji"), False),
    ],
)
def test_what_is_about_emojis(error: Exception, about: bool) -> None:
    assert is_about_emojis(error) == about
    assert INVALID_FORM == 50035
