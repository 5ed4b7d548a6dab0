"""The leaderboard: pages, ties, present names, never an id."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.discordpy.membership import KnownMembers
from bot.store.base import FINISHED, Change
from tests.support.rows import a_game, a_result
from tests.support.world import World, private, said


@pytest.fixture(autouse=True)
def _all_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """The people of these lists are made up; nobody asks whether they are still in the server."""

    async def nobody_knows(*args: Any) -> None:
        return None

    monkeypatch.setattr(KnownMembers, "present", nobody_knows)


async def finished(world: World, *users: int, number: int = 1) -> None:
    """A finished game in the guild; the users are given best first, and the same place is shared by none."""
    store = world.bot.store
    channel = 1_000_000 + world.count("games")
    row = await store.create(a_game(channel, *users, guild_id=world.guild.id), None)
    results = [
        a_result(seat, user, place=seat + 1, score=1000 - seat, best_turn=500 + user % 97)
        for seat, user in enumerate(users)
    ]
    over = replace(row, status=FINISHED, version=row.version + 1, updated_at=1000.0 + number)
    await store.commit(Change(over, row.version, None, results=results))
    await store.mark_shown(replace(over, message_id=1, shown_version=over.version), urgent=False)


async def crowd(world: World, people: int) -> None:
    """Many people who were never seen in this channel; the first has won most."""
    for user in range(1, people + 1):
        await world.bot.store.note_member(world.guild.id, 5000 + user, f"Player {user}")
        for number in range(max(1, 4 - user // 5)):
            await finished(world, 5000 + user, 9000 + user, number=number)
    await world.written()


async def test_ten_to_a_page_with_buttons_that_anybody_may_turn(world: World) -> None:
    await crowd(world, 12)  # and as many opponents
    await world.slash(world.anna, "leaderboard")
    first = world.text()
    assert "Page 1 of 3" in first
    assert first.count("Player") + first.count("somebody") == 10
    assert "← Previous" not in world.labels()
    await world.press(world.chiara, "Next")
    assert "Page 2 of 3" in world.text()
    await world.press(world.ben, "Next")
    assert "Page 3 of 3" in world.text()
    assert "Next →" not in world.labels()
    await world.press(world.ben, "← Previous")
    await world.press(world.ben, "← Previous")
    assert world.text() == first


async def test_ties_share_a_place_and_keep_their_order(world: World) -> None:
    for user in (301, 302, 303):
        await world.bot.store.note_member(world.guild.id, user, f"Tied {user}")
        await finished(world, user, 400)
    await world.bot.store.note_member(world.guild.id, 400, "Last")
    await world.written()
    shown = said(await world.slash(world.anna, "leaderboard", sort="wins"))
    places = [line.split("**")[0].strip() for line in shown.splitlines() if "Tied" in line or "Last" in line]
    assert places == ["1\\.", "1\\.", "1\\.", "4\\."]
    for _ in range(3):
        assert said(await world.slash(world.anna, "leaderboard", sort="wins")) == shown


async def test_names_are_text_and_ids_are_never_shown(world: World) -> None:
    """Markdown, spoilers, mentions and links in names show as they were typed; nobody's number is shown."""
    names = {
        7001: "||spoiler||",
        7002: "```code```",
        7003: f"<@{world.anna.id}>",
        7004: "@everyone",
        7005: "# head **bold** _it_ ~~no~~",
        7006: "[link](https://example.com)",
        7007: "> quote",
        7008: "1. list - `x`",
    }
    for user, name in names.items():
        await world.bot.store.note_member(world.guild.id, user, name)
        await finished(world, user, 7999)
    await world.bot.store.note_member(world.guild.id, 7999, "")  # a name of which nothing can be shown
    await world.written()
    result = await world.slash(world.anna, "leaderboard", sort="wins")
    text = said(result)
    for raw in ("||spoiler||", "```code", f"<@{world.anna.id}>", "[link](", "~~no~~"):
        assert raw not in text
    assert "\\|\\|spoiler\\|\\|" in text
    assert "somebody" in text
    for user in (*names, 7999):
        assert str(user) not in text
    table = world.table()
    assert not table["mentions"]
    assert not table["mention_everyone"]


async def test_a_leaderboard_is_of_its_server(world: World) -> None:
    await crowd(world, 2)
    other = world.env.create_guild("Other")
    channel = other.create_text_channel("elsewhere")
    dora = world.person("Dora", guild=other)
    assert "Nobody has finished" in said(await world.slash(dora, "leaderboard", channel))


async def test_pages_work_for_ever_and_after_restarts(world: World) -> None:
    await crowd(world, 12)
    await world.slash(world.anna, "leaderboard")
    table = world.table()
    world.env.backend.advance_clock(40 * 86_400.0)
    await world.restart()
    await world.click(world.ben, table, "Next")
    assert "Page 2 of 3" in world.text()


async def test_a_page_that_can_not_be_turned_comes_as_a_message_of_its_own(world: World) -> None:
    await crowd(world, 12)
    await world.slash(world.anna, "leaderboard")
    world.tries = 5
    world.fail("POST", "/interactions/*/callback", 404, 10008, times=2)
    assert "Page 2 of 3" in private(await world.press(world.ben, "Next →"))
    assert "Page 1 of 3" in world.text()
    world.fail("POST", "/interactions/*/callback", 404, 10008, times=4)
    assert "did not accept my answer" in private(await world.press(world.ben, "Next →"))
    await world.press(world.ben, "Next →")
    assert "Page 2 of 3" in world.text()


async def test_the_longest_page_fits_into_a_message(world: World) -> None:
    """Ten names of 32 characters that each need escaping, and large numbers."""
    for user in range(1, 31):
        await world.bot.store.note_member(
            world.guild.id, 5000 + user, "*_~`|>#-[]()<:@!+=.*_~`|>#-[]()<"[:32]
        )
        await finished(world, 5000 + user, 9000 + user)
    await world.written()
    result = await world.slash(world.anna, "leaderboard")
    assert len(said(result)) <= 4000
    assert not private(result)


async def test_games_against_ais_have_a_board_of_their_own(world: World) -> None:
    await crowd(world, 3)
    result = await world.slash(world.anna, "leaderboard", against="ai", sort="rating")
    assert "Against AIs" in said(result)
    assert "Player" not in said(result)
    assert "Rating" not in world.labels()
    await world.press(world.ben, "Against people")
    assert "Player" in world.text()
    assert "Rating" in world.labels()
