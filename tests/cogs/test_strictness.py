"""The in-process Discord refuses what Discord refuses, even where simcord alone does not."""

from __future__ import annotations

import io

import discord
import pytest
from simcord import ChannelHandle, InteractionResult

from bot.client import PERMISSIONS
from tests.support import threads
from tests.support.contract.checks import Contract
from tests.support.world import World


async def message_in(world: World, handle: ChannelHandle) -> discord.Message:
    view = discord.ui.LayoutView()
    view.add_item(discord.ui.TextDisplay("Hello"))
    return await world.bot.get_partial_messageable(handle.id, guild_id=world.guild.id).send(view=view)


async def refused(work: object, code: int) -> None:
    with pytest.raises(discord.HTTPException) as caught:
        await work  # type: ignore[misc]
    assert caught.value.code == code


async def test_an_archived_thread_takes_no_edit_and_is_opened_by_a_post(world: World) -> None:
    thread = threads.thread(world)
    message = await message_in(world, thread)
    await threads.change(world, thread, archived=True)
    await refused(message.edit(allowed_mentions=discord.AllowedMentions.none()), 50083)
    assert threads.is_archived(world, thread)
    await message_in(world, thread)
    assert not threads.is_archived(world, thread)


async def test_a_message_has_one_thread_without_a_notice_and_a_mention_adds_to_it(world: World) -> None:
    threads.show_history(world)
    message = await message_in(world, world.channel)
    await world.bot.http.start_thread_with_message(
        world.channel.id, message.id, name="dice", auto_archive_duration=1440
    )
    await refused(
        world.bot.http.start_thread_with_message(
            world.channel.id, message.id, name="dice", auto_archive_duration=1440
        ),
        160004,
    )
    assert [one.id for one in world.channel.history()] == [message.id]
    await world.bot.get_partial_messageable(message.id, guild_id=world.guild.id).send(
        world.ben.mention, allowed_mentions=discord.AllowedMentions(users=True)
    )
    thread = world.env.backend.get_thread(message.id)
    assert set(thread.thread_members) == {world.env.backend.bot_user.id, world.ben.id}
    world.env.backend.edit_channel(thread.id, {}, thread_metadata={"archived": True})
    await refused(world.bot.http.add_user_to_thread(thread.id, world.chiara.id), 50083)


async def test_a_locked_thread_takes_nothing(world: World) -> None:
    thread = threads.thread(world)
    message = await message_in(world, thread)
    await threads.change(world, thread, locked=True, archived=True)
    await refused(message_in(world, thread), 160005)
    await refused(message.edit(allowed_mentions=discord.AllowedMentions.none()), 160005)
    assert threads.is_archived(world, thread)


async def test_an_answer_that_all_see_opens_an_archived_thread(world: World) -> None:
    thread = threads.thread(world)
    await threads.change(world, thread, archived=True)
    await world.slash(world.anna, "tutto rules", thread)
    assert threads.is_archived(world, thread)
    await world.slash(world.anna, "leaderboard", thread)
    assert not threads.is_archived(world, thread)


async def test_a_later_answer_changes_no_message_of_an_archived_thread(world: World) -> None:
    thread = threads.thread(world)
    shown = await world.slash(world.anna, "leaderboard", thread)
    hidden = await world.slash(world.anna, "tutto rules", thread)
    await threads.change(world, thread, archived=True)
    token = "/webhooks/{}/{}/messages/@original"

    def edit(result: InteractionResult) -> object:
        path = token.format(world.env.backend.application_id, result._interaction.token)
        return world.bot.http.request(discord.http.Route("PATCH", path), json={"flags": 1 << 15})

    await refused(edit(shown), 50083)
    await edit(hidden)  # type: ignore[misc]
    assert threads.is_archived(world, thread)


@pytest.mark.parametrize("command", ["tutto start", "tutto show", "tutto rules", "leaderboard"])
async def test_a_thread_that_is_archived_and_locked_takes_no_answer(world: World, command: str) -> None:
    """The person sees that their command has failed; no game begins unseen, and nothing is an error."""
    thread = threads.thread(world)
    await threads.change(world, thread, locked=True, archived=True)
    world.tries = 4
    result = await world.slash(world.anna, command, thread)
    world.unanswered.add(result._interaction.id)
    assert not result.acknowledged
    assert threads.is_archived(world, thread)
    assert world.count("games") == 0


async def test_a_private_thread_that_the_bot_is_not_in_is_closed_to_it(world: World) -> None:
    await refused(message_in(world, threads.thread(world, private=True, invited=False)), 50001)
    await message_in(world, threads.thread(world, private=True))


async def test_a_forum_takes_no_message(world: World) -> None:
    await refused(message_in(world, world.guild.create_forum_channel("forum")), 50008)


async def test_files_need_a_permission(world: World) -> None:
    channel = world.bot.get_partial_messageable(world.channel.id)
    await channel.send(file=discord.File(io.BytesIO(b"x"), "a.txt"))
    world.deny("attach_files")
    await refused(channel.send(file=discord.File(io.BytesIO(b"x"), "a.txt")), 50013)
    await message_in(world, world.channel)


@pytest.mark.parametrize("kind", ["voice", "stage"])
async def test_the_chat_of_a_voice_channel_needs_connect(world: World, kind: str) -> None:
    channel = getattr(world.guild, f"create_{kind}_channel")(kind)
    message = await message_in(world, channel)
    world.deny("connect", channel=channel)
    await refused(message_in(world, channel), 50001)
    await refused(message.edit(allowed_mentions=discord.AllowedMentions.none()), 50001)
    await refused(message.delete(), 50001)
    await refused(world.bot.http.get_message(channel.id, message.id), 50001)
    world.deny(channel=channel)
    await message.delete()


async def test_an_interaction_is_answered_once(world: World, contract: Contract) -> None:
    world.tries = 2
    record = (await world.slash(world.anna, "help"))._interaction
    path = f"/interactions/{record.id}/{record.token}/callback"
    await refused(world.bot.http.request(discord.http.Route("POST", path), json={"type": 5}), 40060)


async def test_the_bot_may_what_its_invite_link_asks_for(world: World) -> None:
    backend = world.env.backend
    mine = backend.compute_permissions(world.guild.id, backend.bot_user.id, world.channel.id)
    assert mine == PERMISSIONS.value | discord.Permissions(use_application_commands=True).value
