"""Results of games that people ask for: whose turn it is, what is kept, and what happens without a worker."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import signal
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bot.games.core import Leave, Unreadable
from bot.games.seats import person
from bot.i18n.catalogue import Catalogue
from bot.records.game_log import OtherRules, log_of
from bot.records.replay import replay
from bot.records.verification import verify_line
from bot.registry import find
from bot.screens.stats import RATING_CHART, SKILL_CHART
from bot.services import derived_functions, fair_queue
from bot.services.derived import MAX_KEPT, DerivedResults
from bot.services.fair_queue import FairQueue
from bot.services.thinking import Thinker, WorkerLost
from bot.sessions.request import Asker, Refused
from bot.standings.values import CurvePoint, SkillPoint
from bot.store.base import LIVE, Store, StoredMove
from bot.store.encoding import move_columns
from bot.strategy.account import NoAccount
from bot.strategy.skill import Skill
from tests.support.records import a_log
from tests.support.rows import a_result
from tests.support.values import not_none
from tests.support.waiting import Watched

ENTRY = find("tutto")
ROW, MOVES, _ = a_log(ENTRY.rules, 1)
ANNA, BEN, CHIARA = Asker(1, 1), Asker(1, 2), Asker(2, 3)


# Whose turn it is.


async def order_of(*askers: Asker) -> list[Asker]:
    """Let these people ask in this order, while the bot works on a request of Anna."""
    queue, served = FairQueue(), []

    async def ask(asker: Asker) -> None:
        async with queue.turn(asker):
            served.append(asker)
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as group, queue.turn(ANNA):
        for asker in askers:
            group.create_task(ask(asker))
            await asyncio.sleep(0)
    assert not queue._waiting
    assert not queue._busy
    return served


@pytest.mark.parametrize(
    ("asked", "served"),
    [
        ([], []),
        ([ANNA, BEN], [BEN, ANNA]),
        ([ANNA, CHIARA, BEN], [CHIARA, BEN, ANNA]),
        ([Asker(1, user) for user in range(4, 9)], [Asker(1, user) for user in range(4, 9)]),
        (
            [Asker(1, 4), Asker(1, 5), Asker(1, 6), Asker(2, 7), Asker(2, 8)],
            [Asker(2, 7), Asker(1, 4), Asker(2, 8), Asker(1, 5), Asker(1, 6)],
        ),
    ],
)
async def test_servers_and_their_people_take_turns(asked: list[Asker], served: list[Asker]) -> None:
    assert await order_of(*asked) == served


async def test_a_person_has_one_request_waiting_and_a_server_some() -> None:
    queue = FairQueue()
    async with contextlib.AsyncExitStack() as stack:
        await stack.enter_async_context(queue.turn(ANNA))
        tasks = []
        for user in range(1, fair_queue.MAX_OF_SERVER + 1):
            tasks.append(asyncio.create_task(hold(queue, Asker(1, user))))
            await asyncio.sleep(0)
        for asker, code in ((ANNA, "error-waiting-own"), (Asker(1, 999), "error-waiting-many")):
            with pytest.raises(Refused) as caught:
                await hold(queue, asker)
            assert caught.value.code == code
        queue.check(CHIARA)
        # A caller that stops waiting makes room, also at the moment when its turn has come.
        tasks[3].cancel()
        await asyncio.sleep(0)
        queue.check(Asker(1, 999))
        assert len(queue._waiting) == fair_queue.MAX_OF_SERVER - 1
    tasks[1].cancel()
    await asyncio.wait(tasks)
    assert [task.cancelled() for task in tasks].count(True) == 2
    assert not queue._busy


async def test_a_caller_that_is_cancelled_just_before_its_turn_passes_it_on() -> None:
    queue = FairQueue()
    async with queue.turn(ANNA):
        tasks = [asyncio.create_task(hold(queue, asker)) for asker in (BEN, CHIARA)]
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
            # The turn ends before the task notices.
    await asyncio.wait(tasks)
    assert all(task.cancelled() for task in tasks)
    assert not queue._busy


async def test_so_many_people_wait_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair_queue, "MAX_WAITING", 2)
    queue = FairQueue()
    async with asyncio.TaskGroup() as group, queue.turn(ANNA):
        for server in (2, 3):
            queue.check(CHIARA)
            group.create_task(hold(queue, Asker(server, 9)))
            await asyncio.sleep(0)
        with pytest.raises(Refused, match="error-waiting-many"):
            queue.check(CHIARA)


async def hold(queue: FairQueue, asker: Asker) -> None:
    async with queue.turn(asker):
        pass


# What is kept.


class StoredGame:
    """A store with one game, which counts how often its moves are read."""

    def __init__(self) -> None:
        self.reads = 0

    async def stored_moves(self, game_id: int) -> tuple[StoredMove, ...]:
        self.reads += 1
        return tuple((ROW.game, *move_columns(ROW.game, move).values()) for move in MOVES)

    async def results(self, game_id: int) -> list[Any]:
        return [a_result(seat, seat, score=score) for seat, score in enumerate(ENTRY.rules.scores(ROW.state))]


class Desk:
    """Derived results whose functions run right here, one after the other."""

    def __init__(self, think: Callable[..., Any] | None = None) -> None:
        self.store = StoredGame()
        self.called: list[str] = []
        self.derived = DerivedResults(cast(Store, self.store), think or self._think, think or self._think)

    async def _think(self, function: Callable[..., Any], *args: Any) -> Any:
        self.called.append(function.__name__)
        await asyncio.sleep(0)
        return function(*args)


async def test_a_result_is_made_once_for_all_who_ask() -> None:
    desk = Desk()
    records = await asyncio.gather(*(desk.derived.record(ROW, Asker(1, user)) for user in range(50)))
    assert len(set(records)) == desk.store.reads == 1
    assert records[0] is not None
    assert verify_line(records[0]).moves == len(MOVES)
    await desk.derived.record(ROW, ANNA)
    # Names depend on the reader, and a game with another version is another game.
    others = [
        replace(ROW, seats=(person(9, "Zoë"), *ROW.seats[1:])),
        replace(ROW, version=ROW.version + 1),
        replace(ROW, touched=ROW.touched + 1),
    ]
    assert "Zo\\u00eb" in str(await desk.derived.record(others[0], ANNA))
    for row in others[1:]:
        await desk.derived.record(row, ANNA)
    assert desk.called == ["record"] * 4
    found = not_none(await desk.derived.check(ROW, ANNA))
    assert (found.problem, found.moves) == ("", len(MOVES))


async def test_only_the_latest_results_are_kept() -> None:
    desk = Desk()
    for version in range(MAX_KEPT + 10):
        await desk.derived.record(replace(ROW, version=version), ANNA)
        await desk.derived.record(replace(ROW, version=0), ANNA)
    assert len(desk.derived._kept) == MAX_KEPT
    assert len(desk.called) == MAX_KEPT + 10
    assert not desk.derived._making


async def test_the_frames_of_a_replay_are_those_of_its_log() -> None:
    frames = await Desk().derived.frames(ROW, ANNA)
    expected = replay(ENTRY, ROW, MOVES)
    assert frames.count == len(expected.frames) > derived_functions.BLOCK
    assert [frames.at(index) for index in range(frames.count)] == list(expected.frames)
    assert not frames.damaged
    with pytest.raises(OtherRules):
        await Desk().derived.frames(replace(ROW, rules_version=99), ANNA)


async def test_each_request_has_its_function() -> None:
    async def name(function: Callable[..., Any], *args: Any) -> Any:
        return function.__name__

    derived, report = Desk(name).derived, cast(Any, "review")
    found: list[Any] = [
        await derived.score_chart(ROW),
        await derived.review(ROW, ANNA),
        await derived.highlights(ROW),
        await derived.puzzle(ROW, 1, ANNA),
        await derived.chances_chart(ROW, report, "de", ANNA),
        await derived.statistics_charts((), (), "de", ANNA),
    ]
    assert found == ["score_chart", "review", "highlights", "puzzle", "chances_chart", "statistics_charts"]


async def test_functions_read_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    def given(*args: Any) -> Any:
        return args

    functions: Any = derived_functions
    moves, log = await StoredGame().stored_moves(ROW.id), log_of(ROW, MOVES)
    entry = SimpleNamespace(coach=SimpleNamespace(review=given))
    monkeypatch.setattr(functions, "find", lambda game: entry)
    monkeypatch.setattr(functions, "puzzle_of", given)
    monkeypatch.setattr(functions.scores, "score_chart", given)
    assert functions.review(ROW, moves) == (log.options, log.seats, log.opening, log.moves)
    with pytest.raises(Unreadable):
        functions.review(ROW, moves[:-1])
    before, _, _ = itertools.islice(log.replay(), 3, 6)
    assert functions.puzzle(ROW, moves, 3) == (before.state, log.moves[3].action)
    assert functions.puzzle(ROW, moves, len(moves)) is None
    assert functions.score_chart(ROW, moves) == (ROW, log, functions._catalogue())
    assert isinstance(functions._catalogue(), Catalogue)


async def test_functions_read_no_log_of_other_rules() -> None:
    moves, row = await StoredGame().stored_moves(ROW.id), replace(ROW, rules_version=99)
    for function, more in (
        (derived_functions.record, ()),
        (derived_functions.score_sheet, ()),
        (derived_functions.review, ()),
        (derived_functions.puzzle, (0,)),
        (derived_functions.score_chart, ()),
        (derived_functions.highlights, (None,)),
    ):
        read: Callable[..., Any] = function
        with pytest.raises(OtherRules):
            read(row, moves, *more)


async def test_somebody_who_leaves_makes_no_puzzle() -> None:
    row, moves, _ = a_log(ENTRY.rules, 3, leaving=0.2)
    stored = tuple((row.game, *move_columns(row.game, move).values()) for move in moves)
    (number, *_) = [number for number, move in enumerate(moves) if isinstance(move.action, Leave)]
    assert derived_functions.puzzle(row, stored, number) is None


def test_statistics_have_a_chart_of_each_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    functions: Any = derived_functions
    monkeypatch.setattr(functions, "charts", lambda curve, skills: (RATING_CHART, SKILL_CHART))
    monkeypatch.setattr(functions.rating, "rating_chart", lambda curve, *rest: curve)
    monkeypatch.setattr(functions.skill, "skill_chart", lambda skills, *rest: skills)
    assert functions.statistics_charts("curve", "skills", "de") == {
        RATING_CHART: "curve",
        SKILL_CHART: "skills",
    }


class Reported:
    """A store that has something to say of one person, in one file."""

    async def export(self, user_id: int) -> dict[str, Any]:
        return {"user_id": user_id}

    async def export_games(self, user_id: int, after: int, limit: int) -> tuple[Any, ...]:
        return ()


async def test_an_export_is_made_anew_each_time() -> None:
    desk = Desk()
    derived = DerivedResults(cast(Store, Reported()), desk._think, desk._think)
    for _ in range(2):
        ((name, data),) = [file async for file in derived.export(BEN)]
        assert (name, json.loads(data)) == ("my-data.json", {"user_id": "2", "games": []})
    assert desk.called == ["_plain"] * 2


# What can't be had.


async def refusal(result: Coroutine[Any, Any, object]) -> str:
    """Why a result can't be had."""
    with pytest.raises((Refused, OtherRules)) as caught:
        await result
    error: Any = caught.value
    return str(error.code)


