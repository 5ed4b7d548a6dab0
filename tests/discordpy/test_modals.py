"""Forms as Discord gets them, compared with those of the library."""

from __future__ import annotations

from typing import Any

import discord
import pytest
from discord import ui

from bot.discordpy.modals import MAX_FIELDS, MAX_LABEL, PLAYABLE, entered, render_form
from bot.games.seats import person
from bot.i18n.catalogue import Catalogue
from bot.i18n.say import say
from bot.records.who_begins import IN_ORDER
from bot.registry import GAMES
from bot.screens.lobby_options import LobbyOptions, options_form
from bot.screens.model import CHANNELS, CHECKBOXES, LINE, OPTIONS, RADIO, ROLES, Field, FieldOption, Form
from tests.support.contract.component_rules import form

CATALOGUE = Catalogue({})


SEATS = tuple(person(number, 32 * "W") for number in range(1, 11))


def text(words: str) -> Any:
    return say("settings-text", text=words)


LINES = (FieldOption("a", text("first")), FieldOption("b", text("second"), chosen=True))


def test_a_form_is_what_the_library_would_send() -> None:
    library = ui.Modal(title="Title", custom_id="1:7:3:x")
    labels: list[ui.Label[ui.Modal]] = [
        ui.Label(
            text="Menu",
            description="What it is for",
            component=ui.Select(
                custom_id="menu",
                options=[
                    discord.SelectOption(label="First", value="a"),
                    discord.SelectOption(label="Second", value="b", default=True),
                ],
            ),
        ),
        ui.Label(
            text="One",
            component=ui.RadioGroup(
                custom_id="one",
                options=[
                    discord.RadioGroupOption(label="First", value="a"),
                    discord.RadioGroupOption(label="Second", value="b", default=True),
                ],
            ),
        ),
        ui.Label(text="Line", component=ui.TextInput(custom_id="line", default="as it is", max_length=100)),
        ui.Label(
            text="Places",
            component=ui.ChannelSelect(
                custom_id="places",
                channel_types=[discord.ChannelType(kind) for kind in PLAYABLE],
                min_values=0,
                max_values=25,
                required=False,
                default_values=[discord.Object(5)],
            ),
        ),
        ui.Label(
            text="Some",
            component=ui.CheckboxGroup(
                custom_id="some",
                required=False,
                min_values=0,
                options=[
                    discord.CheckboxGroupOption(label="First", value="a"),
                    discord.CheckboxGroupOption(label="Second", value="b", default=True),
                ],
            ),
        ),
    ]
    for one in labels:
        library.add_item(one)

    fields = (
        Field("menu", text("Menu"), OPTIONS, LINES, text("What it is for")),
        Field("one", text("One"), RADIO, LINES),
        Field("line", text("Line"), LINE, text="as it is", most=100),
        Field("places", text("Places"), CHANNELS, most=25, chosen=(5,)),
        Field("some", text("Some"), CHECKBOXES, LINES),
    )
    ours = render_form(Form("x", text("Title"), fields), CATALOGUE, "en", 7, 3)
    assert without_nothing(ours) == without_nothing(library.to_dict())
    assert not list(form(ours["components"]))


def test_a_menu_of_roles_is_what_the_library_would_send() -> None:
    library = ui.Modal(title="Title", custom_id="1:7:3:x")
    roles: ui.RoleSelect[ui.Modal] = ui.RoleSelect(
        custom_id="roles",
        min_values=0,
        max_values=25,
        required=False,
        default_values=[discord.SelectDefaultValue.from_role(discord.Object(5))],
    )
    library.add_item(ui.Label(text="Roles", component=roles))
    ours = Form("x", text("Title"), (Field("roles", text("Roles"), ROLES, most=25, chosen=(5,)),))
    rendered = render_form(ours, CATALOGUE, "en", 7, 3)
    assert without_nothing(rendered) == without_nothing(library.to_dict())


def without_nothing(part: Any) -> Any:
    """A component without what is as if it were not there."""
    if isinstance(part, list):
        return [without_nothing(one) for one in part]
    if not isinstance(part, dict):
        return str(part) if isinstance(part, int) and not isinstance(part, bool) else part
    left = {key: without_nothing(value) for key, value in part.items() if value is not None}
    defaults = {"min_values": "1", "max_values": "1", "required": True, "disabled": False}
    return {
        key: value
        for key, value in left.items()
        if defaults.get(key) != value and (key, value) != ("max_values", "2") and key != "id"
    }


@pytest.mark.parametrize("locale", ["en", "de", "fr", "it"])
@pytest.mark.parametrize("game", GAMES)
def test_the_options_of_every_game_fit_into_a_form_in_every_language(game: str, locale: str) -> None:
    entry = GAMES[game]
    shown = LobbyOptions(entry.rules.options({}), 90, True, IN_ORDER, SEATS)
    modal = options_form(game, shown, entry.screen.who_begins)
    for one in modal.fields:
        assert len(CATALOGUE.text(locale, one.label)) <= MAX_LABEL
    assert not list(form(render_form(modal, CATALOGUE, locale)["components"]))


def test_a_form_with_too_many_fields_is_a_mistake() -> None:
    fields = tuple(Field(str(number), text("x"), ROLES) for number in range(MAX_FIELDS + 1))
    with pytest.raises(ValueError, match="more than 5"):
        render_form(Form("x", text("x"), fields), CATALOGUE, "en")


@pytest.mark.parametrize(
    ("control", "found"),
    [
        ({"type": 3, "custom_id": "x", "values": ["a"]}, {"x": ("a",)}),
        ({"type": 8, "custom_id": "x", "values": []}, {"x": ()}),
        ({"type": 21, "custom_id": "x", "value": "a"}, {"x": ("a",)}),
        ({"type": 21, "custom_id": "x", "value": None}, {}),
        ({"type": 4, "custom_id": "x", "value": ""}, {"x": ("",)}),
        ({"type": 10}, {}),
    ],
)
def test_what_was_entered_is_read(control: dict[str, Any], found: dict[str, Any]) -> None:
    assert entered({"custom_id": "1:0:0:x", "components": [{"type": 18, "component": control}]}) == found


def test_what_was_entered_into_rows_is_read() -> None:
    """Forms had them before they had labels; one that is open may be sent after an upgrade."""
    rows = [
        {"type": 1, "components": [{"type": 4, "custom_id": "x", "value": "a"}]},
        {"type": 1, "components": [{"type": 4, "custom_id": "y", "value": ""}]},
    ]
    assert entered({"custom_id": "1:0:0:x", "components": rows}) == {"x": ("a",), "y": ("",)}


@pytest.mark.parametrize(
    "data", [{}, {"components": None}, {"components": ["x", {"type": 10}, {"component": 5}]}]
)
def test_anything_else_enters_nothing(data: dict[str, Any]) -> None:
    assert entered(data) == {}
