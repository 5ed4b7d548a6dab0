"""Leaving, ending and removing in every phase of a game: who may do it, and the confirmation."""

from __future__ import annotations

from typing import Any

import discord
import pytest
from simcord.backend.models import Overwrite
from simcord.backend.serializers import user_payload
from simcord.enums import OverwriteType

from bot.registry import find
from bot.store.base import ABORTED, FINISHED, LIVE, LOBBY
from tests.support import screen
from tests.support.databases import traces
from tests.support.values import not_none
from tests.support.world import World, private, reply

# The lobby.


async def test_leaving_the_lobby_by_the_command_is_confirmed(world: World) -> None:
    await world.lobby(world.anna, world.ben)
    asked = await world.slash(world.ben, "tutto leave")
    assert private(asked) == "Leave the table?"
    assert len((await world.row()).seats) == 2  # nothing happens until the answer
    result = await world.ben.click(reply(asked), label="Leave the game")
    assert [seat.name for seat in (await world.row()).seats] == ["Anna"]
    assert result.acknowledged
    assert private(result) == "You have left the game."  # the question has turned into this
    assert "Ben" not in world.text()


async def test_ais_come_and_go(world: World) -> None:
    await world.lobby(world.anna, ais=9)
    assert "At the table** (10 of 10)" in world.text()
    assert not any(token.startswith("l.ai") for token in world.tokens())
    row, token = await world.row(), f"l.ai.{next(iter(find('tutto').policies))}"
    full = await world.forge(world.anna, f"1:{row.id:x}:{row.version:x}:{token}")
    assert "All seats are taken" in private(full)
    for _ in range(9):
        await world.press(world.anna, "Remove AI")
    assert "Remove AI" not in world.labels()
    row = await world.row()
    none = await world.forge(world.anna, f"1:{row.id:x}:{row.version:x}:l.noai")
    assert "no AI" in private(none)


async def test_a_game_does_not_start_with_too_few_seats(world: World) -> None:
    await world.lobby(world.anna)
    assert "Start the game" not in world.labels()
    row = await world.row()
    result = await world.forge(world.anna, f"1:{row.id:x}:{row.version:x}:l.start")
    assert "needs 2 to 10 seats filled; 1 is filled now" in private(result)
    assert (await world.row()).status == LOBBY


# The game.


async def test_leaving_in_the_own_turn_skips_it_and_loses_unbanked_points(world: World) -> None:
    people = [world.anna, world.ben, world.chiara]
    await world.begin(*people)
    while not (await world.state()).points:
        who = not_none(await world.mover())
        keep = next((one for token, one in world.tokens().items() if token.startswith("k")), None)
        await world.press(who, keep or world.careful())
    who = not_none(await world.mover())
    seat = people.index(who)
    scores = (await world.state()).scores
    await world.confirmed(who, "tutto leave")
    state = await world.state()
    assert state.left == (seat,)
    assert state.scores == scores  # what is banked stays on the table
    assert state.points == 0
    assert await world.mover() is people[(seat + 1) % 3]
    await world.play()
    results = await world.bot.store.results((await world.row()).id)
    assert results[seat].place == 3  # who leaves can't win
    assert "left" in world.text()


async def test_the_last_one_at_the_table_wins(world: World) -> None:
    await world.begin(world.anna, world.ben)
    result = await world.confirmed(world.anna, "tutto leave")
    assert private(result) == "You have left the game."
    row = await world.row()
    assert row.status == FINISHED
    assert "**Ben** wins: everyone else has left" in world.text()
    assert [one.place for one in await world.bot.store.results(row.id)] == [2, 1]
    assert row.deadline is None


async def test_saying_yes_twice_leaves_once(world: World) -> None:
    await world.begin(world.anna, world.ben, world.chiara)
    asked = await world.slash(world.ben, "tutto leave")
    question = world.message(reply(asked).id)
    for _ in range(2):
        world.send(world.ben, question, "Leave the game")
    await world.settle()
    assert (await world.state()).left == (1,)
    assert len(await world.log()) == 1


async def test_a_question_answered_after_the_end(world: World) -> None:
    await world.begin(world.anna, world.ben, world.chiara)
    leaving = await world.slash(world.ben, "tutto leave")
    ending = await world.slash(world.anna, "tutto end")
    await world.confirmed(world.anna, "tutto end")
    for who, asked in ((world.ben, leaving), (world.anna, ending)):
        result = await world.click_seen(who, world.message(reply(asked).id), lambda one: True)
        assert "This game is over" in private(result)


async def test_a_question_of_an_earlier_game_does_nothing_to_the_next(world: World) -> None:
    """The button names its game, so an old confirmation can't end or leave a newer one."""
    await world.lobby(world.anna, world.ben)
    asked = await world.slash(world.anna, "tutto end")
    question = world.message(reply(asked).id)
    await world.press(world.anna, "Close the table")
    await world.lobby(world.anna, world.ben)
    await world.click_seen(world.anna, question, "End the game")
    assert (await world.row()).status == LOBBY