@pytest.mark.parametrize(
    ("changes", "error", "code"),
    [
        ({"status": LIVE}, None, "error-review-later"),
        ({"seats": ROW.seats[:1]}, None, "error-review-seats"),
        ({"rules_version": 99}, None, "error-other-rules"),
        ({}, OtherRules(99, 1), "error-other-rules"),
        ({}, NoAccount("no table"), "error-review-game"),
        ({}, Unreadable("error-unreadable"), "error-review-damaged"),
        ({}, LookupError(), "error-review-damaged"),
    ],
)
async def test_a_review_says_why_there_is_none(
    changes: dict[str, Any], error: Exception | None, code: str
) -> None:
    asked: list[Any] = []

    async def fail(*args: Any) -> Any:
        asked.append(args)
        raise error or AssertionError

    assert await refusal(Desk(fail).derived.review(replace(ROW, **changes), ANNA)) == code
    # No worker is asked in vain.
    assert bool(asked) == (error is not None)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (OtherRules(99, 1), "error-other-rules"),
        (Unreadable("error-unreadable"), "error-damaged"),
        (ValueError(), "error-damaged"),
    ],
)
async def test_sheets_and_puzzles_of_damaged_logs_are_refused(error: Exception, code: str) -> None:
    async def fail(*args: Any) -> Any:
        raise error

    derived = Desk(fail).derived
    assert await refusal(derived.score_sheet(ROW, ANNA)) == code
    assert await refusal(derived.puzzle(ROW, 0, ANNA)) == code


