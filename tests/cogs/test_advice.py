"""Odds, reviews and the calculator, through commands and buttons."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import discord
import pytest
from simcord import InteractionResult, MemberActor
from simcord.backend.models import Overwrite
from simcord.enums import InteractionType, OverwriteType

from bot.client import VISIBLE_SECONDS
from bot.discordpy import visibility
from bot.screens.button_ids import ButtonId, parse
from bot.sessions import commands
from bot.strategy.tutto import tables, winning
from tests.support import screen
from tests.support.screen import Message
from tests.support.world import World, private, reply, said

PICTURE = "chances.png"


def token(message: Message, name: str) -> str:
    """The id of the button with this token."""
    ids = [str(one["custom_id"]) for one in screen.buttons(message)]
    return next(one for one in ids if parse(one).token == name)


async def odds(world: World, who: MemberActor) -> str:
    """The private answer to somebody who asks for the odds."""
    result = await world.press_more(who, "g.odds")
    assert not result.response or result.response.ephemeral
    return private(result)


async def played(world: World, *people: MemberActor, **options: Any) -> int:
    """A finished game between people; its id."""
    await world.begin(*people, **options)
    await world.play()
    return (await world.row()).id


def forget_results(world: World) -> None:
    """Forget the review that the end of a game has made for its highlights."""
    world.bot.derived._kept.clear()


async def press(world: World, who: MemberActor, shown: InteractionResult, label: str) -> InteractionResult:
    """Press a button of what somebody was shown."""
    message = shown.response or shown.followups[0]
    return await who.click(message, label=label)


def files(world: World, result: InteractionResult) -> list[str]:
    """The names of the files that were shown."""
    return [
        file["filename"]
        for shown in (result.response, *result.followups)
        if shown is not None
        for file in screen.files(world.message(shown.id))
    ]


# --------------------------------------------------------------------------------------------- odds


async def too_slow(*args: Any) -> Any:
    """Stand in for a calculation that was given up."""
    raise TimeoutError


async def test_odds_that_take_too_long_are_refused(world: World, caplog: pytest.LogCaptureFixture) -> None:
    await friendly(world, world.anna, world.ben)
    world.bot.sessions.think = too_slow
    assert "takes too long" in await odds(world, world.ben)
    assert "takes too long" in private(await world.slash(world.ben, "tutto odds", dice="1 2 3"))
    assert [one.levelname for one in caplog.records if "too long" in one.getMessage()] == ["WARNING"] * 2
    assert not [one for one in caplog.records if one.levelname == "ERROR"]


async def test_everybody_sees_the_odds_of_a_friendly_game(world: World) -> None:
    await friendly(world, world.anna, world.ben)
    assert "· friendly" in world.text()
    before, messages = await world.row(), len(world.messages())
    for who in (world.anna, world.ben, world.chiara):
        text = await odds(world, who)
        assert "Odds for Anna" in text
        assert "**Turn a card** – turn lost right away 19.8%" in text
        assert "Left in the pile: 56 cards" in text
        assert "Odds for a roll" in await calculated(world, who)
    # Looking changes nothing, and nobody else sees it.
    assert await world.row() == before
    assert len(world.messages()) == messages


async def test_the_odds_are_those_of_the_table_as_it_is_now(world: World) -> None:
    await world.begin(world.anna, world.ben)
    while "Roll" not in str(world.labels()) and "keep" not in str(world.labels()):
        await world.step()
    result = await world.press_more(world.chiara, "g.odds")
    assert "nothing to choose yet" not in private(result)
    assert "null " in private(result)


async def friendly(world: World, *people: Any) -> None:
    await world.lobby(*people)
    await world.set_options(people[0], switches=[])
    await world.press(people[0], "Start the game")


async def calculated(world: World, who: Any) -> str:
    return private(await world.slash(who, "tutto odds", dice="1 2 3"))


async def test_odds_of_a_rated_game_are_for_spectators(world: World) -> None:
    await world.lobby(world.anna, world.ben, world.chiara)
    assert "Rated: changes ratings; odds are for spectators only" in world.text()
    assert "until it’s over" not in await calculated(world, world.anna)
    await world.press(world.anna, "Start the game")
    assert "· rated" in world.text()
    for player in (world.anna, world.ben, world.chiara):
        more = reply(await world.press(player, screen.with_id(":g.more")))
        assert "Odds" not in screen.labels(world.message(more.id))
        # Nor from a table of an earlier version, which had this button.
        old = token(world.table(), "g.more").replace("g.more", "g.odds")
        asked = await world.click_seen(player, world.table(), custom_id=old)
        assert "This is a rated game" in private(asked)
        # Nor by another command, or in another channel.
        assert "This is a rated game" in await calculated(world, player)
    # A person who left is a spectator.
    await world.session().carry_out(commands.leave, world.click_of(world.chiara))
    await world.bot.painter.paint((await world.row()).id)
    assert "Odds for Anna" in await odds(world, world.chiara)
    assert "This is a rated game" not in await calculated(world, world.chiara)
    await world.play()
    assert "This is a rated game" not in await calculated(world, world.anna)


async def test_there_are_no_odds_before_and_after_the_game(world: World) -> None:
    lobby = await world.lobby(world.anna, world.ben)
    row = await world.row()
    await world.forge(world.anna, str(ButtonId(row.id, row.version, "g.odds")), lobby)
    assert await world.row() == row
    await world.press(world.anna, "Start the game")
    table = world.table()
    await world.play()
    result = await world.forge(world.anna, str(ButtonId(row.id, row.version, "g.odds")), table)
    assert "This game is over" in private(result)


async def test_odds_of_a_game_in_another_channel_are_refused(world: World) -> None:
    table = await world.begin(world.anna, world.ben)
    other = world.guild.create_text_channel("elsewhere")
    custom_id = str(ButtonId((await world.row()).id, 0, "g.odds"))
    result = await world.forge(world.chiara, custom_id, {**table, "channel_id": str(other.id)})
    assert "Odds for" not in said(result)


async def test_gambler_tells_its_odds(world: World) -> None:
    # The first odds take a second of processor time, which are more than the usual five on a busy machine.
    world.env.settle_timeout = 14.0
    await world.slash(world.anna, "gambler start", rated=False)
    await world.press(world.ben, "Join")
    await world.press(world.anna, "Start the game")
    text = await odds(world, world.chiara)
    assert "Chance of completing a row this turn" in text
    await world.press(world.anna, "Roll")
    assert "Odds for" in await odds(world, world.ben)


# --------------------------------------------------------------------------------------------- calculator


async def test_the_calculator(world: World) -> None:
    result = await world.slash(world.anna, "tutto odds", dice="1 2 2 5")
    assert "✅ **Keep 1, roll 3 dice** – null 27.8% · average 182" in private(result)
    result = await world.slash(world.anna, "tutto odds", dice="1,5", card="x2", points=300)
    assert "x2 · roll 1 5 · 300 points so far" in private(result)
    result = await world.slash(world.anna, "tutto odds", dice="22", card="straight", aside="1346")
    assert "roll 2 2 · aside 1 3 4 6" in private(result)


@pytest.mark.parametrize(
    ("options", "said_"),
    [
        ({"dice": "8"}, "I can read at most 6 dice"),
        ({"dice": "1", "points": 70}, "steps of 50"),
        ({"dice": "1 2", "card": "straight"}, "name 4 different numbers"),
        ({"dice": "1 2", "aside": "1"}, "must be 6 in all"),
    ],
)
async def test_the_calculator_says_what_is_wrong(world: World, options: dict[str, Any], said_: str) -> None:
    assert said_ in private(await world.slash(world.anna, "tutto odds", **options))


# --------------------------------------------------------------------------------------------- reviews


async def test_a_review_is_private(world: World) -> None:
    await played(world, world.anna, world.ben)
    messages = len(world.messages())
    for who in (world.anna, world.chiara):
        result = await world.press(who, "Review")
        text = private(result)
        assert "Review · Tutto to 1,000 points" in text
        assert "How well each player chose" in text
        assert "Anna: " in text
        assert "The chances of winning" in text
        assert files(world, result) == [PICTURE]
    assert len(world.messages()) == messages


async def test_a_review_has_its_picture_in_words(world: World) -> None:
    await played(world, world.anna, world.ben)
    result = await world.press(world.anna, "Review")
    (gallery,) = (one for one in screen.walk({"components": reply(result).components}) if one["type"] == 12)
    (item,) = gallery["items"]
    assert item["description"].startswith("Chances of winning. At the start: Anna ")
    assert PICTURE in item["media"]["url"]


async def test_a_review_can_be_shared_once(world: World) -> None:
    await played(world, world.anna, world.ben)
    messages = len(world.messages())
    mine = await world.press(world.anna, "Review")
    theirs = await world.press(world.ben, "Review")
    shared = await press(world, world.anna, mine, "Share with everyone")
    (public,) = shared.followups
    assert not public.ephemeral
    assert len(world.messages()) == messages + 1
    text = screen.text_of({"components": public.components})
    assert "shared by Anna" in text
    assert "Review · Tutto" in text
    assert [file["filename"] for file in screen.files(world.message(public.id))] == [PICTURE]
    # The sharer's page is marked, other pages know it, and later ones do not offer it.
    (button,) = screen.buttons(world.message(reply(mine).id))
    assert (button["label"], button["disabled"]) == ("Shared", True)
    again = await press(world, world.ben, theirs, "Share with everyone")
    assert "has already been shared here" in private(again)
    later = await world.press(world.chiara, "Review")
    assert screen.labels({"components": reply(later).components}) == []
    # After a restart it is neither offered nor done again.
    await world.restart()
    later = await world.press(world.chiara, "Review")
    assert screen.labels({"components": reply(later).components}) == []
    again = await press(world, world.ben, theirs, "Share with everyone")
    assert "has already been shared here" in private(again)
    assert len(world.messages()) == messages + 1


async def test_two_clicks_at_once_share_once(world: World) -> None:
    await played(world, world.anna, world.ben)
    messages = len(world.messages())
    mine, theirs = [await world.press(who, "Review") for who in (world.anna, world.ben)]
    for who, shown in ((world.anna, mine), (world.anna, mine), (world.ben, theirs)):
        world.send(who, world.message(reply(shown).id), "Share with everyone")
    await world.settle()
    assert len(world.messages()) == messages + 1


async def test_a_review_whose_sharing_failed_can_be_shared_later(world: World) -> None:
    await played(world, world.anna, world.ben)
    mine = await world.press(world.anna, "Review")
    messages = len(world.messages())
    world.fail("POST", "/webhooks/*", 403, 50013, times=2)
    failed = await press(world, world.anna, mine, "Share with everyone")
    assert "I couldn’t show the review here" in private(failed)
    assert len(world.messages()) == messages
    await press(world, world.anna, mine, "Share with everyone")
    assert len(world.messages()) == messages + 1


async def test_the_command_reviews_the_latest_game_of_the_channel(world: World) -> None:
    none = await world.slash(world.anna, "tutto review")
    assert "No game has finished in this channel yet" in private(none)
    await played(world, world.anna, world.ben)
    await played(world, world.anna, world.chiara)
    # A lobby or a running game can't be reviewed.
    await world.begin(world.anna, world.ben)
    result = await world.slash(world.ben, "tutto review")
    assert "Chiara: " in private(result)
    assert files(world, result) == [PICTURE]


async def test_the_command_suggests_games_that_the_person_may_see(world: World) -> None:
    await played(world, world.anna, world.ben)
    secret = world.guild.create_text_channel("secret", overwrites=hidden(world, world.chiara))
    hidden_id = await played_in(world, secret, world.anna, world.ben)
    offered = await world.anna.autocomplete(world.channel, "tutto review", "game", "")
    assert len(offered) == 2
    assert all("Anna" in one["name"] and len(one["name"]) <= 100 for one in offered)
    seen = await world.chiara.autocomplete(world.channel, "tutto review", "game", "")
    assert [one["value"] for one in seen] != [f"{hidden_id:x}"]
    assert len(seen) == 1
    assert await world.anna.autocomplete(world.channel, "tutto review", "game", "zzz") == []
    # People who played may see it from anywhere; others only if they can see the channel.
    theirs = await world.slash(world.anna, "tutto review", game=f"{hidden_id:x}")
    assert "How well each player chose" in private(theirs)
    refused = await world.slash(world.chiara, "tutto review", game=f"{hidden_id:x}")
    assert "How well" not in private(refused)


async def test_visible_channels_are_looked_up_once_while_somebody_types(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With many channels and roles this takes a tenth of a second. What is shown is always checked again."""
    secret = world.guild.create_text_channel("secret")
    game = await played_in(world, secret, world.anna, world.ben)
    found = []
    visible = visibility.Visibility

    def counted(guild: discord.Guild) -> visibility.Visibility:
        found.append(guild)
        return visible(guild)

    monkeypatch.setattr(visibility, "Visibility", counted)
    read = []
    finished_in_guild = world.bot.store.finished_in_guild

    async def reading(*args: Any) -> Any:
        read.append(args)
        return await finished_in_guild(*args)

    monkeypatch.setattr(world.bot.store, "finished_in_guild", reading)
    for typed in ("", "A", "An"):
        assert await world.chiara.autocomplete(world.channel, "tutto review", "game", typed)
    assert len(found) == len(read) == 1
    deny = Overwrite(
        target_id=world.chiara.id, type=OverwriteType.MEMBER, allow=0, deny=discord.Permissions(1 << 10).value
    )
    world.env.backend.set_overwrite(secret.id, deny)
    await world.settle()
    refused = await world.slash(world.chiara, "tutto review", game=f"{game:x}")
    assert "How well" not in private(refused)
    await world.later(VISIBLE_SECONDS)
    assert await world.chiara.autocomplete(world.channel, "tutto review", "game", "") == []
    assert len(found) == 2


