"""Absent people: reminders, turns played for them, votes, coming back, leaving the server."""

from __future__ import annotations

from dataclasses import replace

import discord
import pytest
from simcord import MemberActor
from simcord.backend import serializers

from bot.screens.button_ids import VOTE, ButtonId
from bot.store.base import ABORTED, LIVE, LOBBY, Change, Conflict
from bot.store.guild_settings import TURN_SECONDS
from bot.store.sqlite.store import SqliteStore
from tests.support import screen
from tests.support.values import not_none
from tests.support.world import TURN, World, private, reply


def pinged(message: screen.Message) -> list[int]:
    return [int(user["id"]) for user in message["mentions"]]


async def vote(world: World, who: MemberActor) -> str:
    return private(await world.press_more(who, VOTE))


async def vote_unasked(world: World, who: MemberActor) -> str:
    """Vote with the id of a button that this person's page does not have."""
    row = await world.row()
    vote_id = str(ButtonId(row.id, row.version, VOTE))
    return private(await world.click_seen(who, world.table(), custom_id=vote_id))


async def test_half_way_the_player_is_called_once_more(world: World) -> None:
    table = await world.begin(world.anna, world.ben)
    await world.later(290)
    assert world.table()["id"] == table["id"]
    await world.later(15)
    new = world.table()
    assert new["id"] != table["id"]
    assert pinged(new) == [world.anna.id]
    assert not screen.buttons(world.message(table["id"]))
    await world.later(200)
    assert world.table()["id"] == new["id"]  # once
    await world.press(world.anna, TURN)  # and the click still counts
    assert len(await world.log()) == 1


@pytest.mark.parametrize("restart", ["no", "while waiting", "while it passes"])
async def test_deadlines_survive_a_restart_and_are_kept_once(world: World, restart: str) -> None:
    await world.begin(world.anna, world.ben)
    await world.later(400)  # past the reminder
    posted = len(world.messages())
    if restart == "while waiting":
        await world.restart(crashed=True)
    if restart == "while it passes":
        world.env.backend.advance_clock(300.0)
        await world.restart(crashed=True)
    if restart == "while it passes":
        # Anna could not click while the bot was away: she is called again and gets half of her time.
        assert pinged(world.table()) == [world.anna.id]
        assert len(world.messages()) == posted + 1
        posted += 1
        await world.later(250)
        assert (await world.state()).finished == 0
    await world.later(250)
    assert (await world.state()).finished == 1
    assert len(world.messages()) == posted + 1  # Ben is called once


async def test_all_who_missed_deadlines_while_the_bot_was_away_are_called_first(world: World) -> None:
    places = [
        world.channel,
        world.guild.create_text_channel("more"),
        world.guild.create_text_channel("still"),
    ]
    for channel in places:
        await world.begin(world.anna, world.ben, channel=channel)
    world.env.backend.advance_clock(7200.0)
    await world.restart(crashed=True)
    await world.settle()
    for channel in places:
        assert pinged(world.table(channel)) == [world.anna.id]
    await world.later(290)
    for channel in places:
        assert (await world.row(channel=channel)).missed == (0, 0)
    await world.press(world.anna, TURN)
    await world.later(20)
    assert [(await world.row(channel=channel)).missed for channel in places] == [(0, 0), (1, 0), (1, 0)]


async def test_after_two_missed_turns_the_seat_goes_by_itself_until_they_are_back(world: World) -> None:
    await world.begin(world.anna, world.ben, target=3000)
    for _ in range(2):
        await world.later(610)  # Anna does nothing
        if await world.mover() is world.ben:
            await world.finish_turn()
    assert "💤 Anna" in world.text()
    assert await world.mover() is world.ben
    assert (await world.row()).missed == (2, 0)
    early = await world.press(world.ben, "I’m back")
    assert "not marked as away" in private(early)
    await world.press(world.anna, "I’m back")
    assert (await world.row()).missed == (0, 0)
    assert "💤" not in world.text()
    await world.finish_turn()
    assert await world.mover() is world.anna


