"""What is special about a table of Gambler: a round's board can be chosen there."""

from __future__ import annotations

from bot.games.gambler.state import Phase
from tests.support.world import World, private


async def test_who_begins_a_round_looks_through_the_boards_and_chooses_one(world: World) -> None:
    await world.slash(world.anna, "gambler start", choose=True, rated=False)
    await world.press(world.ben, "Join")
    await world.press(world.anna, "Start the game")
    begun = await world.row()
    assert (await world.state()).phase is Phase.BOARD
    assert "Lighthouse (1 of 20)" in world.text()
    await world.press(world.anna, "Next →")
    assert "Staircase (2 of 20)" in world.text()
    await world.press(world.anna, "← Previous")
    await world.press(world.anna, "← Previous")
    assert "(20 of 20)" in world.text()
    # Looking is stored nowhere, so it ends with a restart; others can neither look nor choose.
    assert (await world.row()).version == begun.version
    await world.restart()
    for label in ("Next →", "Play this board"):
        assert "Not your turn yet" in private(await world.press(world.ben, label))
    await world.press(world.anna, "Next →")
    await world.press(world.anna, "Play this board")
    chosen = await world.state()
    assert chosen.phase is not Phase.BOARD
    assert (await world.row()).version == begun.version + 1
    assert "Play this board" not in world.labels()
