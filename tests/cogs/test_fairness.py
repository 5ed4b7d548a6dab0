"""What people see of the dice: the seal, words, the message that opens a game, and the check."""

from __future__ import annotations

import json
import re
from typing import Any

import discord
import pytest
from simcord import InteractionResult, MemberActor

from bot.i18n.names import WORD_LENGTH
from bot.records.sealing import message_of, seal_of, seed_of
from bot.records.seeds import drawn_number
from bot.records.verification import verify_line
from bot.records.who_begins import LOT_INDEX, turned
from bot.screens.button_ids import ButtonId
from bot.sessions.lobby import is_starting
from bot.sessions.presentation import NOTIFY_SECONDS
from bot.sessions.session import GameSession
from bot.store.base import ABORTED, LIVE, LOBBY
from tests.support import screen
from tests.support.records import stored_record
from tests.support.values import not_none
from tests.support.world import SEED, World, opened, private, reply

FIELD = "text"


async def form(world: World, who: MemberActor) -> InteractionResult:
    """Click the button for a word behind "Fair?"; the form opens at once."""
    shown = await ask_word(world, who)
    assert shown._interaction.modal is not None
    return shown


async def ask_word(world: World, who: MemberActor) -> InteractionResult:
    page = not_none((await world.press(who, "Fair?")).response)
    return await world.click(who, world.message(page.id), "Add a word")


async def say_word(world: World, who: MemberActor, word: str) -> InteractionResult:
    return await who.submit_modal(await form(world, who), {FIELD: word})


async def dice(world: World, who: MemberActor) -> str:
    """The private page behind the button, which stands behind "More" during the game."""
    running = (await world.row()).status == LIVE
    return private(await (world.press_more(who, "f") if running else world.press(who, "Fair?")))


async def test_the_seal_is_reachable_from_the_lobby_on(world: World) -> None:
    await world.lobby(world.anna)
    row = await world.row()
    seal = seal_of(SEED, row.id)
    assert row.seal == seal
    assert f"`{seal[:12]}…`" in world.text()
    lobby = world.table()
    # All of it for everybody, before anybody else has joined: twelve digits alone would bind nobody.
    assert seal in await dice(world, world.chiara)
    await world.press(world.anna, world.add_ai())
    page = await dice(world, world.chiara)
    assert seal in page
    assert SEED.hex() not in page
    await world.press(world.anna, "Start the game")
    left = screen.text_of(world.message(lobby["id"]))
    assert seal in left
    assert not screen.buttons(world.message(lobby["id"]))
    assert world.table()["id"] in left
    page = await dice(world, world.chiara)
    assert seal in page
    assert world.table()["id"] in page
    assert SEED.hex() not in page
    await world.play()
    page = await dice(world, world.chiara)
    assert seal in page
    assert SEED.hex() in page
    assert "Everything checks out" in page


async def test_the_message_of_the_table_is_mixed_in(world: World) -> None:
    table = await world.begin(world.anna, world.ben)
    row = await world.row()
    assert message_of(row.start) == int(table["id"]) == row.message_id
    assert len(world.requests("POST", "/messages")) == 1
    await world.play()
    row = await world.row()
    text = not_none(await stored_record(world.bot.store, row))
    record = json.loads(text)
    assert record["seed"] == seed_of(SEED, row.start).hex()
    assert record["start"]["message_id"] == table["id"]
    verify_line(text)


async def test_words_are_shown_mixed_in_and_verified(world: World) -> None:
    await world.lobby(world.anna, world.ben)
    await say_word(world, world.ben, " kumquat ")
    assert "Ben “kumquat”" in world.text()
    shown = await form(world, world.ben)
    assert shown._interaction.modal is not None
    (label,) = shown._interaction.modal["components"]
    assert label["component"]["value"] == "kumquat"
    await world.ben.submit_modal(shown, {FIELD: "plum"})
    assert "kumquat" not in world.text()
    await say_word(world, world.anna, "pear")
    await say_word(world, world.anna, "")
    assert "pear" not in world.text()
    await world.press(world.anna, "Start the game")
    assert "“plum”" in await dice(world, world.anna)
    await world.play()
    result = await world.press(world.anna, "Record")
    _, data = await opened(world, result)
    record = json.loads(data)
    assert record["words"] == ["", "plum"]
    assert verify_line(data.decode()).deleted == 0