async def test_suggestions_that_are_known_wait_for_nobody_elses(world: World) -> None:
    await played(world, world.anna, world.ben)
    known = await world.anna.autocomplete(world.channel, "tutto review", "game", "")
    # While somebody else's are worked out.
    async with world.bot.choosing, asyncio.timeout(5):
        assert await world.anna.autocomplete(world.channel, "tutto review", "game", "A") == known != []


async def test_suggestions_that_come_too_late_are_no_error(world: World) -> None:
    """Discord forgets a letter as soon as another one is typed. An error in the log fails this test."""
    await played(world, world.anna, world.ben)
    world.fail("POST", "*/callback", 404, 10062)
    assert await world.anna.autocomplete(world.channel, "tutto review", "game", "") == []
    world.unanswered |= set(world.env.backend.interactions)
    assert await world.anna.autocomplete(world.channel, "tutto review", "game", "")


async def test_suggestions_that_fail_are_none_and_one_error(
    world: World, monkeypatch: pytest.MonkeyPatch, expected_errors: list[str]
) -> None:
    async def broken(*args: Any) -> Any:
        raise sqlite3.OperationalError("database is locked")

    monkeypatch.setattr(world.bot.store, "finished_in_channel", broken)
    assert await world.anna.autocomplete(world.channel, "tutto review", "game", "") == []
    expected_errors.append("There are no suggestions for interaction")