# Workers that fail.


@pytest.fixture
async def worker(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Thinker]:
    # Starting a process takes a while on a busy machine.
    monkeypatch.setattr(Watched, "limit", 40.0)
    thinker = Thinker(60.0, threads=False)
    yield thinker
    await thinker.close()


async def test_everything_travels_to_a_worker_and_back(worker: Thinker) -> None:
    derived = Desk(worker).derived
    record = await derived.record(ROW, ANNA)
    assert record == derived_functions.record(ROW, await StoredGame().stored_moves(ROW.id))
    assert (await derived.check(ROW, ANNA)) == await Desk().derived.check(ROW, ANNA)
    assert (await derived.frames(ROW, ANNA)).at(3) == replay(ENTRY, ROW, MOVES).frames[3]
    review = await derived.review(ROW, ANNA)
    curve = tuple(CurvePoint(number, number, 1000 + number) for number in (1, 2))
    skills = tuple(SkillPoint(number, Skill(1, 20, 0.05)) for number in range(5))
    pictures = [
        await derived.score_chart(ROW),
        await derived.chances_chart(ROW, review, "de", ANNA),
        *(await derived.statistics_charts(curve, skills, "fr", ANNA)).values(),
    ]
    assert len(pictures) == 4
    assert all(picture.startswith(b"\x89PNG") for picture in pictures)
    with pytest.raises(OtherRules) as caught:
        await derived.record(replace(ROW, rules_version=99), ANNA)
    assert caught.value.facts == {"played": 99, "current": ENTRY.rules.rules_version}