async def test_the_lot_is_drawn_from_the_dice_and_calls_whom_it_falls_on(world: World) -> None:
    await world.lobby(world.anna, world.ben, world.chiara)
    await say_word(world, world.ben, "plum")
    await world.set_options(world.anna, begins="lot")
    assert "drawn by lot" in world.text()
    await world.later(NOTIFY_SECONDS + 1)
    await world.press(world.anna, "Start the game")
    row = await world.row()
    seed = seed_of(SEED, row.start)
    first = drawn_number(seed, LOT_INDEX, 3)
    people = [world.anna, world.ben, world.chiara]
    assert [seat.user_id for seat in row.seats] == [one.id for one in turned(people, first)]
    text = world.text()
    assert "begins, drawn by lot" in text
    assert (f"<@{people[first].id}>" in text) == (people[first] is not world.anna)
    assert "Ben “plum”" in await dice(world, world.anna)
    await world.restart()
    await world.play()
    assert "Everything checks out" in await dice(world, world.anna)
    record = not_none(await stored_record(world.bot.store, await world.row()))
    assert json.loads(record)["first"] == first
    verify_line(record)


@pytest.mark.parametrize("word", ["@everyone", "<@1> **b** `c`", "https://example.com", "# x", "\u202eabc"])
async def test_words_are_harmless_when_shown(world: World, word: str) -> None:
    await world.lobby(world.anna, world.ben)
    await say_word(world, world.ben, word)
    start = "-# Words for the dice"
    (line,) = [line for line in world.text().splitlines() if line.startswith(start)]
    plain = re.sub(r"\\[^\w\s]", "", line.removeprefix(start))
    assert not set(plain) & set("@<>*`#_\u202e"), plain
    await world.press(world.anna, "Start the game")
    posted = world.requests("POST", "/messages")[-1]
    assert posted.json["allowed_mentions"]["parse"] == []


async def test_words_are_refused_with_a_reason(world: World) -> None:
    await world.lobby(world.anna, world.ben)
    assert "Click **Join** first" in private(await ask_word(world, world.chiara))
    assert "can be shown" in private(await say_word(world, world.ben, "\u200b"))
    late = await form(world, world.ben)
    await world.press(world.anna, "Start the game")
    assert "fixed now" in private(await world.ben.submit_modal(late, {FIELD: "late"}))
    assert (await world.row()).words == ()


async def test_a_form_that_was_opened_before_a_restart_still_counts(world: World) -> None:
    await world.lobby(world.anna, world.ben)
    shown = await form(world, world.ben)
    await world.restart(crashed=True)
    await world.ben.submit_modal(shown, {FIELD: "x" * WORD_LENGTH})
    assert [word.text for word in (await world.row()).words] == ["x" * WORD_LENGTH]


async def test_a_form_of_something_else_is_refused_in_words(world: World) -> None:
    await world.lobby(world.anna)
    row = await world.row()
    message: Any = world.table()
    kind = discord.InteractionType.modal_submit.value
    for custom_id in (str(ButtonId(row.id, 0, "l.join")), "nonsense"):
        data = {"custom_id": custom_id, "components": []}
        result, payload = world._interaction(world.anna, kind, message, data)  # type: ignore[arg-type]
        world.deliver(payload)
        await world.settle()
        assert "out of date" in private(result)


# The start, when Discord or the bot fails.


async def test_without_the_permission_to_post_the_answer_opens_the_game(world: World) -> None:
    await world.lobby(world.anna, world.ben)
    world.deny("send_messages")
    await world.press(world.anna, "Start the game")
    row = await world.row()
    assert row.status == LIVE
    assert message_of(row.start) == int(world.table()["id"]) == row.message_id


async def test_if_nothing_can_be_posted_the_lobby_opens_again(world: World) -> None:
    await world.lobby(world.anna, world.ben)
    await say_word(world, world.ben, "plum")
    world.deny("send_messages")
    world.fail("POST", "/webhooks/*", 403, 50013)
    result = await world.press(world.anna, "Start the game")
    assert "a message of its own" in private(result)
    row = await world.row()
    assert (row.status, row.start, len(row.words)) == (LOBBY, "", 1)
    assert "Start the game" in world.labels()
    world.heal()
    world.deny()
    await world.press(world.anna, "Start the game")
    assert (await world.row()).status == LIVE


