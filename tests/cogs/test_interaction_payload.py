"""A click is parsed without its message, and completely otherwise."""

from __future__ import annotations

import copy
from typing import Any

import discord

from bot.discordpy.answer import Answer
from bot.discordpy.interaction_payload import EVENT, without_messages
from tests.support.world import World


async def test_only_the_id_and_flags_of_the_message_are_kept() -> None:
    seen: list[Any] = []
    event: Any = {
        "id": "1",
        "type": 3,
        "data": {"custom_id": "x"},
        "message": {"id": "2", "flags": 64, "components": [{"type": 17}]},
    }
    before = copy.deepcopy(event)
    without_messages(seen.append)(event)
    assert event == before  # whoever else has the event still has all of it
    data = {"custom_id": "x", "message": {"id": "2", "flags": 64}}
    assert seen == [{"id": "1", "type": 3, "data": data}]
    command: Any = {"id": "1", "type": 2, "data": {"name": "tutto"}}
    without_messages(seen.append)(command)
    assert seen[1] == command


async def test_the_library_takes_clicks_in_that_way(world: World) -> None:
    """Through the gateway's table of events and by name; this notices an upgrade that changes either."""
    got: list[discord.Interaction[Any]] = []

    async def on_click(interaction: discord.Interaction[Any]) -> None:
        got.append(interaction)

    await world.lobby(world.anna)
    world.bot.add_listener(on_click, "on_interaction")
    await world.press(world.ben, "Join")
    (interaction,) = got
    assert interaction.message is None
    answer = Answer(interaction)
    assert answer.message_id == (await world.row()).message_id
    assert not answer.is_on_private
    state: Any = world.bot._connection
    assert state.parsers[EVENT].__wrapped__ is state.parse_interaction_create