async def test_a_worker_that_is_killed_again_and_again_costs_one_request(worker: Thinker) -> None:
    derived = Desk(worker).derived

    with pytest.raises(WorkerLost):
        await worker(_die)
    assert await derived.record(ROW, ANNA) is not None


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (WorkerLost(), "error-worker-lost"),
        (MemoryError(), "error-worker-lost"),
        (TimeoutError(), "error-takes-long"),
    ],
)
async def test_a_result_that_can_not_be_had_is_refused_and_can_be_asked_for_again(
    error: Exception, code: str
) -> None:
    async def fail(*args: Any) -> Any:
        raise error

    desk = Desk(fail)
    for _ in range(2):
        with pytest.raises(Refused) as caught:
            await desk.derived.review(ROW, ANNA)
        assert caught.value.code == code
    assert not desk.derived._kept
    assert not desk.derived._making


async def test_a_caller_that_gives_up_makes_room_and_those_who_joined_ask_again() -> None:
    goes_on, calls = asyncio.Event(), []

    async def wait(function: Any, row: Any, *args: Any) -> Any:
        calls.append(row.version)
        await goes_on.wait()

    derived = Desk(wait).derived
    joined = [ANNA, BEN, Asker(3, 5), Asker(3, 6)]
    asked = [asyncio.create_task(derived.record(ROW, asker)) for asker in joined]
    other = asyncio.create_task(derived.record(replace(ROW, version=5), CHIARA))
    await asyncio.sleep(0)
    asked[0].cancel()
    asked[1].cancel()
    goes_on.set()
    await asyncio.wait([*asked, other])
    assert [one.cancelled() for one in (*asked, other)] == [True, True, False, False, False]
    assert calls == [ROW.version, 5, ROW.version]
    assert not derived._making
    assert await derived.record(ROW, ANNA) is None
