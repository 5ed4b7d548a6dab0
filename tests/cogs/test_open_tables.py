"""The lists of open tables: what they show, to whom, and their buttons."""

from __future__ import annotations

from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType

from bot.screens.open_tables import PAGE
from tests.cogs.test_new_table import choose, threads
from tests.cogs.test_standings import open_page
from tests.support import threads as a_thread
from tests.support.world import World, private


async def test_the_tables_of_a_server_can_be_joined_and_watched(world: World) -> None:
    assert "no open table" in private(await world.slash(world.anna, "tables"))
    await world.lobby(world.anna)
    played = world.guild.create_text_channel("other")
    await world.begin(world.anna, world.ben, channel=played)
    page = await open_page(world, world.chiara, "tables")
    assert f"in <#{world.channel.id}>" in page.text
    assert "Anna · 1 of 10 seats taken" in page.text
    assert "Anna, Ben · Anna’s turn" in page.text
    assert f"[Watch](https://discord.com/channels/{world.guild.id}/{played.id}/" in page.text
    assert page.labels.count("Join") == 1
    shown = page.message
    joined = await world.click(world.chiara, shown, "Join")
    assert f"/{world.channel.id}/" in private(joined)
    assert len((await world.row()).seats) == 2
    assert "Chiara" in world.text()
    again = await world.click(world.chiara, shown, "Join")
    assert "already" in private(again)
    assert "Join" not in (await open_page(world, world.chiara, "tables")).labels
    # Whoever hides from lists is not named on this one.
    await world.bot.store.set_unlisted(world.guild.id, world.anna.id, "Anna", True)
    assert "Anna" not in (await open_page(world, world.chiara, "tables")).text


async def test_only_tables_that_a_person_can_see_are_listed(world: World) -> None:
    hidden = world.guild.create_text_channel("hidden")
    deny = Overwrite(target_id=world.chiara.id, type=OverwriteType.MEMBER, allow=0, deny=1 << 10)
    world.env.backend.set_overwrite(hidden.id, deny)
    await world.lobby(world.anna, channel=hidden)
    secret = a_thread.thread(world, private=True)
    await world.lobby(world.ben, channel=secret)
    archived = a_thread.thread(world)
    await world.begin(world.anna, world.ben, channel=archived)
    await a_thread.change(world, archived, archived=True)
    await world.settle()
    assert "no open table" in private(await world.slash(world.chiara, "tables"))
    anna = (await open_page(world, world.anna, "tables")).text
    assert all(f"<#{one.id}>" in anna for one in (hidden, archived))
    assert f"<#{secret.id}>" not in anna
    # An id that was guessed opens no door.
    row = await world.row(channel=hidden)
    page = await open_page(world, world.chiara, "tables")
    for forged in (f"tb.j.{row.id:x}", "tb", "tb.j.x", "tb.s.x", "tb.q.1", "tb.j.fffff"):
        assert private(await world.forge(world.chiara, f"1:0:0:{forged}", page.message))
    assert len((await world.row(channel=hidden)).seats) == 1


async def test_a_table_of_a_game_that_the_bot_no_longer_has_hides_no_other(world: World) -> None:
    await world.lobby(world.anna)
    await world.lobby(world.anna, channel=world.guild.create_text_channel("other"))
    await world.written()
    world.execute("UPDATE games SET game = 'gone' WHERE id = (SELECT max(id) FROM games)")
    await world.restart()
    for command in ("tables", "mygames"):
        text = (await open_page(world, world.anna, command)).text
        assert text.count("https://discord.com/channels/") == 1


async def test_many_tables_have_pages(world: World) -> None:
    await choose(world, "thread")
    for host in world.people(PAGE + 1):
        await world.slash(host, "tutto start")
    page = await open_page(world, world.ben, "tables")
    assert page.text.count("[Watch]") == PAGE
    await page.click("Next →")
    assert page.text.count("[Watch]") == 1
    assert f"<#{threads(world)[0].id}>" in page.text


async def test_my_games_of_all_servers(world: World) -> None:
    assert "not in any game right now" in private(await world.slash(world.anna, "mygames"))
    await world.lobby(world.anna, world.ben)
    elsewhere = world.env.create_guild("Elsewhere")
    away = elsewhere.create_text_channel("dice")
    anna = elsewhere.add_member(world.anna.user)
    ben = elsewhere.add_member(world.ben.user)
    await anna.slash(away, "tutto start")
    await world.press(ben, "Join", away)
    await world.press(anna, "Start the game", away)
    mine = private(await world.slash(world.anna, "mygames"))
    assert mine.index("**Tutto** in Elsewhere") < mine.index("2 of 10 seats taken")
    assert "**It’s your turn.** The bot plays it for you <t:" in mine
    assert f"[Open the table](https://discord.com/channels/{elsewhere.id}/{away.id}/" in mine
    assert "Anna’s turn" in private(await world.slash(world.ben, "mygames"))
