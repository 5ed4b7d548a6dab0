"""Situations in which other bots failed and that fit nowhere else; docs/situations.md lists all."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from typing import Any

import discord
import pytest

from bot.store.base import ABORTED, FINISHED, LIVE, LOBBY
from bot.store.sqlite.store import SqliteStore
from tests.support import screen
from tests.support.threads import thread
from tests.support.world import TURN, World, private, said


async def test_one_dispatcher_answers_a_click(world: World) -> None:
    """No view is kept, so the library has nothing to call; the bot's one listener answers, once."""
    await world.begin(world.anna, world.ben)
    result = await world.press(world.anna, TURN)
    tries = world.requests("POST", f"{result._interaction.token}/callback")
    assert len(tries) == 1
    listeners = world.bot.extra_events["on_interaction"]
    assert len(listeners) == 1
    store = world.bot._connection._view_store
    assert not store._views
    assert not store._dynamic_items
    assert not store._synced_message_views


async def test_a_table_that_was_announced_late_is_edited_after_a_quarter_of_an_hour(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command was answered with "thinking…" first; its token dies after 15 minutes, the table doesn't."""
    create = SqliteStore.create

    async def slow(store: SqliteStore, *args: Any) -> Any:
        await asyncio.sleep(2)
        return await create(store, *args)

    with monkeypatch.context() as patch:
        patch.setattr(SqliteStore, "create", slow)
        world.send_slash(world.anna, "tutto start", target=1000)
        await world.later(3)
    table = world.table()
    await world.later(20 * 60)
    for who in (world.ben, world.chiara):
        await world.click(who, table, "Join")
    await world.confirmed(world.chiara, "tutto leave")  # a paint without a click on the table
    assert "2\\. Ben" in world.text()
    assert "Chiara" not in world.text()
    assert world.table()["id"] == table["id"]


async def test_people_may_play_in_many_channels_at_once(world: World) -> None:
    """People play in as many channels as they like, so nothing can keep them from the next game."""
    channels = [world.guild.create_text_channel(f"table-{number}") for number in range(3)]
    for channel in channels:
        await world.begin(world.anna, world.ben, channel=channel)
    world.env.backend.delete_channel(channels[0].id)
    await world.lobby(world.anna, world.ben)
    assert (await world.row()).status == LOBBY
    for channel in channels[1:]:
        assert (await world.row(channel=channel)).status == LIVE


@pytest.mark.parametrize("phase", ["nothing", "lobby", "game", "game of others", "over", "ended"])
async def test_every_command_in_every_phase(world: World, phase: str) -> None:
    """Each command works or says why it can't; none fails."""
    people = [world.anna, world.ben]
    match phase:
        case "lobby":
            await world.lobby(*people)
        case "game":
            await world.begin(*people)
        case "game of others":
            await world.begin(world.ben, world.chiara)
        case "over":
            await world.begin(*people)
            await world.play()
        case "ended":
            await world.lobby(*people)
            await world.press(world.anna, "Close the table")
    count = world.count("games")
    await world.written()
    before = await world.bot.store.latest_game(world.channel.id)
    running = before is not None and before.status in (LOBBY, LIVE)
    for command in ("leave", "end"):
        result = await world.slash(world.anna, f"tutto {command}")
        assert private(result)
        after = await world.bot.store.latest_game(world.channel.id)
        assert after == before  # both ask first
        if not running:
            assert "There is no game in this channel" in private(result)
    for command in ("tutto rules", "leaderboard"):
        assert (await world.slash(world.anna, command)).response is not None
    shown = await world.slash(world.anna, "tutto show")
    assert bool(private(shown)) != running
    started = await world.slash(world.anna, "tutto start", target=1000)
    assert ("already has a game" in private(started)) == running
    assert world.count("games") == count + (not running)


async def test_nothing_is_sent_by_direct_message(world: World) -> None:
    await world.begin(world.anna, world.ben)
    await world.later(400)
    await world.play()
    assert not [request for request in world.env.http_requests if request.path == "/users/@me/channels"]
    assert world.env.backend.dm_channels == {}


async def test_refusals_do_not_pile_up(world: World) -> None:
    """Discord counts refused requests towards a ban: a hidden channel is tried seldom, not all the time."""
    await world.begin(world.anna, world.ben, target=10_000)
    world.deny("view_channel", "send_messages")
    made = len(world.env.http_requests)
    await world.later(3600)
    tried = [one for one in world.env.http_requests[made:] if "/channels/" in one.path]
    assert len(tried) <= 40
    assert (await world.row()).status == LIVE
    world.deny()
    await world.slash(world.anna, "tutto show")
    assert await world.is_shown()


@pytest.mark.parametrize(("status", "code"), [(400, 50083), (403, 50001), (400, 160005)])
async def test_a_thread_that_was_closed_holds_nothing_up(world: World, status: int, code: int) -> None:
    """Archived or locked between the click and the edit: the move counts, and the table is shown later."""
    channel = thread(world)
    table = await world.begin(world.anna, world.ben, channel=channel)
    row = await world.row(channel=channel)
    world.fail("*", "/channels/*", status, code, times=None)
    world.fail("POST", "/interactions/*/callback", status, code)
    world.tries = 2
    result = await world.click_seen(world.anna, table, TURN)
    assert result.acknowledged
    assert len(await world.bot.store.moves(row.id)) == 1
    world.heal()
    await world.slash(world.anna, "tutto show", channel)
    assert await world.is_shown(channel=channel)


async def test_no_message_has_an_embed(world: World) -> None:
    await world.begin(world.anna, world.ben)
    await world.play()
    await world.slash(world.anna, "leaderboard")
    await world.slash(world.anna, "tutto rules")
    for messages in world.env.backend.messages.values():
        for message in messages.values():
            assert not message.embeds
            assert not message.content
            assert message.flags & screen.COMPONENTS_V2


async def test_people_with_a_blank_name_are_called_by_their_username(world: World) -> None:
    """Discord takes names of characters that show nothing; sentences about such people must name them."""
    manage = discord.Permissions(manage_messages=True)
    blank, other = world.person("\u3164", permissions=manage), world.person("\u2800")
    await world.begin(world.anna, blank, other)
    people = re.findall(r"👤 (\S+) ·", world.text())
    assert people == [blank.name, other.name]
    asked = await world.slash(world.anna, "tutto remove", member=other)
    assert private(asked).startswith(f"Remove {other.name} from")
    given = await world.slash(world.anna, "tutto handover", member=other)
    assert private(given).startswith(f"{other.name}’s seat")
    assert private(await world.slash(blank, "stats")).startswith(f"{blank.name} has not finished")
    ended = await world.confirmed(blank, "tutto end")
    assert f"{blank.name}, who has Manage Messages here" in said(ended)


async def test_names_that_are_markdown_stay_names_on_the_table(world: World) -> None:
    people = [world.person(name) for name in ("||secret||", "```code", "**bold** _it_")]
    await world.begin(*people)
    for _ in range(8):
        if await world.mover() is None:
            break
        await world.step()
    text = world.text()
    assert "\\|\\|secret\\|\\|" in text
    bare = re.sub(r"\\.", "", text)  # without all that is escaped
    assert "secret" in bare
    for raw in ("||", "```", "_it_", "****"):
        assert raw not in bare


async def test_a_game_that_ends_is_over_for_everybody(world: World) -> None:
    """Finished, aborted, or its channel deleted: no game stays active, and no deadline is left."""
    people = [world.anna, world.ben]
    await world.begin(*people)
    await world.play()
    await world.lobby(*people)
    await world.press(world.anna, "Close the table")
    rows = world.query("SELECT status, deadline, ai_to_move FROM games")
    assert rows == [(FINISHED, None, 0), (ABORTED, None, 0)]


async def test_every_number_of_a_command_has_bounds(world: World) -> None:
    """All other limits of commands are checked with every request; see tests/support/contract."""

    def options(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
        for option in part.get("options") or []:
            yield option
            yield from options(option)

    integer = discord.AppCommandOptionType.integer.value
    commands = [one for scope in world.env.backend.commands.values() for one in scope.values()]
    numbers = [one for command in commands for one in options(command) if one["type"] == integer]
    assert numbers
    for one in numbers:
        bounds = "min_value" in one and "max_value" in one
        assert bounds or one.get("choices") or one.get("autocomplete"), one["name"]
