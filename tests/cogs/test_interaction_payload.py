"""A click is parsed without the components of its message, and completely otherwise."""

from __future__ import annotations

import copy
from typing import Any

import discord

from bot.discordpy.interaction_payload import EVENT, without_components
from tests.support.world import World


async def test_only_the_components_are_left_out() -> None:
    seen: list[Any] = []
    event: Any = {
        "id": "1",
        "type": 3,
        "data": {"custom_id": "x"},
        "message": {"id": "2", "components": [{"type": 17}]},
    }
    before = copy.deepcopy(event)
    without_components(seen.append)(event)
    assert event == before  # whoever else has the event still has all of it
    assert seen == [{**before, "message": {"id": "2", "components": []}}]
    command: Any = {"id": "1", "type": 2, "data": {"name": "tutto"}}
    without_components(seen.append)(command)
    assert seen[1] is command


async def test_the_library_takes_clicks_in_that_way(world: World) -> None:
    """Through the gateway's table of events and by name; this notices an upgrade that changes either."""
    got: list[discord.Interaction[Any]] = []

    async def on_click(interaction: discord.Interaction[Any]) -> None:
        got.append(interaction)

    await world.lobby(world.anna)
    world.bot.add_listener(on_click, "on_interaction")
    await world.press(world.ben, "Join")
    (interaction,) = got
    assert interaction.message is not None
    assert interaction.message.components == []
    assert interaction.message.flags.components_v2
    assert interaction.message.id == (await world.row()).message_id
    state: Any = world.bot._connection
    assert state.parsers[EVENT].__wrapped__ is state.parse_interaction_create
