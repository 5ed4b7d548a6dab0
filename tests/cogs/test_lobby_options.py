"""The form with the options of a lobby, in Discord."""

from __future__ import annotations

from typing import Any

import pytest
from simcord.enums import ComponentType

from bot.registry import GAMES
from tests.support import screen
from tests.support.world import World, fields, private


async def test_the_host_changes_everything_with_one_form(world: World) -> None:
    await world.lobby(world.anna, world.ben)
    form = await world.press(world.anna, "Options")
    assert fields(form) == {
        "edition": "current",
        "target": ["1000"],
        "turn_seconds": "600",
        "begins": "table",
        "switches": ["rated"],
    }
    done = await world.submit(
        world.anna, form, edition="classic", target="2000", turn_seconds="0", switches=[]
    )
    assert not private(done)
    row = await world.row()
    assert row.options.to_json() == {"edition": "classic", "target": 2000}
    assert (row.turn_seconds, row.rated) == (0, False)
    text = world.text()
    assert "Tutto to 2,000 points · classic edition" in text
    assert "No turn limit" in text
    assert "Friendly: changes no ratings; odds are for everyone" in text
    await world.press(world.anna, "Start the game")
    assert (await world.state()).options == row.options
    await world.restart()
    assert (await world.row()).options == row.options


@pytest.mark.parametrize("game", GAMES)
async def test_every_option_of_every_game_is_in_the_form(world: World, game: str) -> None:
    await world.slash(world.anna, f"{game} start")
    form = await world.press(world.anna, "Options")
    assert form.modal is not None
    assert 1 <= len(form.modal["components"]) <= 5
    found = fields(form)
    flags = {one["value"] for one in _switches(form.modal)}
    assert {*found, *flags} >= {*(await world.row()).options.values(), "turn_seconds", "begins", "rated"}


def _switches(modal: dict[str, Any]) -> list[dict[str, Any]]:
    controls = [one["component"] for one in modal["components"]]
    return [
        one
        for control in controls
        if control["type"] == ComponentType.CHECKBOX_GROUP
        for one in control["options"]
    ]


async def test_the_form_is_for_the_host_alone(world: World) -> None:
    await world.lobby(world.anna, world.ben)
    refused = await world.press(world.ben, "Options")
    assert refused.modal is None
    assert "Only the host, Anna, can do that." in private(refused)
    form = await world.press(world.anna, "Options")
    await world.press(world.anna, "Leave")
    before = await world.row()
    assert "Only the host, Ben, can do that." in private(await world.submit(world.anna, form, target="2000"))
    assert await world.row() == before


async def test_a_form_with_options_that_have_changed_is_refused_in_words(world: World) -> None:
    await world.lobby(world.anna, world.ben)
    old = await world.press(world.anna, "Options")
    await world.set_options(world.anna, edition="modern")
    late = await world.submit(world.anna, old, target="2000")
    assert "have changed in the meantime. Click **Options** again." in private(late)
    assert (await world.row()).options.to_json() == {"edition": "modern", "target": 1000}


@pytest.mark.parametrize("token", ["l.timer", "l.hints"])
async def test_a_button_of_an_earlier_version_brings_the_new_ones(world: World, token: str) -> None:
    """Lobbies that were open during an upgrade still have it."""
    await world.lobby(world.anna)
    row = await world.row()
    result = await world.forge(world.anna, f"1:{row.id:x}:{row.version:x}:{token}")
    assert "The table shows it now: click again." in private(result)
    assert await world.row() == row
    assert "Options" in screen.labels(world.table())


async def test_a_form_that_discord_does_not_open_is_told_of(world: World) -> None:
    await world.lobby(world.anna)
    world.tries = 2
    world.fail("POST", "/interactions/*/callback", 500, times=1)
    result = await world.press(world.anna, "Options")
    assert "could not be opened" in private(result)