@pytest.mark.parametrize(
    ("command", "option"),
    [("gone", {"name": "game"}), ("tutto", {"name": "gone"}), ("help", {"name": "game", "focused": False})],
)
async def test_what_is_typed_into_an_earlier_versions_command_gets_no_suggestions(
    world: World, command: str, option: dict[str, Any]
) -> None:
    typed = {"type": 3, "value": "a", "focused": True, **option}
    if command == "tutto":
        typed = {"type": 1, "name": "review", "options": [typed]}
    data = {"id": "1", "name": command, "type": 1, "options": [typed]}
    kind = InteractionType.APPLICATION_COMMAND_AUTOCOMPLETE
    result, payload = world._interaction(world.anna, kind, {"channel_id": str(world.channel.id)}, data)
    world.deliver(payload)
    await world.settle()
    assert result.autocomplete_choices == []


@pytest.mark.parametrize("game", ["ffff", "no such thing", "", "-1", "9" * 40])
async def test_an_id_of_no_game_is_refused(world: World, game: str) -> None:
    result = await world.slash(world.anna, "tutto review", game=game)
    assert "How well" not in private(result)
    assert private(result)


async def test_a_game_of_another_server_is_never_reviewed(world: World) -> None:
    game = await played(world, world.anna, world.ben)
    guild = world.env.create_guild()
    channel = guild.create_text_channel("other")
    anna = guild.add_member(world.anna.user)
    result = await anna.slash(channel, "tutto review", game=f"{game:x}")
    assert "How well" not in private(result)
    assert private(result)
    assert await anna.autocomplete(channel, "tutto review", "game", "") == []