async def test_leaving_is_possible_in_every_phase(world: World) -> None:
    """In the lobby, in the own turn and another, and after a restart; without a game the bot says that there
    is none.
    """
    await world.lobby(world.anna, world.ben, world.chiara)
    await world.confirmed(world.chiara, "tutto leave")
    await world.press(world.chiara, "Join")
    await world.press(world.anna, "Start the game")
    await world.restart()
    await world.confirmed(world.chiara, "tutto leave")
    await world.confirmed(world.anna, "tutto leave")
    assert (await world.row()).status == FINISHED
    assert "no game in this channel" in private(await world.slash(world.ben, "tutto leave"))
    await world.lobby(world.anna)


# Ending.


@pytest.mark.parametrize("phase", ["lobby", "game"])
async def test_a_member_may_not_end(world: World, phase: str) -> None:
    await (world.lobby if phase == "lobby" else world.begin)(world.anna, world.ben)
    before = await world.row()
    for who in (world.ben, world.chiara):
        refused = await world.slash(who, "tutto end")
        assert "Only the host or someone with Manage Messages" in private(refused)
        forged = await world.forge(who, f"1:{before.id:x}:{before.version:x}:c.end")
        assert "Only the host or someone with Manage Messages" in private(forged)
    assert await world.row() == before


@pytest.mark.parametrize("phase", ["lobby", "game"])
async def test_a_moderator_may_end_without_being_in_the_game(world: World, phase: str) -> None:
    mod = world.person("Mod", permissions=discord.Permissions(manage_messages=True))
    await (world.lobby if phase == "lobby" else world.begin)(world.anna, world.ben)
    result = await world.confirmed(mod, "tutto end")
    assert private(result) == "The game has ended."
    assert (await world.row()).status == ABORTED
    closed, told = world.messages()[-2:]
    assert "stopped without a result" in screen.text_of(closed)
    assert screen.text_of(told) == "Mod, who has Manage Messages here, has ended the game."


async def test_permissions_are_checked_again_when_the_answer_comes(world: World) -> None:
    mod = world.person("Mod", permissions=discord.Permissions(manage_messages=True))
    await world.begin(world.anna, world.ben)
    asked = await world.slash(mod, "tutto end")
    role = next(role for role in world.guild.roles.values() if role.name == "Mod's")
    world.env.backend.remove_member_role(world.guild.id, mod.id, role.id)
    refused = await mod.click(reply(asked), label="End the game")
    assert "Only the host" in private(refused)
    assert (await world.row()).status == LIVE


async def test_rights_of_another_channel_do_not_count_here(world: World) -> None:
    """Manage Messages counts for the channel of the game, as Discord sends it with the click."""
    mod = world.person("Mod", permissions=discord.Permissions(manage_messages=True))
    deny = Overwrite(
        target_id=mod.id,
        type=OverwriteType.MEMBER,
        allow=0,
        deny=discord.Permissions(manage_messages=True).value,
    )
    world.env.backend.set_overwrite(world.channel.id, deny)
    await world.begin(world.anna, world.ben)
    assert "Only the host" in private(await world.slash(mod, "tutto end"))


# Being taken out, and seats handed over.


async def test_the_host_takes_somebody_out_of_the_game(world: World) -> None:
    await world.begin(world.anna, world.ben, world.chiara)
    result = await world.confirmed(world.anna, "tutto remove", member=world.ben)
    assert private(result) == "Ben is out of the game."
    assert (await world.state()).left == (1,)
    assert "~~Ben~~" in world.text()
    await world.play()


async def asked(world: World) -> dict[str, Any]:
    """The message in which Anna asks Chiara to take over Ben's seat."""
    result = await world.slash(world.anna, "tutto handover", member=world.ben, to=world.chiara)
    assert not reply(result).ephemeral
    return world.message(reply(result).id)


async def test_the_person_asked_takes_a_seat_by_a_click(world: World) -> None:
    await world.begin(world.anna, world.ben)
    table, before = world.table(), await world.row()
    question = await asked(world)
    assert f"<@{world.chiara.id}>, **Anna** asks you to take over Ben’s seat" in screen.text_of(question)
    post = world.requests("POST", "/callback")[-1].json
    assert post["data"]["allowed_mentions"]["users"] == [world.chiara.id]
    assert (await world.row()).seats == before.seats
    for who in (world.anna, world.ben):
        refused = await world.click(who, question, "Take the seat")
        assert "This question is for someone else" in private(refused)
    await world.restart(crashed=True)
    for _ in range(2):  # a double click
        world.send(world.chiara, question, "Take the seat")
    await world.settle()
    assert [seat.name for seat in (await world.row()).seats] == ["Anna", "Chiara"]
    shown = world.message(question["id"])
    assert screen.text_of(shown) == f"<@{world.chiara.id}> has taken over <@{world.ben.id}>’s seat."
    assert not screen.buttons(shown)
    assert "Ben" not in screen.text_of(world.message(table["id"]))
    await world.play()
    results = await world.bot.store.results((await world.row()).id)
    assert [one.user_id for one in results] == [world.anna.id, world.chiara.id]


