"""An answer that Discord refuses is tried again in a plainer form, and no command stays at "thinking…"."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

import pytest
from simcord import InteractionResult

from bot.discordpy import handling
from bot.discordpy.answer import Answer
from tests.support import screen
from tests.support.world import World, opened, private, reply, said

CALLBACK = "/interactions/*/callback"
ORIGINAL = "/webhooks/*/messages/@original"

REFUSALS = [(400, 50035), (403, 50013), (503, 0)]
"""An invalid form, a missing permission, and an error of Discord itself."""

COMMANDS = ["help", "tutto rules", "tutto fair", "tutto odds", "history", "privacy", "leaderboard"]


@pytest.fixture(params=[False, True], ids=["prompt", "slow"])
def slow(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether each command is announced before it is answered, as on a machine that is busy."""
    original = handling.handle

    async def handle(answer: Answer, work: Coroutine[Any, Any, None]) -> None:
        async def announced() -> None:
            await answer.acknowledge()
            await work

        await original(answer, announced())

    if request.param:
        monkeypatch.setattr(handling, "handle", handle)
    return bool(request.param)


def refuse(world: World, slow: bool, status: int, code: int, times: int | None = 1) -> None:
    """Let the next answers to commands be refused; those that come after an announcement change it."""
    world.fail("PATCH" if slow else "POST", ORIGINAL if slow else CALLBACK, status, code, times)
    world.tries = 10


async def command(world: World, name: str) -> InteractionResult:
    options: dict[str, Any] = {"dice": "1 1 5"} if name == "tutto odds" else {}
    return await world.slash(world.anna, name, **options)


@pytest.mark.parametrize(("status", "code"), REFUSALS)
@pytest.mark.parametrize("name", COMMANDS)
async def test_a_command_whose_answer_is_refused_once_is_answered_all_the_same(
    world: World, slow: bool, name: str, status: int, code: int
) -> None:
    expected = said(await command(world, name))
    refuse(world, slow, status, code)
    result = await command(world, name)
    assert not result._interaction.loading
    # What a picture shows is said in words.
    assert said(result).startswith(expected.split("\n")[0])
    assert "did not accept" not in said(result)


@pytest.mark.parametrize("name", ["help", "tutto odds"])
async def test_a_command_that_can_be_answered_in_no_form_says_so(world: World, slow: bool, name: str) -> None:
    refuse(world, slow, 400, 50035, times=2)
    result = await command(world, name)
    assert private(result) == "Discord did not accept my answer. Check again in a moment."


async def test_where_nothing_can_be_said_nothing_seems_to_be_worked_on(world: World, slow: bool) -> None:
    refuse(world, slow, 503, 0, times=None)
    result = await command(world, "tutto odds")
    assert result.response is None
    if not slow:
        # The person's own Discord tells them that there was no answer.
        world.unanswered.add(result._interaction.id)


async def test_a_picture_that_is_refused_is_described(world: World, slow: bool) -> None:
    refuse(world, slow, 400, 50035)
    result = await command(world, "help")
    assert not screen.files(world.message(reply(result).id))
    assert "The picture can’t be shown right now. What it shows:" in private(result)
    assert "Below are buttons to join" in private(result)


async def test_an_announced_command_that_breaks_ends_its_announcement(
    world: World, monkeypatch: pytest.MonkeyPatch, expected_errors: list[str]
) -> None:
    """A follow-up message would do so only for backwards compatibility."""

    async def handle(answer: Answer, work: Coroutine[Any, Any, None]) -> None:
        work.close()
        await answer.acknowledge()
        raise RuntimeError("a mistake in the bot")

    monkeypatch.setattr(handling, "handle", handle)
    expected_errors.append("a mistake in the bot")
    result = await command(world, "privacy")
    assert "Something went wrong" in private(result)
    assert result.followups == []
    assert len(world.requests("PATCH", "/messages/@original")) == 1
    assert not [one for one in world.requests("POST") if one.path.startswith("/webhooks/")]


@pytest.mark.parametrize(("status", "code"), REFUSALS)
async def test_an_acknowledgement_that_is_refused_once_is_sent_again(
    world: World, status: int, code: int
) -> None:
    table = await world.begin(world.anna, world.ben)
    await world.click(world.anna, table, screen.with_id(":t"))
    world.tries = 2
    world.fail("POST", CALLBACK, status, code)
    # Nothing changes: it is the second half of a double click.
    result = await world.click_seen(world.anna, table, screen.with_id(":t"))
    assert result.acknowledged


async def test_a_page_whose_picture_is_refused_turns_and_says_so(world: World) -> None:
    shown = await command(world, "help")
    page = world.message(reply(shown).id)
    world.tries = 2
    world.fail("POST", CALLBACK, 400, 50035)
    following = next(label for label in screen.labels(page) if label.startswith("2"))
    await world.click(world.anna, page, following)
    turned = world.message(page["id"])
    assert following not in screen.labels(turned)
    assert not screen.files(turned)
    assert "The picture can’t be shown right now." in screen.text_of(turned)


async def test_a_record_that_is_refused_once_still_comes_as_a_file(world: World) -> None:
    await world.begin(world.anna, world.ben)
    await world.play()
    world.tries = 2
    world.fail("POST", CALLBACK, 503)
    name, _ = await opened(world, await world.press(world.ben, "Record"))
    assert name.endswith(".jsonl")