async def test_the_review_of_a_game_is_asked_for_by_its_own_command(world: World) -> None:
    """And one of Gambler is reviewed only if two played."""
    await played(world, world.anna, world.ben, world.chiara)
    world.execute("UPDATE games SET game = 'gambler'")
    result = await world.slash(world.anna, "tutto review")
    assert "No game has finished" in private(result)
    result = await world.slash(world.anna, "tutto review", game="1")
    assert "How well" not in private(result)
    assert "Only games of Gambler with two players can be reviewed" in private(
        await world.slash(world.anna, "gambler review")
    )
    assert await world.anna.autocomplete(world.channel, "gambler review", "game", "") == []


async def test_an_ended_game_has_no_review(world: World) -> None:
    table = await world.begin(world.anna, world.ben)
    row = await world.row()
    result = await world.forge(world.anna, str(ButtonId(row.id, row.version, "e.review")), table)
    assert "How well" not in said(result)
    assert private(result)


THIRD = "(SELECT number FROM moves ORDER BY number LIMIT 1 OFFSET 2)"
DAMAGES = {
    "the last move is missing": "DELETE FROM moves WHERE number = (SELECT max(number) FROM moves)",
    "a move in the middle is missing": f"DELETE FROM moves WHERE number = {THIRD}",
    "nothing is left": "DELETE FROM moves",
    "a move is none": f"UPDATE moves SET action = '{{}}' WHERE number = {THIRD}",
    "a move is no JSON": f"UPDATE moves SET action = 'x' WHERE number = {THIRD}",
    "an outcome is none": f"UPDATE moves SET chance = '[7]' WHERE number = {THIRD}",
    "outcomes are missing": "UPDATE moves SET chance = '[]' WHERE chance LIKE '%card%'",
    "a list is something else": f"UPDATE moves SET chance = '5' WHERE number = {THIRD}",
    "the end is another one": "UPDATE games SET state = replace(state, '\"scores\":[', '\"scores\":[5')",
}