@pytest.mark.parametrize("crashed", [False, True])
async def test_a_start_that_was_cut_off_goes_on_after_the_restart(world: World, crashed: bool) -> None:
    await world.lobby(world.anna, world.ben)
    world.fail("POST", "/channels/*", 503, times=None)
    await world.press(world.anna, "Start the game")
    starting = await world.row()
    assert is_starting(starting)
    world.heal()
    await world.restart(crashed=crashed)
    await world.settle()
    row = await world.row()
    assert row.status == LIVE
    assert json.loads(row.start) == json.loads(starting.start) | {"message_id": str(row.message_id)}
    assert sum(1 for one in world.messages() if screen.buttons(one)) >= 1
    await world.play()


async def test_killed_after_the_post_the_same_message_counts(
    world: World, monkeypatch: pytest.MonkeyPatch, expected_errors: list[str]
) -> None:
    """Discord returns the message that it has for this nonce, so the game opens with the same one."""
    await world.lobby(world.anna, world.ben)
    with monkeypatch.context() as patched:
        patched.setattr(GameSession, "begin", killed)
        expected_errors.append("killed in between")
        await world.press(world.anna, "Start the game")
    assert is_starting(await world.row())
    await world.restart(crashed=True)
    await world.settle()
    first, second = (post.json["nonce"] for post in world.requests("POST", "/messages"))
    assert first == second
    assert (await world.row()).status == LIVE


async def killed(*_: Any) -> None:
    raise RuntimeError("killed in between")


async def test_the_one_to_begin_is_called_by_the_message_that_opens_the_game(world: World) -> None:
    """The host has left the server, and the next host has been idle for a while when somebody else starts."""
    await world.lobby(world.anna, world.ben, world.chiara)
    await world.later(120)
    world.guild.remove_member(world.anna)
    sent = len(world.requests("POST", "/messages"))
    await world.press(world.chiara, "Start the game")
    (post,) = world.requests("POST", "/messages")[sent:]
    assert post.json["allowed_mentions"]["users"] == [world.ben.id]
    assert world.table()["id"] == str((await world.row()).message_id)


# The end.


async def test_a_game_that_was_ended_is_opened_and_checked(world: World) -> None:
    table = await world.begin(world.anna, world.ben)
    await world.press(world.anna, "Turn a card and roll")
    await world.confirmed(world.anna, "tutto end")
    row = await world.row()
    assert row.status == ABORTED
    assert SEED.hex()[:8] in screen.text_of(world.message(table["id"]))
    result = await world.click(world.chiara, world.message(table["id"]), "Fair?")
    assert SEED.hex() in private(result)
    assert "Everything checks out" in private(result)
    _, data = await opened(world, await world.chiara.click(reply(result), label="Record"))
    assert verify_line(data.decode()).result is None


async def test_a_lobby_that_was_closed_is_opened_too(world: World) -> None:
    table = await world.lobby(world.anna)
    await world.press(world.anna, "Close the table")
    result = await world.click(world.ben, world.message(table["id"]), "Fair?")
    assert SEED.hex() in private(result)
    assert "before any dice were drawn" in private(result)


async def test_a_game_by_other_rules_is_not_doubted(world: World) -> None:
    await world.begin(world.anna, world.ben)
    await world.play()
    world.execute("UPDATE games SET rules_version = 7")
    page = await dice(world, world.anna)
    assert "version 7" in page
    assert "can’t confirm" not in page
    assert "version 7" in private(await world.press(world.anna, "Record"))


async def test_erasing_a_person_erases_their_word(world: World) -> None:
    await world.lobby(world.anna, world.ben)
    await say_word(world, world.ben, "kumquat")
    await world.press(world.anna, "Start the game")
    await world.play()
    exported = await world.bot.store.export(world.ben.id)
    assert exported["words"] == [{"game_id": (await world.row()).id, "seat": 1, "word": "kumquat"}]
    await world.bot.store.erase(world.ben.id)
    assert world.count("words") == 0
    page = await dice(world, world.anna)
    assert "Everything checks out" in page
    assert "kumquat" not in page
    assert "deleted" in page
    text = not_none(await stored_record(world.bot.store, await world.row()))
    assert json.loads(text)["words"] == ["", None]
    assert verify_line(text).deleted == 1
