"""Puzzles through Discord: asked, answered rightly and wrongly, after a restart, and with forged buttons."""

from __future__ import annotations

from bot.strategy.tutto.puzzles import load
from tests.cogs.test_standings import open_page
from tests.support import screen
from tests.support.world import World, private


def ids(message: screen.Message) -> list[str]:
    return [one["custom_id"] for one in screen.buttons(message)]


async def test_a_puzzle_is_answered_after_a_restart_and_leads_to_the_next(world: World) -> None:
    shipped = load()
    page = await open_page(world, world.anna, "puzzle")
    number = int(ids(page.message)[0].split(".")[-2])
    puzzle = shipped.puzzles[number]
    assert len(ids(page.message)) == len(puzzle.choices)
    assert "%" not in page.text
    asked = page.message
    await world.restart(crashed=True)
    await page.click(ids(asked)[puzzle.best])
    assert "Right!" in page.text
    # A second click, on the question that a second device still shows.
    await world.forge(world.anna, ids(asked)[puzzle.usual], page.message)
    assert "Not quite" in page.text
    assert page.text.count("win ") >= len(puzzle.choices)
    await page.click("Next puzzle")
    assert f"Puzzle {(number + 1) % len(shipped.puzzles) + 1} of {len(shipped.puzzles)}" in page.text
    assert world.messages() == []  # nobody else sees any of it
    for forged in (
        "pz",
        "pz.n.9999",
        "pz.n.x",
        f"pz.a.{shipped.edition}.{number}.4",
        f"pz.a.{shipped.edition}.9999.0",
        f"pz.a.none.{number}.0",
    ):
        refused = private(await world.forge(world.anna, f"1:0:0:{forged}", page.message))
        assert "out of date" in refused