@pytest.mark.parametrize("damage", DAMAGES)
async def test_a_damaged_log_is_reported(world: World, damage: str) -> None:
    game = await played(world, world.anna, world.ben)
    before = world.query("SELECT * FROM moves") + world.query("SELECT state FROM games")
    world.execute(DAMAGES[damage])
    assert world.query("SELECT * FROM moves") + world.query("SELECT state FROM games") != before
    forget_results(world)
    result = await world.slash(world.anna, "tutto review", game=f"{game:x}")
    assert "is damaged, so I can’t review it" in private(result)


async def test_a_review_does_not_name_a_person_who_was_erased(world: World) -> None:
    await played(world, world.anna, world.ben)
    await world.press(world.ben, "Review")
    await world.bot.store.erase(world.anna.id)
    text = private(await world.press(world.ben, "Review"))
    assert "Anna" not in text
    assert "somebody: " in text


async def test_a_review_that_takes_long_is_announced(world: World) -> None:
    await played(world, world.anna, world.ben)
    goes_on, think = asyncio.Event(), world.bot.derived._slow._think

    async def slow(*args: Any) -> Any:
        await world.env.external_wait(goes_on.wait(), reason="the review")
        return await think(*args)

    forget_results(world)
    world.bot.derived._slow._think = slow
    result = world.send_slash(world.anna, "tutto review")
    await world.later(2.0)
    assert result.deferred
    assert result.ephemeral
    goes_on.set()
    await world.settle()
    assert "How well each player chose" in private(result)
    assert files(world, result) == [PICTURE]


