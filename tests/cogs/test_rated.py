"""Rated games in Discord: what leaving one means, and the question whether to end it."""

from __future__ import annotations

import discord

from bot.store.base import ABORTED, LIVE, intact
from tests.support import screen
from tests.support.world import World, private, reply


async def test_a_rated_game_ends_early_only_if_all_agree(world: World) -> None:
    await world.begin(world.anna, world.ben, world.chiara, target=50_000)
    while min(one.turns for one in intact((await world.row()).stats)) < 2:
        await world.step()
    asked = await world.slash(world.anna, "tutto end")
    assert "only ends without a result once everyone still playing has agreed" in private(asked)
    await world.anna.click(reply(asked), label="Ask the others")
    assert "wants to end this rated game without a result" in world.text()
    assert "1 of 3" in world.text()
    await world.restart()
    await world.press(world.ben, "Agree to end")
    assert "2 of 3" in world.text()
    # Whose turn it is plays as before.
    await world.step()
    assert "2 of 3" in world.text()
    outsider = world.person("Otto", permissions=discord.Permissions(manage_messages=True))
    assert "not in this game" in private(await world.press(outsider, "Agree to end"))
    await world.press(world.chiara, "Play on")
    assert "wants to end" not in world.text()
    assert (await world.row()).status == LIVE
    await world.confirmed(world.anna, "tutto end")
    await world.press(world.chiara, "Agree to end")
    await world.press(world.ben, "Agree to end")
    row = await world.row()
    assert (row.status, row.closed) == (ABORTED, "closed-agreed")
    assert "The players agreed to end this game without a result" in screen.text_of(world.messages()[-1])


async def test_leaving_a_rated_game_says_what_it_means(world: World) -> None:
    await world.lobby(world.anna, world.ben)
    assert "last place" not in private(await world.slash(world.ben, "tutto leave"))
    await world.press(world.anna, "Start the game")
    assert "it counts as a last place" in private(await world.slash(world.ben, "tutto leave"))
    removal = await world.slash(world.anna, "tutto remove", member=world.ben)
    assert "it counts as a last place" in private(removal)
