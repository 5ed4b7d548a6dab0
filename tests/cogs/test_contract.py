"""The in-process Discord checks each request against Discord's description."""

from __future__ import annotations

import io
from contextlib import suppress
from typing import Any

import discord
import pytest
from discord.http import Route

from tests.support.contract.checks import Contract
from tests.support.world import World

V2 = 1 << 15
TEXT = {"type": 10, "content": "Hello"}
MESSAGE: dict[str, Any] = {"flags": V2, "components": [TEXT]}


async def ask(world: World, method: str, path: str, body: Any = None) -> Any:
    """Let the bot make a request, whatever is answered."""
    with suppress(discord.HTTPException):
        return await world.bot.http.request(Route(method, path), json=body)


def found(contract: Contract) -> str:
    """What was wrong; the test goes on as if nothing had been."""
    lines = "\n".join(contract.violations)
    contract.violations.clear()
    return lines


async def test_everything_the_bot_sends_is_checked(world: World, contract: Contract) -> None:
    await world.begin(world.anna, world.ben)
    assert contract.checked == len(world.env.http_requests) > 3


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ({"flags": V2, "components": [{**TEXT, "colour": 1}]}, "'colour' was unexpected"),
        ({**MESSAGE, "flags": V2 | 1 << 6}, "can't carry the flags 0x40"),
        ({**MESSAGE, "allowed_mentions": {"users": ["5"]}}, "user 5 may be notified"),
        ({"flags": V2, "components": [{**TEXT, "content": "x" * 2001}] * 2}, "4002 characters"),
    ],
)
async def test_a_mistake_in_a_post_is_found(
    world: World, contract: Contract, body: dict[str, Any], line: str
) -> None:
    await ask(world, "POST", f"/channels/{world.channel.id}/messages", body)
    assert line in found(contract)


async def test_a_file_that_nothing_shows_is_found(world: World, contract: Contract) -> None:
    channel = world.bot.get_partial_messageable(world.channel.id)
    view = discord.ui.LayoutView()
    view.add_item(discord.ui.TextDisplay("Hello"))
    message = await channel.send(view=view, file=discord.File(io.BytesIO(b"x"), "a.txt"))
    assert "no component shows the file a.txt" in found(contract)
    await message.edit(view=view)
    assert "no component shows the file a.txt" in found(contract)
    await message.delete()


@pytest.mark.parametrize(("kind", "data"), [(6, None), (7, MESSAGE), (8, {"choices": []})])
async def test_an_answer_that_does_not_fit_the_interaction_is_found(
    world: World, contract: Contract, kind: int, data: dict[str, Any] | None
) -> None:
    world.tries = 2
    result = await world.slash(world.anna, "help")
    record = result._interaction
    path = f"/interactions/{record.id}/{record.token}/callback"
    await ask(world, "POST", path, {"type": kind} | ({} if data is None else {"data": data}))
    assert f"type {kind}" in found(contract)