async def test_a_review_that_takes_too_long_is_given_up(world: World) -> None:
    await played(world, world.anna, world.ben)
    forget_results(world)
    world.bot.derived._slow._think = too_slow
    assert "takes too long" in private(await world.slash(world.anna, "tutto review"))


async def test_reviews_are_in_the_language_of_their_reader(world: World) -> None:
    await played(world, world.anna, world.ben)
    world.locales[world.ben.id] = "de"
    mine = await world.press(world.ben, "Review")
    assert "How well" not in private(mine)
    (button,) = screen.buttons({"components": reply(mine).components})
    shared = await world.ben.click(reply(mine), custom_id=button["custom_id"])
    assert "How well each player chose" in screen.text_of({"components": shared.followups[0].components})


async def test_history_leads_to_the_review(world: World) -> None:
    game = await played(world, world.anna, world.ben)
    result = await world.forge(world.chiara, str(ButtonId(0, 0, f"rv.{game:x}")))
    assert "How well each player chose" in private(result)
    for wrong in ("rv", "rv.", "rv.x", f"rv.{game:x}.t", f"rv.{game:x}.s.s", "rv.-1"):
        result = await world.forge(world.chiara, str(ButtonId(0, 0, wrong)))
        assert "How well" not in said(result)


# --------------------------------------------------------------------------------------------- tables


@pytest.fixture
def no_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(tables, "DIRECTORY", tmp_path / "nothing")
    for kept in (tables.load, tables.nearest, winning._stakes, winning._turn):
        kept.cache_clear()
    yield
    for kept in (tables.load, tables.nearest, winning._stakes, winning._turn):
        kept.cache_clear()


async def test_missing_tables_are_reported_and_the_bot_plays_on(
    world: World, no_tables: None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    await world.restart()
    (record,) = (one for one in caplog.records if "play without a table" in one.getMessage())
    assert record.levelno == logging.WARNING
    assert "python -m tools.solve_tutto --all" in record.getMessage()
    await world.lobby(world.anna)
    await world.press(world.anna, "＋ Grandmaster")
    await world.press(world.anna, "Start the game")
    text = await odds(world, world.anna)
    assert "The chance of winning is not known here" in text
    assert "win **" not in text
    await world.play()
    assert "Review" in world.labels()
    assert "The chances of winning are an estimate" in private(await world.press(world.anna, "Review"))


async def played_in(world: World, channel: Any, *people: MemberActor) -> int:
    """A finished game in another channel: played here, and moved there."""
    game = await played(world, *people)
    world.execute("UPDATE games SET channel_id = ? WHERE id = ?", channel.id, game)
    return game


def hidden(world: World, who: MemberActor) -> dict[Any, discord.PermissionOverwrite]:
    return {who: discord.PermissionOverwrite(view_channel=False)}
