"""The score sheet behind "More" on the table of a running game: a private page, and a file."""

from __future__ import annotations

import csv
import io

from tests.support.screen import files
from tests.support.values import not_none
from tests.support.world import World, opened, private

SHEET = "g.sheet"


async def test_everybody_can_look_at_the_score_sheet_of_a_running_game(world: World) -> None:
    await world.begin(world.anna, world.ben, target=10_000)
    early = await world.press_more(world.chiara, SHEET)
    assert "Nobody has finished a turn yet" in private(early)
    assert not files(world.message(not_none(early.response).id))
    while (await world.state()).finished < 3:
        await world.step()
    scores = (await world.state()).scores
    result = await world.press_more(world.chiara, SHEET)
    lines = [line for line in private(result).splitlines() if line[:1].isdigit()]
    assert [line.split()[1] for line in lines] == ["Anna", "Ben", "Anna"]
    assert lines[-1].endswith(f" · {scores[0]:,}")
    name, data = await opened(world, result)
    assert name == f"tutto-{(await world.row()).id}.csv"
    head, *rows = csv.reader(io.StringIO(data.decode("utf-8-sig")))
    assert head == ["turn", "player", "points", "Anna", "Ben"]
    assert [row[:2] for row in rows] == [["1", "Anna"], ["2", "Ben"], ["3", "Anna"]]
    assert rows[-1][3:] == [str(score) for score in scores]
