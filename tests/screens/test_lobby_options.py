"""The form with a lobby's options follows from what a game declares, here a game that only the tests have."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.games.core import Unreadable
from bot.games.seats import ai, person
from bot.i18n.say import say
from bot.records.who_begins import BY_LOT, IN_ORDER
from bot.screens.lobby_options import LobbyOptions, entered_options, options_form
from bot.screens.model import Entered, Form
from tests.support.pig import Options

SEATS = (person(1, "Anna"), ai("beginner"), person(2, "B_en"))
SHOWN = LobbyOptions(Options(), 600, True, IN_ORDER, SEATS)


def held(form: Form) -> dict[str, list[str]]:
    """The initial values of a form's fields."""
    return {field.name: [one.value for one in field.options if one.chosen] for field in form.fields}


def test_a_flag_and_a_number_are_in_the_form_without_further_work() -> None:
    form = options_form("pig", SHOWN)
    assert [field.name for field in form.fields] == ["target", "turn_seconds", "begins", "switches"]
    assert held(form) == {
        "target": ["100"],
        "turn_seconds": ["600"],
        "begins": ["table"],
        "switches": ["rounds", "rated"],
    }
    assert entered_options(SHOWN, held(form)) == SHOWN


def test_what_is_not_ticked_is_off() -> None:
    entered: Entered = {"target": ["50"], "turn_seconds": ["0"], "begins": ["lot"]}
    chosen = entered_options(SHOWN, entered)
    assert chosen == LobbyOptions(Options(target=50, rounds=False), 0, False, BY_LOT, SEATS)
    assert chosen.digest != SHOWN.digest


def test_a_present_value_that_is_not_on_offer_stays_possible() -> None:
    odd = LobbyOptions(Options(target=130), 77, False, 2, SEATS)
    form = options_form("pig", odd)
    assert held(form) == {"target": ["130"], "turn_seconds": ["77"], "begins": ["2"], "switches": ["rounds"]}
    assert entered_options(odd, held(form)) == odd


def test_people_are_named_as_they_are_and_those_who_left_meanwhile_change_nothing() -> None:
    begins = next(field for field in options_form("pig", SHOWN).fields if field.name == "begins")
    assert [one.value for one in begins.options] == ["table", "lot", "2"], "Anna is the first at the table"
    assert begins.options[-1].label == say("lobby-begins-person", name="B_en")
    entered = held(options_form("pig", SHOWN))
    assert entered_options(SHOWN, entered | {"begins": ["2"]}).begins == 2
    chosen = replace(SHOWN, begins=0)
    assert held(options_form("pig", chosen))["begins"] == ["1"], "whoever then sits first"
    assert entered_options(SHOWN, entered | {"begins": ["3"]}).begins == IN_ORDER
    with pytest.raises(Unreadable):
        entered_options(SHOWN, entered | {"begins": ["Ben"]})


@pytest.mark.parametrize("entered", [{}, {"target": ["55"], "turn_seconds": ["0"]}, {"target": ["50"]}])
def test_other_values_are_refused(entered: Entered) -> None:
    with pytest.raises(Unreadable):
        entered_options(SHOWN, entered)
