"""What was played is shown step by step: never at the cost of a click, a lock or a restart."""

from __future__ import annotations

from typing import Any

import pytest

from bot.games.core import settle
from bot.games.tutto import Tutto
from bot.games.tutto.cards import Card
from bot.games.tutto.state import TURN_CARD, Draw, Options
from bot.records.seeds import SeededChance
from bot.services import pacing
from bot.settings import Settings
from bot.store.base import LIVE
from tests.support import screen
from tests.support.world import World

TURN = "Turn a card and roll"
SECONDS = 8.0
"""How long each step is shown: longer than a test takes, so that only ``later`` ends it."""


@pytest.fixture(autouse=True)
def _slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "STEP_SECONDS", SECONDS)
    monkeypatch.setattr(pacing, "HAND_SECONDS", SECONDS)
    real = Settings.__init__

    def stepwise(self: Settings, *args: Any, **given: Any) -> None:
        real(self, *args, **{**given, "step_by_step": True})

    monkeypatch.setattr(Settings, "__init__", stepwise)


def edits(world: World) -> int:
    """How often the table was edited, by the answer to a click, through its token, or by the bot."""
    changed = [one for one in world.requests("POST", "/callback") if (one.json or {}).get("type") == 7]
    return len(changed) + len(world.requests("PATCH"))


async def before_ais(world: World) -> None:
    """Begin a game of Anna against an AI, and play until the AI's turn is shown."""
    await world.begin(world.anna, ais=1)
    while "g.skip" not in world.tokens():
        await world.press(world.anna, world.careful())


async def test_steps_follow_by_themselves_and_then_the_end(world: World, plain_dice: None) -> None:
    await before_ais(world)
    row = await world.row()
    assert row.status == LIVE
    assert row.shown_version < row.version, "a step does not count as shown"
    assert not world.bot.painter._lock_of(row.id).locked(), "no lock is held while it is shown"
    assert not world.session()._lock.locked()
    before, texts = edits(world), [world.text()]
    while "g.skip" in world.tokens():
        await world.later(SECONDS)
        texts.append(world.text())
    assert len(set(texts)) == len(texts) <= 4
    assert edits(world) == before + len(texts) - 1
    assert await world.is_shown()
    await world.later(2 * SECONDS)
    assert edits(world) == before + len(texts) - 1


async def test_a_click_on_a_step_is_carried_out_and_ends_it(world: World) -> None:
    await before_ais(world)
    moves, before = len(await world.log()), edits(world)
    await world.press(world.anna, TURN)
    row = await world.row()
    assert len(await world.log()) > moves
    assert edits(world) == before + 1
    if "g.skip" not in world.tokens():
        assert row.shown_version == row.version
        await world.later(2 * SECONDS)
        assert edits(world) == before + 1


async def test_a_kill_while_a_step_is_shown_is_followed_by_the_end(world: World) -> None:
    await before_ais(world)
    step = world.text()
    await world.bot.painter._pacing.stop()  # what a killed process had in mind is gone
    await world.restart(crashed=True)
    assert world.text() != step
    assert "g.skip" not in world.tokens()
    assert await world.is_shown()


@pytest.mark.parametrize("refused", [False, True])
async def test_skipping_shows_the_end_to_people_of_the_table(world: World, refused: bool) -> None:
    await before_ais(world)
    result = await world.press(world.chiara if refused else world.anna, screen.with_id(":g.skip"))
    assert result.acknowledged
    assert ("g.skip" in world.tokens()) is refused


async def test_fireworks_are_rolled_by_hand_and_a_double_click_rolls_once(
    world: World, plain_dice: None
) -> None:
    rules, state = Tutto(), Tutto().apply(Tutto().initial(Options(), 2), TURN_CARD).state
    seeds = (number.to_bytes(32, "big") for number in range(1000))
    world.seed = next(
        seed
        for seed in seeds
        if (played := settle(rules, state, SeededChance(seed))).outcomes[0] == Draw(Card.FIREWORKS)
        and len(played.outcomes) > 3
    )
    await world.begin(world.anna, world.ben)
    await world.press(world.anna, TURN)
    rolls = [one for token, one in world.tokens().items() if token.startswith("g.roll.")]
    table = world.table()
    first = world.text()
    await world.click(world.ben, table, rolls[0])
    assert world.text() == first, "it is Anna's roll"
    world.send(world.anna, table, custom_id=rolls[0])
    world.send(world.anna, table, custom_id=rolls[0])
    await world.settle()
    assert world.text() != first
    assert world.tokens().keys() & {"g.roll.1", "g.skip"}
    await world.press(world.ben, TURN)
    assert "g.roll.1" not in world.tokens()
