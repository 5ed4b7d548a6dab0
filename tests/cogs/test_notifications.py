"""People are called in the way that each has chosen, and nobody else is."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from simcord import MemberActor

from bot.services import notifier
from bot.sessions.notifying import Reason
from bot.store.notifications import HALF, MENTION, MESSAGE, NOTHING, NotificationPreferences
from tests.cogs.test_away import pinged
from tests.cogs.test_standings import Page, open_page
from tests.support import screen
from tests.support.world import TURN, World, private


async def choose(world: World, who: MemberActor, **chosen: Any) -> Page:
    """Choose with the form behind /notifications."""
    page = await open_page(world, who, "notifications")
    form = await world.click(who, page.message, "Change")
    page.last = await world.submit(who, form, **chosen)
    return page


def letters(world: World, who: MemberActor) -> list[str]:
    """The direct messages that a person has got from the bot."""
    backend = world.env.backend
    found = [one for one in backend.channels.values() if one.guild_id is None and who.id in one.recipient_ids]
    stored = [message for one in found for message in backend.messages[one.id].values()]
    return [screen.text_of(world.payload(message)) for message in stored]


async def bens_turn(world: World) -> None:
    """Anna's turn is played for her; Ben has done nothing for ten minutes."""
    await world.begin(world.anna, world.ben)
    await world.later(610)
    assert await world.mover() is world.ben


async def test_a_person_chooses_how_to_be_called(world: World) -> None:
    page = await open_page(world, world.ben, "notifications")
    assert "**How:** A mention in the channel" in page.text
    assert "**Quiet hours:** none" in page.text
    page = await choose(
        world, world.ben, way="message", moment="half", **{"from": "22"}, to="7", zone="zurich"
    )
    assert "**How:** A direct message" in page.text
    assert "**Quiet hours:** 22:00 to 7:00 (Europe/Zurich)" in page.text
    assert "only when half your time is up" in page.text
    (hello,) = letters(world, world.ben)
    assert "From now on I’ll write to you here" in hello
    chosen = NotificationPreferences(MESSAGE, HALF, (22, 7), "Europe/Zurich", "en-US")
    assert await world.bot.store.notifications.of(world.ben.id) == chosen
    refused = await choose(world, world.ben, **{"from": "7"}, to="7")
    assert "begin and end at the same hour" in private(refused.last)
    refused = await choose(world, world.ben, zone="nowhere land")
    assert "Europe/Zurich" in private(refused.last)
    assert await world.bot.store.notifications.of(world.anna.id) is None


async def test_a_person_who_chose_direct_messages_gets_one_and_no_mention(world: World) -> None:
    await world.bot.store.notifications.choose(world.ben.id, NotificationPreferences(MESSAGE))
    await bens_turn(world)
    assert pinged(world.table()) == []
    (letter,) = letters(world, world.ben)
    assert "**Tutto:** it’s your turn" in letter
    assert f"/{world.channel.id}/{world.table()['id']})" in letter
    await world.later(310)
    assert len(letters(world, world.ben)) == 2
    assert pinged(world.table()) == []
    await world.press(world.ben, TURN)
    assert letters(world, world.anna) == []


async def test_a_direct_message_comes_where_the_bot_may_no_longer_post(world: World) -> None:
    await world.bot.store.notifications.choose(world.ben.id, NotificationPreferences(MESSAGE))
    await world.begin(world.anna, world.ben)
    world.deny("send_messages")
    await world.later(610)
    assert await world.mover() is world.ben
    (letter,) = letters(world, world.ben)
    assert f"/{world.channel.id}/{world.table()['id']})" in letter
    await world.later(310)
    assert len(letters(world, world.ben)) == 2


async def test_direct_messages_are_in_the_language_of_the_person(world: World) -> None:
    """It is known from the click that chose them, and forgotten with that choice."""
    page = await open_page(world, world.ben, "notifications")
    form = await world.click(world.ben, page.message, "Change")
    world.locales[world.ben.id] = "it"
    await world.submit(world.ben, form, way=MESSAGE)
    del world.locales[world.ben.id]
    await bens_turn(world)
    hello, letter = letters(world, world.ben)
    assert "D’ora in poi ti scrivo qui" in hello
    assert "**Tutto:** tocca a te" in letter
    await choose(world, world.ben, way=MENTION)
    assert await world.bot.store.notifications.of(world.ben.id) == NotificationPreferences(MENTION)


async def test_the_first_player_gets_a_direct_message_too(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notifier, "BEGIN_SECONDS", 0.02)
    await world.bot.store.notifications.choose(world.ben.id, NotificationPreferences(MESSAGE))
    await world.lobby(world.anna, world.ben)
    await world.later(120)
    await world.set_options(world.anna, begins=str(world.ben.id))
    await world.press(world.anna, "Start the game")
    assert await world.mover() is world.ben
    assert [pinged(one) for one in world.messages() if pinged(one)] == []
    await asyncio.sleep(0.05)
    await world.settle()
    assert len(letters(world, world.ben)) == 1


@pytest.mark.parametrize(
    ("chosen", "at_once", "at_half"),
    [
        (None, True, True),
        (NotificationPreferences(MENTION, HALF), False, True),
        (NotificationPreferences(NOTHING), False, False),
        (NotificationPreferences(MENTION, quiet=(0, 23)), False, False),
        (NotificationPreferences(MENTION, quiet=(23, 0)), True, True),
    ],
)
async def test_mentions_follow_the_choice(
    world: World, chosen: NotificationPreferences | None, at_once: bool, at_half: bool
) -> None:
    if chosen is not None:
        await world.bot.store.notifications.choose(world.ben.id, chosen)
    await bens_turn(world)
    assert pinged(world.table()) == [world.ben.id] * at_once
    await world.later(310)
    assert pinged(world.table()) == [world.ben.id] * at_half
    assert letters(world, world.ben) == []


async def test_closed_direct_messages_become_a_mention(world: World) -> None:
    await world.bot.store.notifications.choose(world.ben.id, NotificationPreferences(MESSAGE))
    world.fail("POST", "/users/@me/channels", 403, 50007, times=None)
    await bens_turn(world)
    assert pinged(world.table()) == [world.ben.id]
    await world.later(310)
    assert pinged(world.table()) == [world.ben.id]
    asked = len(world.requests("POST", "/users/@me/channels"))
    assert asked == 1, "what Discord has refused is not asked for at each turn"
    page = await choose(world, world.ben, way="message")
    assert "Discord doesn’t let me write to you" in page.text
    world.heal()
    page = await choose(world, world.ben, way="message")
    assert "Discord doesn’t let me write to you" not in page.text


async def test_a_person_who_chose_no_notifications_is_not_mentioned_by_a_challenge(world: World) -> None:
    await world.bot.store.notifications.choose(world.ben.id, NotificationPreferences(NOTHING))
    await world.anna.context_menu(world.channel, "Challenge", world.ben)
    assert f"<@{world.ben.id}>" in world.text()
    post = world.requests("POST", "/callback")[-1].json
    assert not post["data"]["allowed_mentions"].get("users")


async def test_a_message_that_comes_too_late_is_not_sent(world: World) -> None:
    await bens_turn(world)
    row = await world.row()
    world.bot.notifier.write(row, world.ben.id, 0, Reason.TURN)
    world.bot.notifier.write(row, world.anna.id, 0, Reason.TURN)
    await world.settle()
    assert letters(world, world.ben) == letters(world, world.anna) == []