@pytest.mark.parametrize(
    ("who", "label", "expected"),
    [
        ("chiara", "No, thanks", "doesn’t want to take over Ben’s seat"),
        ("anna", "Withdraw", "is no longer asked to take over Ben’s seat"),
    ],
)
async def test_a_question_about_a_seat_is_declined_or_withdrawn(
    world: World, who: str, label: str, expected: str
) -> None:
    await world.begin(world.anna, world.ben)
    before = await world.row()
    question = await asked(world)
    assert "Only the host" in private(await world.click(world.ben, question, "Withdraw"))
    for _ in range(2):
        world.send(getattr(world, who), question, label)
    await world.settle()
    assert expected in screen.text_of(world.message(question["id"]))
    late = await world.click_seen(world.chiara, question, "Take the seat")
    assert late.acknowledged
    assert expected in screen.text_of(world.message(question["id"]))
    assert (await world.row()).seats == before.seats


async def test_a_question_about_a_seat_expires(world: World) -> None:
    """After an hour, with a new question about the seat, and with the game; the first click says so."""
    await world.lobby(world.anna, world.ben, world.chiara)
    await world.set_options(world.anna, turn_seconds="0")
    await world.press(world.anna, "Start the game")
    dora = world.person("Dora")
    questions = []
    for _ in range(2):
        result = await world.slash(world.anna, "tutto handover", member=world.ben, to=dora)
        questions.append(world.message(reply(result).id))
    result = await world.slash(world.anna, "tutto handover", member=world.chiara, to=dora)
    questions.append(world.message(reply(result).id))
    for number, question in enumerate(questions):
        if number == 1:
            await world.later(3601)
        if number == 2:
            await world.confirmed(world.anna, "tutto end")
        late = await world.click_seen(dora, question, "Take the seat")
        assert "This question is no longer open" in private(late)
        shown = world.message(question["id"])
        assert screen.text_of(shown) == "This question about a seat is no longer open."
        assert not screen.buttons(shown)
    assert [seat.name for seat in (await world.row()).seats] == ["Anna", "Ben", "Chiara"]


async def test_a_person_who_can_not_join_is_not_asked_to_take_a_seat(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.begin(world.anna, world.ben)
    before = await world.row()
    deny = Overwrite(target_id=world.chiara.id, type=OverwriteType.MEMBER, allow=0, deny=1 << 10)
    world.env.backend.set_overwrite(world.channel.id, deny)
    await world.settle()
    result = await world.slash(world.anna, "tutto handover", member=world.ben, to=world.chiara)
    assert "Chiara can’t see this channel" in private(result)
    users = {str(one.id): user_payload(world.env.backend.users[one.id]) for one in (world.ben, world.chiara)}
    deliver = world.deliver

    def without_members(payload: dict[str, Any]) -> None:
        # All that Discord sends of users who are not in the server.
        deliver(payload | {"data": payload["data"] | {"resolved": {"users": users}}})

    monkeypatch.setattr(world, "deliver", without_members)
    result = world.send_slash(world.anna, "tutto handover", member=world.ben, to=world.chiara)
    await world.settle()
    assert "Chiara isn’t in this server any more" in private(result)
    assert await world.row() == before


async def test_a_person_who_deletes_their_data_is_no_longer_asked(world: World) -> None:
    await world.begin(world.anna, world.ben)
    question = await asked(world)
    await world.bot.erase(world.chiara.id)
    assert traces(world.path, world.chiara.id, "Chiara") == []
    late = await world.click(world.chiara, question, "Take the seat")
    assert "This question is no longer open" in private(late)


async def test_a_seat_is_handed_to_an_ai(world: World) -> None:
    await world.begin(world.anna, world.ben)
    await world.finish_turn()
    assert await world.mover() is world.ben
    await world.slash(world.anna, "tutto handover", member=world.ben)
    row = await world.row()
    assert [seat.kind for seat in row.seats] == ["human", "ai"]
    assert await world.mover() is world.anna  # the AI has moved at once
    await world.play()


@pytest.mark.parametrize("to", ["bot", "seated"])
async def test_a_seat_is_not_handed_to_a_bot_or_to_somebody_who_has_one(world: World, to: str) -> None:
    robot = world.person("Robot", bot=True)
    await world.begin(world.anna, world.ben)
    before = await world.row()
    heir = robot if to == "bot" else world.anna
    result = await world.slash(world.anna, "tutto handover", member=world.ben, to=heir)
    assert ("bot" if to == "bot" else "already has a seat") in private(result)
    assert await world.row() == before
