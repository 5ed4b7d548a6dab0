"""When the picture and the highlights of a finished game are made, shown, and tried again."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from bot.games.core import Unreadable
from bot.records.game_log import OtherRules
from bot.screens.result import SCORE_CHART
from bot.services.pictures import MAX_TRIES, RETRY_SECONDS, Gallery
from bot.sessions.request import Refused
from bot.store.base import FINISHED, LIVE
from tests.support.rows import a_game

OVER = a_game(status=FINISHED, id=7)
CHART = b"chart"
HIGHLIGHTS: Any = "highlights"


class Finished:
    """A finished game: its store, derived results and table, which note what they are asked for."""

    def __init__(self, row: Any = OVER, **answers: Any) -> None:
        self.row = row
        self.answers = {"chart": CHART, "highlights": HIGHLIGHTS, "show": True} | answers
        self.asked: list[str] = []
        store: Any = SimpleNamespace(game=self._game)
        derived: Any = SimpleNamespace(
            score_chart=lambda row: self._answer("chart"), highlights=lambda row: self._answer("highlights")
        )
        self.gallery = Gallery(store, derived, lambda game_id: self._answer("show"))

    async def _game(self, game_id: int) -> Any:
        assert game_id == 7
        return self.row

    async def _answer(self, what: str) -> Any:
        self.asked.append(what)
        answer = self.answers[what]
        # A list has an answer for each time.
        answer = answer.pop(0) if isinstance(answer, list) else answer
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def draw(self) -> list[str]:
        """Ask for the picture. Return what was asked for because of it."""
        self.asked = []
        self.gallery.request(7)
        await self.gallery._queue.finished()
        return self.asked

    @property
    def again(self) -> bool:
        return 7 in self.gallery._queue


async def test_the_picture_is_shown_and_then_the_highlights() -> None:
    finished = Finished()
    assert finished.gallery.files(OVER) == {}
    assert await finished.draw() == ["chart", "show", "highlights", "show"]
    assert finished.gallery.files(OVER) == {SCORE_CHART: CHART}
    assert finished.gallery.highlights(OVER) == HIGHLIGHTS
    # A game that goes on after all has neither.
    assert finished.gallery.files(a_game(status=LIVE, id=7)) == {}
    assert finished.gallery.highlights(a_game(status=LIVE, id=7)) is None
    assert await finished.draw() == ["show"]
    finished.gallery.refuse(7)
    assert finished.gallery.files(OVER) == {}
    assert not finished.again


@pytest.mark.parametrize("row", [None, a_game(status=LIVE, id=7)])
async def test_a_game_that_is_gone_or_goes_on_has_no_picture(row: Any) -> None:
    finished = Finished(row)
    assert await finished.draw() == []
    assert not finished.again


@pytest.mark.parametrize(
    ("answers", "asked", "again"),
    [
        ({"show": False}, ["chart", "show"], True),
        ({"show": [True, False]}, ["chart", "show", "highlights", "show"], True),
        ({"chart": Refused("error-takes-long")}, ["chart"], True),
        ({"highlights": Refused("error-takes-long")}, ["chart", "show", "highlights"], True),
        ({"chart": OSError()}, ["chart"], True),
        ({"chart": OtherRules(1, 2)}, ["chart"], False),
        ({"chart": Unreadable("error-unreadable")}, ["chart"], False),
    ],
)
async def test_what_could_not_be_shown_is_tried_again(
    answers: dict[str, Any], asked: list[str], again: bool
) -> None:
    finished = Finished(**answers)
    assert await finished.draw() == asked
    assert finished.again == again
    await finished.gallery.stop()
    assert not finished.again


def test_pauses_become_longer() -> None:
    pause = Finished().gallery._queue._pause
    assert [pause(failures) for failures in (1, 2, 3)] == [
        RETRY_SECONDS,
        2 * RETRY_SECONDS,
        4 * RETRY_SECONDS,
    ]
    assert pause(MAX_TRIES - 1) is not None
    assert pause(MAX_TRIES) is None
