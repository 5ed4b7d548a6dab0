"""Puzzles through Discord: asked, answered rightly and wrongly, after a restart, and with forged buttons."""

from __future__ import annotations

from bot.store.puzzles import shipped_key
from bot.strategy.tutto.puzzles import load
from tests.cogs.test_standings import open_page, over
from tests.support import screen
from tests.support.values import not_none
from tests.support.world import World, private


def ids(message: screen.Message) -> list[str]:
    return [one["custom_id"] for one in screen.buttons(message)]


async def test_a_puzzle_is_answered_after_a_restart_and_leads_to_another(world: World) -> None:
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
    shared = f"Tutto puzzle no. {number + 1}"
    assert f"```\n{shared}\n✅ right\n```" in page.text
    # A second click, on the question that a second device still shows.
    await world.forge(world.anna, ids(asked)[puzzle.usual], page.message)
    assert "Not quite" in page.text
    assert f"{shared}\n❌ not quite" in page.text
    assert page.text.count("win ") >= len(puzzle.choices)
    # The one that is left comes next, then all begin anew.
    last = (number + 7) % len(shipped.puzzles)
    for index in range(len(shipped.puzzles)):
        if index != last:
            await world.bot.store.puzzles.note_seen(world.anna.id, shipped_key(shipped.edition, index))
    await page.click("Next puzzle")
    assert f"Puzzle no. {last + 1}\n" in page.text
    await page.click(ids(page.message)[0])
    await page.click("Next puzzle")
    assert world.count("puzzles_seen") == 1
    assert world.messages() == []  # nobody else sees any of it
    for forged in (
        "pz",
        f"pz.a.{shipped.edition}.{number}.4",
        f"pz.a.{shipped.edition}.9999.0",
        f"pz.a.none.{number}.0",
        "pz.a.g.x.0",
    ):
        refused = private(await world.forge(world.anna, f"1:0:0:{forged}", page.message))
        assert "out of date" in refused


async def test_a_shared_answer_opens_its_puzzle_for_others_and_tells_nothing(world: World) -> None:
    page = await open_page(world, world.ben, "puzzle", number=17)
    puzzle = load().puzzles[16]
    await page.click(ids(page.message)[puzzle.best])
    before = page.message
    await page.click("Share here")
    (post,) = world.messages()
    assert screen.text_of(post).splitlines()[1:] == ["Tutto puzzle no. 17", "✅ right"]
    assert "Ben" in screen.text_of(post)
    assert "Share here" not in screen.labels(page.message)
    # A second click on the page as it was.
    again = await world.click_seen(world.ben, before, screen.with_id(f":{ids(before)[1].split(':')[3]}"))
    assert "already shared" in private(again)
    assert len(world.messages()) == 1
    opened = await world.click(world.chiara, post, "I’ll try it too")
    assert "Puzzle no. 17\n" in private(opened)
    seen = world.query("SELECT puzzle FROM puzzles_seen WHERE user_id = ?", world.chiara.id)
    assert seen == [(shipped_key(load().edition, 16),)]


async def test_a_puzzle_that_somebody_shared_is_found_by_its_number(world: World) -> None:
    page = await open_page(world, world.ben, "puzzle", number=17)
    assert "Puzzle no. 17\n" in page.text
    assert world.query("SELECT puzzle FROM puzzles_seen") == [(shipped_key(load().edition, 16),)]
    assert "There are 200 numbered puzzles" in private(await world.slash(world.ben, "puzzle", number=201))


async def test_a_finished_game_brings_a_puzzle_without_names(world: World) -> None:
    people = [world.anna, world.ben]
    await over(world, *people)
    await world.settle()
    ((game_id, move),) = world.query("SELECT game_id, move FROM puzzles")
    row = await world.row(game_id)
    found = not_none(await world.bot.derived.puzzle(row, move, world.click_of(world.chiara).asker))
    # One whose game can't be read any more, and a move that makes none, are passed over.
    for action in ("'{'", "action"):
        await over(world, *people)
        await world.settle()
        later = (await world.row()).id
        world.execute(
            "INSERT INTO puzzles VALUES (?, ?, 0) ON CONFLICT DO UPDATE SET move = 0", later, row.guild_id
        )
        world.execute(f"UPDATE moves SET action = {action} WHERE game_id = ?", later)
    page = await open_page(world, world.chiara, "puzzle")
    asked = page.message
    assert "Puzzle from a game in this server" in page.text
    await page.click(ids(asked)[found.usual])
    assert "played in the game" in page.text
    assert "Our own Tutto puzzle\n❌ not quite" in page.text
    assert not any(name in page.text for name in ("Anna", "Ben"))
    # Then come the shipped ones; the others have not seen it yet.
    await page.click("Next puzzle")
    assert "Puzzle no. " in page.text
    assert "from a game" in (await open_page(world, world.ben, "puzzle")).text
    await world.bot.store.erase(world.anna.id)
    assert "This puzzle is gone" in private(await world.forge(world.chiara, ids(asked)[0], page.message))
    assert "Puzzle no. " in (await open_page(world, world.person("Dora"), "puzzle")).text
    await world.bot.store.purge(world.guild.id)
    assert "This puzzle is gone" in private(await world.forge(world.chiara, ids(asked)[0], page.message))
