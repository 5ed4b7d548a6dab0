"""The daily game through Discord: played alone and resumed, its result, its lists, its dice when opened."""

from __future__ import annotations

from bot.daily.days import DAY_SECONDS, date_of, ends_at, opens_at
from bot.daily.record import SCHEMA, verify
from bot.records.verification import verify_line
from tests.cogs.test_standings import Page, open_page
from tests.support import screen
from tests.support.world import World, opened, private, said

MOST = 400


async def play(page: Page, most: int = MOST) -> str:
    """Press what a cautious person presses: stop where that is possible, else the first button."""
    for _ in range(most):
        ids = [one["custom_id"] for one in screen.buttons(page.message) if ":da.p." in one["custom_id"]]
        if not ids:
            return page.text
        stop = [one for one in ids if one.endswith(".s")]
        await page.click((stop or ids)[0])
    return page.text


async def test_a_game_alone_from_the_first_page_to_the_lists(world: World) -> None:
    page = await open_page(world, world.anna, "daily")
    assert "You have one try" in page.text
    await page.click("Begin")
    assert "of 6,000 points · turn 1" in page.text
    assert world.messages() == []  # nobody else sees any of it
    today = await open_page(world, world.ben, "daily")
    await today.click("Begin")
    ahead = await world.forge(world.ben, f"1:0:0:da.l.{world.bot.daily.today()}.h.0", today.message)
    assert "once you have finished" in private(ahead)
    # Anna goes on after a crash, with what she has chosen, and on another device.
    await play(page, 7)
    before = page.text
    await world.restart(crashed=True)
    page = await open_page(world, world.anna, "daily")
    assert page.text == before
    await play(page)
    assert "You reached 6,000 points in" in page.text
    assert "Par: with these dice" in page.text
    assert "1 of 1 in this server" in page.text
    assert "Streak: **1 day**" in page.text
    # The same result for who chooses alike.
    other = await play(await open_page(world, world.ben, "daily"))
    assert other.splitlines()[1:3] == page.text.splitlines()[1:3]
    assert "1 of 2 in this server" in other
    # Shared once, and it invites others.
    shown = page.message
    await page.click("Share here")
    await world.forge(world.anna, screen.button(shown, "Share here")["custom_id"], shown)
    (shared,) = [one for one in world.messages() if "Daily Tutto" in screen.text_of(one)]
    assert "**Anna** has played" in screen.text_of(shared)
    assert "one try" in private(await world.click(world.chiara, shared, "I’ll play too"))
    # The lists; on that of all stands who agrees.
    assert "**Ben**" in await page.click("Server list")
    assert "Nobody on this list" in await page.click("Global list")
    assert "**Anna**" in await page.click("Put me on the list")
    assert "Nobody on this list" in await page.click("Take me off the list")
    await page.click("Fair?")
    assert "when the day is over everywhere" in page.text
    assert world.query("SELECT secret FROM daily_days")[0][0].hex() not in page.text


async def test_a_double_click_and_a_second_device_change_nothing(world: World) -> None:
    page = await open_page(world, world.anna, "daily")
    await page.click("Begin")
    old = page.message
    token = next(one["custom_id"] for one in screen.buttons(old) if ":da.p." in one["custom_id"])
    first = world.send(world.anna, old, token)
    second = world.send(world.anna, old, token)
    world.deliver_again(first)
    await world.settle()
    assert world.query("SELECT made FROM daily_plays") == [(1,)]
    assert "turn 1" in page.text
    other = await open_page(world, world.anna, "daily")
    await play(other, 3)
    (made,) = world.query("SELECT made FROM daily_plays")
    # The first device is brought up to date by a click on what it still shows.
    await world.forge(world.anna, token, page.message)
    assert page.text == other.text
    assert world.query("SELECT made FROM daily_plays") == [made]
    assert said(first) == said(second)
    for forged in (
        "da",
        "da.p",
        "da.p.x.0.t",
        "da.p.1.0.t",
        "da.l.1.x.0",
        "da.g.99999999",
        f"da.b.{1 << 60}",
    ):
        assert private(await world.forge(world.anna, f"1:0:0:{forged}", page.message))


async def test_a_day_that_is_over_is_finished_and_then_opened(world: World) -> None:
    day = world.bot.daily.today()
    page = await open_page(world, world.anna, "daily")
    await page.click("Begin")
    await play(page, 3)
    await world.later(ends_at(day) - world.bot.sessions.now() + 60)
    page = await open_page(world, world.anna, "daily")
    assert "one try" in page.text  # a new day
    finish = next(one for one in page.labels if one and one.startswith("Finish "))
    await page.click(finish)
    assert "You reached" in await play(page)
    assert "Streak: **1 day**" in page.text
    assert "**Anna**" in await page.click("Server list")
    await page.click("Fair?")
    secret = world.query("SELECT secret FROM daily_days WHERE day = ?", day)[0][0].hex()
    assert secret not in page.text
    assert "Record" not in page.labels
    record = f"1:0:0:da.r.{day}"
    assert "are revealed <t:" in private(await world.forge(world.anna, record, page.message))
    assert world.bot.sessions.now() < opens_at(day) < world.bot.sessions.now() + DAY_SECONDS
    await world.later(opens_at(day) - world.bot.sessions.now() + 1)
    page = await open_page(world, world.anna, "daily")
    await page.click("← Day before")
    await page.click("Fair?")
    assert secret in page.text
    # The record goes to those who played, and is what the result said.
    await page.click("Record")
    name, text = await opened(world, page.last)
    found = verify_line(text.decode(), {SCHEMA: verify})
    assert name == f"daily-{date_of(day)}.jsonl"
    assert world.query("SELECT made, turns FROM daily_plays") == [(found.moves, found.turns)]
    other = await open_page(world, world.ben, "daily")
    await other.click("← Day before")
    await other.click("Fair?")
    assert secret in other.text
    assert "Record" not in other.labels
    assert "You have no game on that day" in private(await world.forge(world.ben, record, other.message))


async def test_deleting_a_persons_data_deletes_their_daily_games(world: World) -> None:
    page = await open_page(world, world.anna, "daily")
    await page.click("Begin")
    old = page.message
    await world.bot.store.erase(world.anna.id)
    token = next(one["custom_id"] for one in screen.buttons(old) if ":da.p." in one["custom_id"])
    assert "You have no game on that day" in private(await world.forge(world.anna, token, old))
    assert world.count("daily_plays") == world.count("daily_servers") == 0
