"""Emojis in buttons and texts, the score chart, the help pages."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from simcord.components import walk_components

from bot.client import DiceBot
from bot.screens.help import PAGES, picture_of
from bot.screens.result import SCORE_CHART
from bot.services.emojis import drawn, name_of
from bot.sessions import commands
from bot.settings import Settings
from tests.services.test_emojis import checked
from tests.support import screen
from tests.support.screen import Message
from tests.support.values import not_none
from tests.support.waiting import until
from tests.support.world import World, private, reply, said

# Dice also follow from how many messages came before, and a few turns may end a game.
pytestmark = pytest.mark.usefixtures("plain_dice")

MEDIA_GALLERY = 12


@pytest.fixture
async def make_bot(path: Path) -> AsyncIterator[Callable[[], DiceBot]]:
    """Bots that upload their emojis, and believe the database about them after that."""
    made: list[DiceBot] = []

    def make() -> DiceBot:
        # Threads: each bot would start processes for its pictures.
        settings = Settings(database=path, shard_count=1, step_by_step=False)
        made.append(DiceBot(settings, always_sync=not made, think=asyncio.to_thread))
        return made[-1]

    yield make
    for bot in made:
        await bot.close()


@pytest.fixture(autouse=True)
async def _with_emojis(world: World) -> None:
    await asyncio.wait_for(world.bot.app_emojis.first_round.wait(), 10)


def picture(message: Message) -> dict[str, Any] | None:
    """The one picture shown in a message."""
    galleries = [one for one in walk_components(message["components"]) if one["type"] == MEDIA_GALLERY]
    items = [item for gallery in galleries for item in gallery["items"]]
    assert len(items) <= 1
    return items[0] if items else None


async def settled(world: World, check: Callable[[], object]) -> None:
    """Wait until this is true of a settled world."""

    async def found() -> object:
        await world.settle()
        return check()

    await until(found, 10)


async def illustrated(world: World, message_id: str) -> dict[str, Any]:
    """The picture of a message, as soon as there is one."""
    await settled(world, lambda: picture(world.message(message_id)))
    return not_none(picture(world.message(message_id)))


async def a_whole_game(world: World) -> None:
    await world.begin(world.anna, world.ben)
    await world.play()


async def to_dice(world: World) -> None:
    """Play until there are dice to mark."""
    while not world.marks():
        await world.step()


async def begin_to_dice(world: World) -> None:
    await world.begin(world.anna, world.ben, target=6000)
    await to_dice(world)


# ------------------------------------------------------------------ emojis


def refuse_emoji(world: World, *paths: str) -> None:
    """Let Discord refuse the next answer, or a request to each of these paths, for an emoji in it."""
    world.tries = 2  # the refused answer, and the quiet one after the table was edited
    message = "components[0].emoji.id: Invalid emoji"
    for path in paths or ("*/callback",):
        world.env.inject_error("POST", path, status=400, code=50035, message=message)


async def test_all_drawings_are_uploaded_once_and_not_again(world: World) -> None:
    backend = world.env.backend
    assert {one.name for one in backend.application_emojis.values()} == {name_of(icon) for icon in drawn()}
    await world.restart()
    before = len(world.requests("GET", "/emojis")) + len(world.requests("POST", "/emojis"))
    await asyncio.wait_for(world.bot.app_emojis.first_round.wait(), 10)
    await world.settle()
    assert len(world.requests("GET", "/emojis")) + len(world.requests("POST", "/emojis")) == before
    assert "<:" in world.bot.catalogue.icon("die-1")


async def test_dice_are_large_pictures_with_sensible_names(world: World) -> None:
    await begin_to_dice(world)
    state = await world.state()
    (large,) = [line for line in world.text().splitlines() if line.startswith("# ")]
    names = re.findall(r"<:(die_\w+):", large)
    assert [name.split("_")[1] for name in names] == [str(face) for face in state.roll]
    assert any(name.endswith("_kept") for name in names)
    assert f"<:card_{'bonus' if state.card.bonus else state.card.value}:" in world.text()


async def test_marking_a_die_changes_its_picture(world: World) -> None:
    await begin_to_dice(world)
    who = not_none(await world.mover())
    await world.press(who, "Other dice…")
    before = world.text()
    await world.press(who, world.marks()[0])
    after = world.text()
    assert after.count("_kept:") < before.count("_kept:")
    assert len(re.findall("<:die_", after)) == len(re.findall("<:die_", before))


async def test_a_table_refused_for_an_emoji_is_shown_in_text(world: World) -> None:
    """Somebody deleted emojis in the developer portal; Discord refuses buttons with them."""
    await begin_to_dice(world)
    who = not_none(await world.mover())
    world.env.backend.application_emojis.clear()
    refuse_emoji(world)
    result = await world.press(who, world.careful())
    assert result.acknowledged
    await checked(world.bot.app_emojis)
    await world.settle()
    assert await world.is_shown()
    # All were missing, so all are there again for the next table.
    assert len(world.env.backend.application_emojis) == len(drawn())
    await to_dice(world)
    shown = set(map(int, re.findall(r"<:\w+:(\d+)>", world.text())))
    assert shown
    assert shown <= world.env.backend.application_emojis.keys()


async def test_a_page_refused_for_an_emoji_is_shown_in_text(world: World) -> None:
    await a_whole_game(world)
    refuse_emoji(world)
    result = await world.slash(world.anna, "leaderboard")
    assert not reply(result).ephemeral
    assert "<:" not in said(result)
    assert "<:" in said(await world.slash(world.anna, "leaderboard"))


# ------------------------------------------------------------------ the race


async def test_the_end_shows_the_race_with_words_for_it(world: World) -> None:
    await a_whole_game(world)
    end = world.table()
    found = await illustrated(world, end["id"])
    assert found["media"]["url"].endswith(SCORE_CHART)
    winner = "Anna" if "**Anna** wins" in world.text() else "Ben"
    assert found["description"].startswith(f"{winner} wins with ")
    (file,) = screen.files(world.message(end["id"]))
    assert file["filename"] == SCORE_CHART
    assert 1000 < file["size"] < 100_000


async def test_the_result_does_not_wait_for_the_picture(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn_at_last = asyncio.Event()
    original = world.bot.derived.score_chart

    async def slow(*args: Any) -> bytes:
        await world.env.external_wait(drawn_at_last.wait(), reason="a slow machine")
        return await original(*args)

    monkeypatch.setattr(world.bot.derived, "score_chart", slow)
    await a_whole_game(world)
    end = world.table()
    assert " wins!" in world.text()
    assert picture(end) is None
    drawn_at_last.set()
    assert await illustrated(world, end["id"])


async def until_told(world: World) -> None:
    """Wait until the end says which turn was that of the game."""
    await settled(world, lambda: "Turn of the game" in world.text())


async def test_without_the_permission_to_attach_files_there_is_no_picture(world: World) -> None:
    await world.begin(world.anna, world.ben)
    world.fail("PATCH", "/channels/*/messages/*", 403, 50013)
    await world.play()
    await settled(world, lambda: not any(fault["times"] for fault in world.env.backend.faults[:1]))
    await until_told(world)
    assert picture(world.table()) is None


async def test_the_end_tells_the_turn_of_the_game_also_after_a_rematch(world: World) -> None:
    await a_whole_game(world)
    end = world.table()["id"]
    await until_told(world)
    assert picture(world.message(end))
    await world.press(world.ben, "Rematch")
    assert "Turn of the game" in screen.text_of(world.message(end))


async def test_a_rematch_keeps_the_picture(world: World) -> None:
    await a_whole_game(world)
    end = world.table()
    await illustrated(world, end["id"])
    await world.press(world.ben, "Rematch")
    assert screen.labels(world.message(end["id"]))[0] != "Rematch"
    assert picture(world.message(end["id"]))
    assert len(screen.files(world.message(end["id"]))) == 1


async def test_the_picture_comes_after_a_restart_too(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bot is killed when the game is over and nothing of that has been shown."""
    await world.begin(world.anna, world.ben)
    await world.session().carry_out(commands.leave, world.click_of(world.anna), (await world.row()).id)
    await world.restart(crashed=True)
    message_id = not_none((await world.row()).message_id)
    found = await illustrated(world, str(message_id))
    assert found["description"].startswith("Ben wins because everyone else has left.")


# ------------------------------------------------------------------ help


async def test_help_is_private_and_leads_through_its_pages(world: World) -> None:
    result = await world.slash(world.chiara, "help")
    assert reply(result).ephemeral
    assert "`/tutto start`" in private(result)
    message_id = str(reply(result).id)
    for page in (*PAGES[1:], PAGES[0]):
        again = await world.click(world.chiara, world.message(message_id), screen.with_id(f"he.{page}"))
        assert again.acknowledged
        message = world.message(message_id)
        assert [file["filename"] for file in screen.files(message)] == [picture_of(page)]
        shown = not_none(picture(message))
        assert shown["media"]["url"].endswith(picture_of(page))
        assert shown["description"]
    assert all(not screen.buttons(one) for one in world.messages()), "nobody else sees it"


async def test_an_unknown_help_page_is_an_old_button(world: World) -> None:
    await world.lobby(world.anna)
    for token in ("he.nowhere", "he", "he.turn.more"):
        assert "no longer works" in private(await world.forge(world.anna, f"1:0:0:{token}"))
