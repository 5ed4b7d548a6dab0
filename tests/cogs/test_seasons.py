"""Seasons in Discord: a month that is over, its card, and the boards of past months."""

from __future__ import annotations

import discord

from bot.services.seasons import FIRST_SECONDS, GRACE_SECONDS, ROUND_SECONDS, SeasonCloser
from bot.standings.seasons import month_at, starts_at
from tests.cogs.test_standings import boss, open_page
from tests.store.standings.test_standings import end
from tests.support import screen
from tests.support.screen import Message
from tests.support.values import not_none
from tests.support.world import World, private


async def play(world: World, month: int) -> None:
    """Let Anna win twice and Ben once in a month."""
    pairs = [(world.anna, world.ben), (world.anna, world.chiara), (world.ben, world.anna)]
    for winner, loser in pairs:
        await end(world.bot.store, winner.id, loser.id, guild_id=world.guild.id, at=starts_at(month) + 5)
    for name, one in zip(("Anna", "Ben", "Chiara"), (world.anna, world.ben, world.chiara), strict=True):
        await world.bot.store.note_member(world.guild.id, one.id, name)
    await world.written()
    world.execute("UPDATE games SET shown_version = version")


async def board(world: World) -> str:
    """Return the board of the latest season."""
    await world.slash(world.ben, "leaderboard", period="seasons")
    return screen.text_of(world.table())


def cards(world: World) -> list[Message]:
    return [one for one in world.messages() if "🏆" in screen.text_of(one)]


async def test_a_month_ends_with_a_card_and_stays_on_its_board(world: World) -> None:
    assert "No past season of this game" in await board(world)
    page = await open_page(world, await boss(world), "settings")
    await page.change("people", seasons=[world.channel])
    assert f"**Season results** · <#{world.channel.id}>" in page.text
    last = month_at(world.bot.sessions.now()) - 2
    for month in (last - 3, last):
        await play(world, month)
    await world.restart(crashed=True)
    await world.later(FIRST_SECONDS + 1)
    assert world.count("season_lines") == 0  # nobody has clicked yet, so what time is it?
    assert "No past season of this game" in await board(world)
    await world.later(ROUND_SECONDS)
    (card,) = cards(world)
    assert "🥇 **Anna** · 2 wins in 3 games" in screen.text_of(card)
    assert "🥈 **Ben** · 1 win in 2 games" in screen.text_of(card)
    assert world.requests("GET", "/messages") == []  # no message is read
    sent = [one for one in world.requests("POST", "/messages") if one.json.get("nonce", "").startswith("sn.")]
    assert [one.json["allowed_mentions"]["parse"] for one in sent] == [[]]
    assert "🥇 **Anna**" in private(await world.click(world.chiara, card, "Tutto: leaderboard"))
    assert len(cards(world)) == 1
    # Neither a restart nor any number of rounds posts it again.
    await world.restart(crashed=True)
    await board(world)
    await world.later(FIRST_SECONDS + ROUND_SECONDS)
    await world.bot.seasons.round()
    assert len(cards(world)) == 1
    await world.bot.store.erase(world.anna.id)
    assert "🥇 **somebody** · 2 wins in 3 games" in await board(world)
    (older,) = [one for one in screen.labels(world.table()) if one and one.startswith("← ")]
    await world.click(world.ben, world.table(), older)
    assert "🥈 **Ben**" in screen.text_of(world.table())
    await world.click(world.ben, world.table(), "This month")
    assert "Against people · This month" in screen.text_of(world.table())
    await world.click(world.ben, world.table(), "Past seasons")
    assert "🥈 **Ben**" in screen.text_of(world.table())
    for forged in ("sn", "sn.chess", "sn.tutto.x", "sn.tutto.99999"):
        assert private(await world.forge(world.ben, f"1:0:0:{forged}", world.table()))


async def test_a_card_is_not_offered_to_forums_which_take_no_messages(world: World) -> None:
    page = await open_page(world, await boss(world), "settings")
    form = not_none((await page.form("people")).modal)
    controls = [label["component"] for label in form["components"]]
    types = {one["custom_id"]: one["channel_types"] for one in controls if "channel_types" in one}
    assert set(types) == {"channels", "seasons"}
    assert set(types["channels"]) - set(types["seasons"]) == {discord.ChannelType.forum.value}


async def test_a_card_that_can_not_be_posted_is_told_and_not_tried_again(world: World) -> None:
    page = await open_page(world, await boss(world), "settings")
    await page.change("people", seasons=[world.channel])
    await play(world, month_at(world.bot.sessions.now()) - 2)
    world.fail("POST", "/channels/*/messages", 403, 50013, times=None)
    for _ in range(3):
        await world.bot.seasons.round()
    assert len(world.requests("POST", f"/channels/{world.channel.id}/messages")) == 1
    page = await open_page(world, page.who, "settings")
    assert "couldn’t post the season results" in page.text
    world.heal()
    await world.bot.seasons.round()
    assert not cards(world)
    assert "🥇 **Anna**" in await board(world)


async def test_a_month_is_closed_when_it_is_over_and_without_a_channel_there_is_no_card(world: World) -> None:
    month = month_at(world.bot.sessions.now())
    await play(world, month)
    over = starts_at(month + 1)
    now = over + GRACE_SECONDS - 1
    closer = SeasonCloser(world.bot.store, world.bot.servers, lambda: now, lambda: True, world.bot._announce)
    await closer.round()
    assert world.count("season_lines") == 0
    now += 1
    await closer.round()
    assert world.query("SELECT through, card FROM seasons") == [(month, None)]
    assert not cards(world)
    assert "🥇 **Anna**" in await board(world)
