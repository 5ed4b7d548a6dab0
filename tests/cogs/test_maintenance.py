"""Maintenance: no new games, a line on every table until the next start, and the owner's commands."""

from __future__ import annotations

import discord
import pytest

from bot.services.maintenance import note_of
from bot.store.operator_note import NoteFile, note_path, write_note
from cogs.owner import OwnerCommands
from tests.support.world import World, private

LINE = "Maintenance: back at 20\\:15."


async def announced(world: World) -> None:
    await world.bot.maintenance._announcement.finished()
    await world.settle()


@pytest.mark.parametrize("crashed", [False, True])
async def test_tables_say_so_until_the_next_start(world: World, crashed: bool) -> None:
    lobby, quiet = (world.guild.create_text_channel(name) for name in ("lobby", "quiet"))
    await world.begin(world.anna, world.ben)
    await world.slash(world.anna, "tutto start", lobby)
    await world.press(world.ben, "Join", lobby)
    version = (await world.row()).version
    world.bot.maintenance.begin("back at\n20:15")
    await announced(world)
    for channel in (world.channel, lobby):
        assert world.text(channel).startswith(f"**{LINE}** The bot will be away"), channel
    assert world.bot.stopping.is_set()
    # The game goes on as long as the bot runs, but no other begins.
    await world.step()
    assert (await world.row()).version > version
    assert LINE in world.text()
    refusals = [
        await world.slash(world.chiara, "tutto start", quiet),
        await world.press(world.anna, "Start the game", lobby),
    ]
    for refused in refusals:
        assert "no new game can start" in private(refused)
        assert "back at 20" in private(refused)
    await world.restart(crashed=crashed)
    await world.settle()
    for channel in (world.channel, lobby):
        assert LINE not in world.text(channel)
    await world.slash(world.chiara, "tutto start", quiet)
    assert world.text(quiet)
    # It is not announced twice.
    await world.restart()
    assert not world.bot.stopping.is_set()


async def test_a_note_begins_it_and_an_old_one_does_not(world: World) -> None:
    write_note(note_path(world.path), note_of("long ago", 1.0))
    await world.restart()
    await world.begin(world.anna, world.ben)
    await world.bot.maintenance._read_note()
    assert not world.bot.maintenance.begun
    await NoteFile(world.path).write(note_of("back at 20:15", 2.0))
    await world.bot.maintenance._read_note()
    await announced(world)
    assert LINE in world.text()
    await world.restart()
    # A signal without a note.
    world.bot.begin_maintenance()
    await world.bot.maintenance._look.finished()
    await announced(world)
    assert world.text().startswith("**Maintenance:** the bot will be away")


async def test_the_owner_alone_has_commands(world: World) -> None:
    guild = discord.Object(world.guild.id)
    world.bot.tree.add_command(OwnerCommands(world.bot), guild=guild)
    await world.bot.tree.sync(guild=guild)
    owner, other = (
        world.person(name, permissions=discord.Permissions(administrator=True)) for name in ("Olga", "Otto")
    )
    world.bot.owner_id = owner.id
    await world.begin(world.anna, world.ben)
    for command in ("dicebot status", "dicebot maintenance"):
        refused = await world.slash(other, command)
        assert "Only the owner" in private(refused)
    shown = private(await world.slash(owner, "dicebot status"))
    assert "Games running: 1. Open tables: 0." in shown
    assert "People who have played: 2." in shown
    told = await world.slash(owner, "dicebot maintenance", text="back at 20:15")
    assert "No new games from now on" in private(told)
    await world.bot.maintenance._look.finished()
    await announced(world)
    assert world.text().startswith(f"**{LINE}**")