async def test_while_everybody_is_away_the_game_stands_still(world: World) -> None:
    await world.begin(world.anna, world.ben, target=50_000)
    await world.later(610 * 5)
    moves = len(await world.log())
    assert (await world.row()).missed == (2, 2)
    assert "and so is everyone else" in world.text()
    await world.later(7_200)
    assert len(await world.log()) == moves
    who = world.ben
    await world.press(who, "I’m back")
    assert (await world.row()).missed[1] == 0
    assert (await world.row()).status == LIVE


async def test_a_game_that_nobody_touches_ends_without_a_result(world: World) -> None:
    await world.begin(world.anna, world.ben, target=50_000)
    await world.later(610 * 5)
    world.env.backend.advance_clock(14 * 86_400.0)
    await world.restart()
    assert (await world.row()).status == ABORTED
    assert "Nobody has played for 14 days" in screen.text_of(world.messages()[-1])
    assert world.count("results") == 0


async def test_the_others_vote_to_have_an_idle_turn_played(world: World) -> None:
    await world.begin(world.anna, world.ben, world.chiara)
    assert "you can vote in" in await vote(world, world.ben)
    assert "It’s your turn" in await vote_unasked(world, world.anna)
    await world.later(61)
    assert "not in this game" in await vote_unasked(world, world.person("Dora"))
    await vote(world, world.ben)
    assert "Votes to stop waiting: 1 of 2" in world.text()
    assert "1 more vote is needed" in await vote(world, world.ben)
    version = (await world.row()).version
    await vote(world, world.chiara)
    assert (await world.row()).version > version
    assert (await world.state()).finished == 1
    assert await world.mover() is world.ben
    assert "Votes to stop waiting" not in world.text()


async def test_the_deciding_vote_and_the_players_click_in_one_tick(world: World) -> None:
    """The first commit wins; the other person learns that the turn is over, or that the player is back."""
    for first in ("vote", "click"):
        channel = world.guild.create_text_channel(first)
        table = await world.begin(world.anna, world.ben, channel=channel)
        await world.later(61)
        row = await world.row(channel=channel)
        votes = str(ButtonId(row.id, row.version, VOTE))
        turn = world.tokens(channel)["t"]
        order = [(world.ben, votes), (world.anna, turn)]
        for who, custom_id in order if first == "vote" else order[::-1]:
            world.send(who, table, custom_id=custom_id)
        await world.settle()
        moves = await world.bot.store.moves(row.id)
        assert {move.seat for move in moves} == {0}
        after = await world.row(channel=channel)
        assert after.votes == ()
        assert after.shown_version == after.version


async def test_the_click_and_the_deadline_in_one_tick_play_the_turn_once(world: World) -> None:
    await world.begin(world.anna, world.ben)
    await world.later(599.9)
    world.send(world.anna, world.table(), TURN)
    await world.later(1)
    log = await world.log()
    assert len([move for move in log if move[2] == {"type": "turn_card"}]) == 1
    assert (await world.row()).missed == (0, 0)


async def test_leaving_the_server_is_leaving_the_game(world: World) -> None:
    await world.begin(world.anna, world.ben, world.chiara)
    world.guild.remove_member(world.anna)
    await world.later(310)
    assert (await world.state()).left == (0,)
    assert await world.mover() is world.ben
    assert (await world.row()).host_id == world.ben.id


async def test_nobody_leaves_while_discord_does_not_say_who_is_in_the_server(world: World) -> None:
    await world.begin(world.anna, world.ben)
    world.fail("GET", "/guilds/*/members/*", 500, times=None)
    await world.later(310)
    assert (await world.state()).left == ()
    assert (await world.row()).reminded


async def test_the_limit_is_chosen_in_the_lobby(world: World) -> None:
    await world.lobby(world.anna, world.ben)
    assert "Turn limit: 10 minutes" in world.text()
    assert "Only the host, " in private(await world.press(world.ben, "Options"))
    seen = set()
    for seconds in TURN_SECONDS:
        await world.set_options(world.anna, turn_seconds=str(seconds))
        seen.add(next(line for line in world.text().splitlines() if "limit" in line))
    assert len(seen) == len(TURN_SECONDS) == 7
    assert "No turn limit" in seen
    await world.set_options(world.anna, turn_seconds="0")
    await world.press(world.anna, "Start the game")
    await world.later(5 * 86_400)
    assert await world.log() == []
    await world.press(world.anna, TURN)
    assert len(await world.log()) == 1


