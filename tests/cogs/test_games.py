"""Whole games, from the command to the leaderboard."""

from __future__ import annotations

import json
import re

import pytest

from bot.games.tutto.state import Phase
from bot.records.record import Human
from bot.records.sealing import seal_of
from bot.records.verification import verify_line
from bot.store.base import ABORTED, FINISHED, LIVE, LOBBY
from tests.support import screen
from tests.support.values import not_none
from tests.support.world import SEED, World, opened, private, reply, said


async def test_two_people_play_a_game_to_its_end(world: World) -> None:
    opened = await world.slash(world.anna, "tutto start", edition="current", target=1000)
    assert not reply(opened).ephemeral
    assert (await world.row()).status == LOBBY
    seal = seal_of(SEED, (await world.row()).id)
    assert seal[:12] in world.text()  # before anybody joins
    assert "At the table** (1 of 10)" in world.text()
    await world.press(world.ben, "Join")
    assert "2\\. Ben" in world.text()
    await world.press(world.anna, "Start the game")
    assert (await world.row()).status == LIVE
    assert SEED.hex()[:8] not in world.text()

    while (who := await world.mover()) is not None:
        result = await world.press(who, world.careful())
        assert result.acknowledged
        # Steps without a choice happen by themselves: the game always waits for somebody to choose.
        state = await world.state()
        assert state.phase in (Phase.START, Phase.CHOOSE, Phase.TUTTO, Phase.OVER)

    row = await world.row()
    results = await world.bot.store.results(row.id)
    assert row.status == FINISHED
    assert [(one.seat, one.user_id) for one in results] == [(0, world.anna.id), (1, world.ben.id)]
    best = max(results, key=lambda one: one.score)
    winner = "Anna" if best.user_id == world.anna.id else "Ben"
    assert f"**{winner}** wins!" in world.text()
    assert world.labels() == ["Rematch", "Review", "Record", "Fair?"]
    proof = private(await world.press(world.chiara, "Fair?"))
    assert SEED.hex()[:8] in proof
    assert seal[:8] in proof
    board = said(await world.slash(world.chiara, "leaderboard"))
    assert rf"1\. **{winner}** · " in board
    assert "1 win" in board
    assert f"{best.best_turn:,}" in board


async def test_the_record_of_a_game_verifies(world: World) -> None:
    await world.begin(world.anna, world.ben)
    early = await world.forge(world.anna, f"1:{(await world.row()).id:x}:1:e.record")
    assert "once the game is over" in private(early)
    await world.play()
    result = await world.press(world.chiara, "Record")
    assert reply(result).ephemeral
    name, data = await opened(world, result)
    text = data.decode()
    verified = verify_line(text)
    raw = json.loads(text)
    assert verified.game == "tutto"
    assert verified.moves == world.count("moves")
    assert raw["seats"] == [Human("Anna").to_json(), Human("Ben").to_json()]
    assert raw["secret"] == SEED.hex()
    assert raw["start"]["message_id"] == world.table()["id"]
    assert f"verify {name}" in private(result)


async def test_a_person_plays_against_ais(world: World) -> None:
    await world.begin(world.anna, ais=2)
    assert f"{world.ai_name} 1" in world.text()
    assert f"{world.ai_name} 2" in world.text()
    posted = len(world.messages())
    await world.play()
    row = await world.row()
    assert row.status == FINISHED
    assert [seat.kind for seat in row.seats] == ["human", "ai", "ai"]
    moves = await world.log()
    assert {seat for _, seat, _, _ in moves} == {0, 1, 2}
    # All within a minute of Anna's clicks: nobody is called, the one table is edited.
    assert len(world.messages()) == posted
    text = await world.press(world.anna, "Record")
    _, record = await opened(world, text)
    verify_line(record.decode())
    assert world.query("SELECT count(*) FROM results WHERE user_id IS NULL") == [(2,)]
    assert world.ai_name not in said(await world.slash(world.anna, "leaderboard"))