async def test_a_hidden_channel_does_not_stop_the_timers(world: World) -> None:
    """Discord answers 50001 when somebody is called; the turn is still played at its deadline."""
    await world.begin(world.anna, world.ben)
    world.deny("view_channel")
    await world.later(650)
    assert (await world.state()).finished == 1
    world.deny()
    await world.slash(world.ben, "tutto show")
    await world.finish_turn()
    assert (await world.state()).finished == 2


async def test_a_deadline_that_another_process_has_kept_is_no_error(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The game has moved on between reading and writing; what is still due is done in the next round."""
    await world.begin(world.anna, world.ben)
    commit = SqliteStore.commit
    conflicts: list[int] = []

    async def overtaken(store: SqliteStore, change: Change) -> None:
        if not conflicts:
            conflicts.append(change.row.id)
            raise Conflict
        await commit(store, change)

    monkeypatch.setattr(SqliteStore, "commit", overtaken)
    await world.later(330)
    assert len(conflicts) == 1
    await world.later(60)
    assert (await world.row()).reminded
    await world.later(400)
    assert (await world.state()).finished == 1


# People who have left the server.


@pytest.mark.parametrize("button", ["Start the game", "Close the table", "Options"])
async def test_a_lobby_gets_a_new_host_if_its_host_left_the_server(world: World, button: str) -> None:
    await world.lobby(world.anna, world.ben, world.chiara)
    world.guild.remove_member(world.anna)
    stranger = await world.press(world.person("Dora"), button)
    assert private(stranger)
    assert (await world.row()).host_id == world.anna.id
    await world.press(world.chiara, button)
    row = await world.row()
    assert row.host_id == world.chiara.id
    assert [seat.user_id for seat in row.seats] == [world.ben.id, world.chiara.id]
    assert row.status == {"Start the game": LIVE, "Close the table": ABORTED}.get(button, LOBBY)


async def test_a_host_who_is_there_stays_the_host(world: World) -> None:
    await world.lobby(world.anna, world.ben)
    assert "Only" in private(await world.press(world.ben, "Start the game"))
    world.guild.remove_member(world.anna)
    world.fail("GET", "/guilds/*/members/*", 500, times=None)
    assert "Only" in private(await world.press(world.ben, "Start the game"))
    assert (await world.row()).host_id == world.anna.id


async def test_a_player_may_end_the_game_of_a_host_who_left_the_server(world: World) -> None:
    await world.begin(world.anna, world.ben, world.chiara)
    world.guild.remove_member(world.anna)
    asked = await world.slash(world.ben, "tutto end")
    row = await world.row()
    assert (row.host_id, (await world.state()).left) == (world.ben.id, (0,))
    await world.ben.click(reply(asked), label="End the game")
    assert (await world.row()).status == ABORTED


async def test_votes_count_only_people_who_are_still_there(world: World) -> None:
    dora = world.person("Dora")
    await world.begin(world.anna, world.ben, world.chiara, dora)
    await world.later(61)
    for one in (world.chiara, dora):
        world.guild.remove_member(one)
    await vote(world, world.ben)  # one of one, not one of three
    state = await world.state()
    assert state.left == (2, 3)
    assert await world.mover() is world.ben


async def test_without_a_limit_people_who_left_the_server_are_noticed_when_somebody_asks(
    world: World,
) -> None:
    await world.lobby(world.anna, world.ben, world.chiara)
    await world.set_options(world.anna, turn_seconds="0")
    await world.press(world.anna, "Start the game")
    world.guild.remove_member(world.anna)
    outsider = await vote_unasked(world, world.person("Dora"))
    assert "not in this game" in outsider
    assert (await world.state()).left == ()
    assert "left the server" in await vote(world, world.ben)
    assert (await world.state()).left == (0,)
    assert await world.mover() is world.ben
    assert "~~Anna~~" in world.text()


@pytest.mark.parametrize("moderator", [True, False])
async def test_an_end_by_a_moderator_is_told_in_the_channel(world: World, moderator: bool) -> None:
    await world.begin(world.anna, world.ben)
    allowed = discord.Permissions(manage_messages=True)
    who = world.person("Mo", permissions=allowed) if moderator else world.anna
    await world.confirmed(who, "tutto end")
    told = "Mo, who has Manage Messages here" in screen.text_of(world.messages()[-1])
    assert told == moderator
    assert pinged(world.messages()[-1]) == []


# Clocks that are wrong.


async def test_a_wall_clock_that_jumps_closes_no_game_and_is_set_right_by_a_click(world: World) -> None:
    """It jumps 20 days ahead; the monotonic clock and Discord's ids show the true time."""
    await world.begin(world.anna, world.ben)
    time = world.bot.time
    wall = time._wall
    time._wall = lambda: wall() + 20 * 86_400.0
    await world.later(310)
    row = await world.row()
    assert (row.status, row.missed, time.certain) == (LIVE, (0, 0), False)
    assert row.since > wall() + 19 * 86_400.0, "deadlines are counted anew"
    await world.press(world.anna, TURN)
    await world.settle()
    row = await world.row()
    assert time.certain
    assert len(await world.log()) == 1
    assert row.deadline is not None
    assert 0 < row.deadline - wall() <= 600
    assert all(at <= wall() for at in row.acted)


async def test_a_game_that_only_seems_untouched_is_not_closed(world: World) -> None:
    """The bot starts with a clock that is a month ahead, and nobody has clicked yet."""
    await world.begin(world.anna, world.ben, target=50_000)
    row = await world.row()
    far = replace(row, since=row.since - 30 * 86_400.0, deadline=row.since, touched=row.touched + 1)
    await world.bot.store.commit(Change(far, row.version))
    await world.restart(crashed=True)
    await world.settle()
    time = world.bot.time
    assert time.certain is False
    assert (await world.row()).status == LIVE
    await world.lobby(world.chiara, channel=world.guild.create_text_channel("other"))
    assert [time.certain] == [True]
    await world.later(3700)
    assert (await world.row(row.id)).status == ABORTED


# While no click can reach the bot.


@pytest.mark.parametrize("why", ["the connection is lost", "the server has an outage", "the bot was removed"])
async def test_no_turn_is_played_while_no_click_can_reach_the_bot(world: World, why: str) -> None:
    """Anna does not miss her turn, and has the whole time when she can click again; no lobby closes."""
    await world.begin(world.anna, world.ben)
    other = world.guild.create_text_channel("other")
    await world.lobby(world.anna, channel=other)
    await world.later(400)  # past the reminder
    before, guild = await world.row(channel=world.channel), {"id": str(world.guild.id)}
    if why == "the connection is lost":
        connected = set(world.bot._in_session)
        world.bot._in_session.clear()
    else:
        outage = {"unavailable": True} if why == "the server has an outage" else {}
        world.env.backend.emit("GUILD_DELETE", {**guild, **outage})
        await world.settle()
    await world.later(4000)
    assert await world.row(channel=world.channel) == before
    assert (await world.row(channel=other)).status == LOBBY
    if why == "the connection is lost":
        world.bot._in_session |= connected
    else:
        payload = serializers.guild_create_payload(world.env.backend, world.guild._guild)
        world.env.backend.emit("GUILD_CREATE", dict(payload))
        await world.settle()
    await world.later(31)
    assert world.bot.sessions.now() + 580 < not_none((await world.row(channel=other)).deadline)
    assert (await world.row(channel=world.channel)).missed == (0, 0)
    await world.later(560)
    row = await world.row(channel=world.channel)
    assert (row.missed, row.reminded) == ((0, 0), True)
    await world.later(60)
    assert (await world.row(channel=world.channel)).missed == (1, 0)


async def test_a_click_that_arrives_after_the_connection_was_lost_is_in_time(world: World) -> None:
    """Discord delivers what was clicked meanwhile when the session is resumed."""
    await world.begin(world.anna, world.ben)
    await world.later(400)
    table = world.table()
    connected = set(world.bot._in_session)
    world.bot._in_session.clear()
    await world.later(215)
    world.bot._in_session |= connected
    world.send(world.anna, table, TURN)
    await world.settle()
    await world.later(60)
    row = await world.row()
    assert row.missed == (0, 0)
    assert len(await world.log()) == 1