async def test_a_turn_of_the_ai_is_told_in_the_next_table(world: World) -> None:
    await world.begin(world.anna, ais=1, target=10_000)
    edits, patches = len(world.requests("POST", "/callback")), len(world.requests("PATCH"))
    row = await world.row()
    while (await world.state()).finished == 0:
        await world.press(world.anna, world.careful())
    clicks = len(world.requests("POST", "/callback")) - edits
    assert (await world.state()).finished == 2  # Anna's and the AI's
    assert len(re.findall(rf"(?m)^-# {world.ai_name} · ", world.text())) == 1
    assert "it’s your turn" in world.text()
    assert len(world.requests("PATCH")) == patches, (
        "the AI's whole turn is one paint, and that is the answer to a click"
    )
    assert clicks == len([move for move in await world.log() if move[1] == 0])
    assert (await world.row()).version > row.version + clicks


async def test_ten_people_at_one_table(world: World) -> None:
    people = world.people(10)
    await world.begin(*people, target=6000)
    for _ in range(25):
        await world.step()
    assert all(seat.name in world.text() for seat in (await world.row()).seats)
    late = await world.forge(world.person("Late"), f"1:{(await world.row()).id:x}:0:l.join")
    assert "has already started" in private(late)


@pytest.mark.parametrize("target", [1250, 1001])
async def test_a_target_between_the_steps_is_refused_with_what_would_be_right(
    world: World, target: int
) -> None:
    result = await world.slash(world.anna, "tutto start", target=target)
    assert "from 1,000 to 50,000 points, in steps of 500" in private(result)
    assert world.count("games") == 0


async def test_dice_are_toggled_without_a_move(world: World) -> None:
    """Marking dice changes the clicker's table and the buttons' worth, and nothing in the database."""
    await world.begin(world.anna, world.ben)
    while "Other dice…" not in world.labels():
        await world.step()
    who = not_none(await world.mover())
    await world.press(who, "Other dice…")
    before, stored = world.table()["components"], await world.row()
    die = world.marks()[0].rsplit(".")[-1]
    await world.press(who, world.marks()[0])
    assert world.table()["components"] != before
    assert await world.row() == stored
    # The same die again: everything is as it was.
    await world.press(who, next(mark for mark in world.marks() if mark.endswith(f".{die}")))
    assert world.table()["components"] == before


async def test_a_rematch_asks_the_same_people_to_sit_down(world: World) -> None:
    await world.begin(world.anna, world.ben, world.chiara, target=1500)
    await world.play()
    over = world.table()
    await world.press(world.chiara, "Rematch")
    row = await world.row()
    assert row.status == LOBBY
    assert row.host_id == world.chiara.id
    assert [seat.name for seat in row.seats] == ["Chiara"]
    assert row.options.target == 1500
    assert "Anna and Ben: do you want to play again?" in world.text()
    await world.press(world.ben, "Join")
    assert "Anna: another game? Just click **Start the game**." in world.text()
    assert screen.labels(world.message(over["id"])) == ["Review", "Record", "Fair?"]  # there is one already
    assert "Only the host, Chiara" in private(await world.press(world.ben, "Start the game"))
    await world.press(world.anna, "Start the game")
    row = await world.row()
    assert (row.status, sorted(seat.name for seat in row.seats)) == (LIVE, ["Anna", "Ben", "Chiara"])
    await world.play()
    assert world.count("results") == 6


async def test_what_is_left_of_an_ended_game_shows_only_where_its_dice_came_from(world: World) -> None:
    await world.begin(world.anna, world.ben)
    end = await world.slash(world.anna, "tutto end")
    table = world.table()
    await world.anna.click(reply(end), label="End the game")
    assert (await world.row()).status == ABORTED
    assert screen.labels(world.message(table["id"])) == ["Fair?"]
    assert "stopped without a result" in screen.text_of(world.message(table["id"]))
    assert world.count("results") == 0


async def test_the_record_of_a_damaged_game_is_refused_in_words(world: World) -> None:
    await world.begin(world.anna, world.ben)
    await world.play()
    world.execute("UPDATE moves SET chance = '[{'")
    assert "damaged" in private(await world.press(world.anna, "Record"))
