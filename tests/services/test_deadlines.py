"""Which games a round of the scheduler wakes, when the next one is due, and more games than fit into one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import pytest

from bot.services import deadlines
from bot.services.deadlines import DeadlineScheduler
from bot.sessions.absence import LATE_SECONDS
from bot.sessions.request import Echo, Stale
from bot.sessions.session import Sessions
from bot.store.base import LIVE, LOBBY, NEVER, GameRow
from tests.sessions.test_commands import GAME
from tests.support.waiting import until

NOW = 1_700_000_000.0


class Job:
    """A job of the scheduler, which runs when a test says so. The first is that which keeps deadlines."""

    def __init__(self, name: str, work: Callable[[], Awaitable[float]], **more: Any) -> None:
        self.work = work
        self.due = float("inf")
        self.woken: list[float] = []
        self.calls: list[str] = []

    def wake(self, seconds: float = 0.0) -> None:
        self.woken.append(seconds)

    async def finished(self) -> None:
        self.calls.append("finished")

    async def stop(self) -> None:
        self.calls.append("stop")


@dataclass
class Woken:
    row: GameRow
    remind: bool


class Place:
    """A store and sessions in one: games that are due, and what was asked of them."""

    def __init__(self, *due: int, following: float | None = None) -> None:
        self.store = self
        self.time = NOW
        self.games = {number: replace(GAME, id=number, channel_id=100 + number) for number in range(1, 5)}
        self.due_now, self.following = due, following
        self.waiting: Sequence[int] = ()
        self.unpainted: Sequence[int] = ()
        self.errors: dict[int, Exception] = {}
        self.unread: list[Exception] = []
        """What the next reads raise, one each."""
        self.done: list[tuple[Any, ...]] = []
        self.members = {1, 2, 3}
        self.locked: set[int] = set()
        self.silent: dict[int, asyncio.Event] = {}
        """The channels for which Discord does not answer until then."""
        self.stopped: Sequence[int] = ()
        self.quiet: set[int] = set()
        self.reachable, self.certain = True, True
        self.on_deadline: Any = None
        self.channel = 0

    def now(self) -> float:
        return self.time

    async def due(self, now: float, limit: int) -> Sequence[int]:
        assert now in (self.time, NEVER)
        self._read()
        return self.due_now[:limit]

    async def next_deadline(self, after: float) -> float | None:
        assert after <= self.time
        return self.following

    async def waiting_for_ai(self) -> Sequence[int]:
        self._read()
        return self.waiting

    async def games_to_repaint(self) -> Sequence[int]:
        self._read()
        return self.unpainted

    async def stopped_games(self) -> Sequence[int]:
        self._read()
        return self.stopped

    async def game(self, game_id: int) -> GameRow | None:
        return self.games.get(game_id)

    def at(self, channel_id: int) -> Place:
        self.channel = channel_id
        return self

    async def overdue(self, game_id: int, gone: bool, locked: bool, certain: bool) -> Woken | None:
        more = ("locked",) * locked + ("uncertain",) * (not certain)
        self._note("overdue", game_id, self.channel, gone, *more)
        if game_id in self.quiet:
            return None
        self.due_now = tuple(other for other in self.due_now if other != game_id)
        return Woken(self.games[game_id], remind=game_id == 2)

    async def resume(self, game_id: int) -> GameRow | None:
        self._note("resume", game_id, self.channel)
        return self.games[game_id] if game_id in self.waiting else None

    async def paint(self, game_id: int, remind: bool | None = None, force: bool = False) -> None:
        self._note("paint", game_id, *([] if remind is None else [remind]), *(["anyway"] if force else []))

    async def is_locked(self, guild_id: int, channel_id: int) -> bool:
        if channel_id in self.silent:
            await self.silent[channel_id].wait()
        return channel_id in self.locked

    async def restart_clock(self, game_id: int) -> GameRow | None:
        self._note("restart", game_id)
        return None if game_id in self.quiet else self.games[game_id]

    async def thread_locked(self, locked: bool) -> GameRow | None:
        self._note("clock", self.channel - 100, locked)
        return self.games[self.channel - 100]

    async def is_member(self, guild_id: int, user_id: int) -> bool:
        assert guild_id == GAME.guild_id
        return user_id in self.members

    def _read(self) -> None:
        if self.unread:
            raise self.unread.pop()

    def _note(self, what: str, game_id: int, *more: Any) -> None:
        self.done.append((what, game_id, *more))
        if game_id in self.errors:
            raise self.errors[game_id]


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    made: list[Job] = []

    def job(*args: Any, **more: Any) -> Job:
        made.append(Job(*args, **more))
        return made[-1]

    monkeypatch.setattr(deadlines, "PeriodicJob", job)
    return made


def scheduler_of(place: Place, paint: Callable[..., Awaitable[None]] | None = None) -> DeadlineScheduler:
    return DeadlineScheduler(
        cast(Sessions, place),
        paint or place.paint,
        place.is_member,
        place.is_locked,
        is_reachable=lambda guild_id: place.reachable,
        is_certain=lambda: place.certain,
    )


async def look(jobs: list[Job]) -> float:
    """Run the jobs that were woken, and the first, whose pause until the next round is returned."""
    for job in jobs[1:]:
        while job.woken:
            await job.work()
            job.woken.pop()
    return await jobs[0].work()


async def a_round(jobs: list[Job], scheduler: DeadlineScheduler) -> float:
    """Run the jobs and what they have begun; return the pause until the next round."""
    pause = await look(jobs)
    await scheduler.first_round()
    return pause


@pytest.mark.parametrize(
    ("due", "following", "pause"),
    [
        ((), None, deadlines.MAX_SLEEP_SECONDS),
        ((), NOW + 20, 20.0),
        ((), NOW + 99_999, deadlines.MAX_SLEEP_SECONDS),
        # Those that are due are looked at again when they are done.
        ((1, 2), NOW + 0.5, 0.5),
    ],
)
async def test_the_pause_until_the_next_round(
    jobs: list[Job], due: tuple[int, ...], following: float | None, pause: float
) -> None:
    scheduler = scheduler_of(Place(*due, following=following))
    assert await a_round(jobs, scheduler) == pause
    # Each game that is done may have another deadline that has passed.
    assert jobs[0].woken == [0.0] * len(due)


async def test_a_channel_that_takes_long_delays_no_other(jobs: list[Job]) -> None:
    """Neither at a deadline, nor while tables are painted after a crash."""
    place = Place(1, 2)
    place.unpainted = (4, 3)
    stuck = asyncio.Event()
    paint = place.paint

    async def slow(game_id: int, **more: Any) -> None:
        if game_id in (1, 4):
            await stuck.wait()
        await paint(game_id, **more)

    scheduler = scheduler_of(place, slow)
    await scheduler.start()
    await look(jobs)
    for _ in range(20):
        await asyncio.sleep(0)
    assert ("paint", 2, True) in place.done
    assert ("paint", 3) in place.done
    # The game that hangs is not woken a second time meanwhile.
    await jobs[0].work()
    for _ in range(20):
        await asyncio.sleep(0)
    assert [one for one in place.done if one[:2] == ("overdue", 1)] == [("overdue", 1, 101, False)]
    stuck.set()
    await scheduler.first_round()
    assert ("paint", 4) in place.done


async def test_a_game_that_stays_due_is_not_woken_again_at_once(jobs: list[Job]) -> None:
    place = Place(1)
    place.quiet = {1}
    place.games[1] = replace(place.games[1], deadline=NOW)
    scheduler = scheduler_of(place)
    for _ in range(3):
        await a_round(jobs, scheduler)
    assert place.done == [("overdue", 1, 101, False)]
    await scheduler.stop()


async def test_games_that_are_due_are_woken_and_shown(jobs: list[Job]) -> None:
    place = Place(1, 2, 3, 4, 99)
    place.quiet = {3}
    place.games[2] = replace(place.games[2], state=replace(GAME.state, seat=1))
    place.games[4] = replace(place.games[4], status=LOBBY)
    place.members = {1}
    scheduler = scheduler_of(place)
    await a_round(jobs, scheduler)
    done = [one for number in range(1, 5) for one in place.done if one[1] == number]
    assert done == [
        *(("overdue", 1, 101, False), ("paint", 1, False)),
        # The person to move has left the server.
        *(("overdue", 2, 102, True), ("paint", 2, True)),
        ("overdue", 3, 103, False),
        *(("overdue", 4, 104, False), ("paint", 4, False)),
    ]


@pytest.mark.parametrize(
    ("error", "level"), [(Stale(GAME), logging.INFO), (Echo(), logging.INFO), (ValueError(), logging.ERROR)]
)
async def test_a_game_that_fails_does_not_hold_up_the_others(
    jobs: list[Job], error: Exception, level: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    place = Place(1, 2)
    place.errors[1] = error
    scheduler = scheduler_of(place)
    await a_round(jobs, scheduler)
    assert [one[:2] for one in place.done] == [("overdue", 1), ("overdue", 2), ("paint", 2)]
    assert [one.levelno for one in caplog.records if "game 1" in one.getMessage().lower()] == [level]
    await scheduler.stop()


async def test_what_was_left_undone_is_done_once_and_again_after_a_takeover(jobs: list[Job]) -> None:
    place = Place()
    place.waiting, place.unpainted = (1, 99), (2,)
    assert place.games[1].status == LIVE
    scheduler = scheduler_of(place)
    await scheduler.start()
    await a_round(jobs, scheduler)
    # What is stored is shown before AIs move.
    undone = [("paint", 1), ("resume", 1, 101), ("paint", 1)]
    assert [one for one in place.done if one[1] == 1] == undone
    assert ("paint", 2) in place.done
    number = len(place.done)
    await a_round(jobs, scheduler)
    assert len(place.done) == number
    scheduler.take_over()
    assert jobs[0].woken == [0.0, 0.0]
    await a_round(jobs, scheduler)
    assert len(place.done) == 2 * number


async def test_what_was_left_undone_and_can_not_be_read_at_the_start_is_done_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The jobs are the real ones: interrupted games, and games whose threads were unlocked meanwhile."""
    monkeypatch.setattr(deadlines, "RETRY_SECONDS", 0.01)
    place = Place()
    place.waiting, place.unpainted, place.stopped = (1,), (2,), (3,)
    place.unread = [OSError("no connection") for _ in range(3)]
    scheduler = scheduler_of(place)
    await scheduler.start()
    await until(lambda: {("resume", 1, 101), ("paint", 2), ("clock", 3, False)} <= set(place.done))
    scheduler.check_locked()
    place.unread = [OSError("no connection")]
    await until(lambda: place.done.count(("clock", 3, False)) == 2)
    await scheduler.stop()


async def test_a_game_that_can_not_be_taken_up_is_tried_again_for_half_an_hour(jobs: list[Job]) -> None:
    scheduler = scheduler_of(Place())
    pauses = [scheduler._interrupted._pause(failures) for failures in range(1, 8)]
    assert pauses == [30.0, 60.0, 120.0, 240.0, 480.0, 960.0, None]


async def test_a_deadline_that_is_set_wakes_in_time(jobs: list[Job]) -> None:
    place = Place()
    scheduler = scheduler_of(place)
    await scheduler.start()
    for at in (NOW + 5, NOW + 99_999):
        place.on_deadline(at)
    assert jobs[0].woken == [0.0, 5.0, deadlines.MAX_SLEEP_SECONDS]


async def test_stopping_and_the_first_round_are_those_of_the_job(jobs: list[Job]) -> None:
    scheduler = scheduler_of(Place())
    await scheduler.first_round()
    await scheduler.stop()
    assert [job.calls for job in jobs] == [["finished", "stop"]] * 3


async def test_stopping_ends_what_waits_for_a_slow_discord(jobs: list[Job]) -> None:
    place = Place(1)
    place.unpainted, place.stopped = (2,), (3,)
    place.silent = {101: asyncio.Event(), 103: asyncio.Event()}

    async def never(*args: Any, **more: Any) -> None:
        await asyncio.Event().wait()

    place.restart_clock = never  # type: ignore[method-assign]
    scheduler = scheduler_of(place, never)
    await scheduler.start()
    await look(jobs)
    scheduler._restarts.add(4)
    await asyncio.sleep(0)
    queues = scheduler._due, scheduler._interrupted, scheduler._locked, scheduler._restarts
    assert [len(queue) for queue in queues] == [1, 1, 1, 1]
    await scheduler.stop()
    assert [len(queue) for queue in queues] == [0, 0, 0, 0]


async def test_the_clock_of_a_locked_thread_stops_at_its_deadline_and_goes_on_when_it_is_open(
    jobs: list[Job],
) -> None:
    place = Place()
    place.locked, place.stopped = {101, 102}, (2, 3, 99)
    scheduler = scheduler_of(place)
    scheduler.check_locked()
    await a_round(jobs, scheduler)
    assert place.done == [("clock", 3, False), ("paint", 3, "anyway")]
    place.done.clear()
    place.due_now = (1,)
    await a_round(jobs, scheduler)
    assert place.done == [("overdue", 1, 101, False, "locked"), ("paint", 1, False)]


async def test_a_locked_thread_that_takes_long_or_fails_delays_neither_others_nor_deadlines(
    jobs: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deadlines, "RETRY_SECONDS", 0.01)
    place = Place(4)
    place.stopped = (1, 2, 3)
    place.silent[101] = asyncio.Event()
    place.errors[2] = OSError("no connection")
    scheduler = scheduler_of(place)
    await scheduler.start()
    async with asyncio.timeout(5):
        await look(jobs)
    await until(lambda: {("paint", 3, "anyway"), ("paint", 4, False)} <= set(place.done))
    del place.errors[2]
    place.silent[101].set()
    await until(lambda: {("paint", 1, "anyway"), ("paint", 2, "anyway")} <= set(place.done))
    await scheduler.stop()


async def test_a_clock_that_could_not_be_started_when_its_thread_was_unlocked_is_started_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(deadlines, "RETRY_SECONDS", 0.01)
    place = Place()
    place.stopped, place.errors[1] = (1,), OSError("no connection")
    scheduler = scheduler_of(place)
    with pytest.raises(OSError, match="no connection"):
        await scheduler.thread_changed(101, locked=False)
    del place.errors[1]
    await until(lambda: ("paint", 1, "anyway") in place.done)
    assert place.done == [("clock", 1, False)] * 2 + [("paint", 1, "anyway")]
    await scheduler.stop()


async def test_after_a_jump_of_the_clock_every_game_is_given_its_time_before_deadlines_are_kept(
    jobs: list[Job],
) -> None:
    place = Place(1, 2)
    scheduler = scheduler_of(place)
    scheduler.restart_clocks()
    assert jobs[0].woken == [0.0]
    await a_round(jobs, scheduler)
    assert {one[:2] for one in place.done[:2]} == {("restart", 1), ("restart", 2)}
    place.done.clear()
    place.due_now = (1, 2)
    await a_round(jobs, scheduler)
    assert "restart" not in [one[0] for one in place.done]


async def test_games_that_can_not_be_read_after_a_jump_of_the_clock_are_given_their_time_later(
    jobs: list[Job],
) -> None:
    place = Place(1, 2)
    scheduler = scheduler_of(place)
    scheduler.restart_clocks()
    place.unread = [OSError("no connection")]
    with pytest.raises(OSError, match="no connection"):
        await a_round(jobs, scheduler)
    await a_round(jobs, scheduler)
    assert {one[:2] for one in place.done[:2]} == {("restart", 1), ("restart", 2)}


async def test_no_deadline_is_kept_of_a_game_that_could_not_be_given_its_time(
    jobs: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deadlines, "RETRY_SECONDS", 0.01)
    place = Place(1, 2)
    scheduler = scheduler_of(place)
    scheduler.restart_clocks()
    place.errors[1] = OSError("no connection")
    await a_round(jobs, scheduler)
    assert ("overdue", 2, 102, False) in place.done
    await until(lambda: place.done.count(("restart", 1)) == 3)
    assert not [one for one in place.done if one[:2] == ("overdue", 1)]
    del place.errors[1]
    await until(lambda: ("overdue", 1, 101, False) in place.done)
    assert place.done.count(("restart", 1)) == 4
    await scheduler.stop()


@pytest.mark.parametrize(
    ("changes", "late", "held"),
    [
        # Nobody could vote, press or join in time.
        ({"reminded": True}, 0.0, True),
        ({"reminded": True}, LATE_SECONDS - 1, True),
        ({"status": LOBBY}, LATE_SECONDS - 1, True),
        # The bot was away when the deadline passed, so its person is called and has time again.
        ({"reminded": True}, LATE_SECONDS, False),
        ({"status": LOBBY}, LATE_SECONDS, False),
        # People are called whether they can click or not.
        ({}, 0.0, False),
        # The game has another deadline by now.
        ({"reminded": True}, -1.0, False),
        ({"status": LOBBY}, -1.0, False),
    ],
)
@pytest.mark.parametrize("reachable", [False, True])
async def test_what_would_happen_to_people_who_can_not_click_waits(
    jobs: list[Job], changes: dict[str, Any], late: float, held: bool, reachable: bool
) -> None:
    place = Place(1)
    place.reachable = reachable
    place.games[1] = replace(place.games[1], deadline=NOW - late, **changes)
    scheduler = scheduler_of(place)
    await a_round(jobs, scheduler)
    assert ("overdue" in [what for what, *_ in place.done]) == (reachable or not held)
    assert (1 in scheduler._due) == (held and not reachable)
    await scheduler.stop()


async def test_while_the_clock_is_uncertain_games_are_told_so(jobs: list[Job]) -> None:
    place = Place(1)
    place.certain = False
    await a_round(jobs, scheduler_of(place))
    assert place.done[0] == ("overdue", 1, 101, False, "uncertain")


async def test_a_game_whose_players_could_not_click_is_given_its_time_even_if_that_fails_at_first(
    jobs: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deadlines, "RETRY_SECONDS", 0.01)
    place = Place(1)
    place.games[1] = replace(place.games[1], deadline=NOW, reminded=True)
    scheduler = scheduler_of(place)
    place.reachable = False
    await a_round(jobs, scheduler)
    assert place.done == []
    place.errors[1] = OSError("no connection")
    place.reachable = True
    await until(lambda: place.done.count(("restart", 1)) == 3)
    assert place.done == [("restart", 1)] * 3
    del place.errors[1]
    await until(lambda: 1 not in scheduler._restarts)
    # Once it has its time, the next deadline is kept.
    await a_round(jobs, scheduler)
    assert place.done.count(("restart", 1)) == 4
    assert ("overdue", 1, 101, False) in place.done
    await scheduler.stop()


async def test_a_jump_of_the_clock_does_not_wait_for_the_round_that_was_planned_before() -> None:
    """The job is the real one: it is to run half an hour later, and the clock jumps ahead by two days."""
    place = Place(following=NOW + 1800)
    scheduler = scheduler_of(place)
    await scheduler.start()
    await scheduler.first_round()
    place.time += 2 * 86_400
    place.due_now, place.following = (1, 2), None
    scheduler.restart_clocks()
    await asyncio.sleep(0.05)
    assert {one[:2] for one in place.done[:2]} == {("restart", 1), ("restart", 2)}
    await scheduler.stop()


@pytest.mark.parametrize("days", [0, 2, -2])
async def test_a_deadline_that_is_set_after_a_jump_of_the_clock_is_kept_in_time(days: int) -> None:
    place = Place(following=NOW + 1800)
    scheduler = scheduler_of(place)
    await scheduler.start()
    await scheduler.first_round()
    place.time += days * 86_400
    place.due_now, place.following = (1,), None
    place.on_deadline(place.time + 0.01)
    await until(lambda: ("overdue", 1) in [one[:2] for one in place.done])
    await scheduler.stop()


async def test_more_games_than_a_round_takes_are_woken_without_a_pause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The jobs are the real ones."""
    monkeypatch.setattr(deadlines, "RETRY_SECONDS", 3600.0)
    numbers = range(1, 251)
    place = Place(*numbers)
    place.games = {number: replace(GAME, id=number, channel_id=100 + number) for number in numbers}
    scheduler = scheduler_of(place)
    await scheduler.start()
    await until(lambda: len(place.done) == 2 * len(numbers))
    await scheduler.stop()
    assert [number for what, number, *_ in place.done if what == "overdue"] == list(numbers)


@pytest.mark.parametrize(("deadline", "again"), [(None, False), (NOW, True), (NOW + 1, False)])
async def test_what_can_not_be_done_yet_is_tried_again_until_the_end(
    jobs: list[Job], deadline: float | None, again: bool
) -> None:
    place = Place()
    place.quiet = {1}
    place.games[1] = replace(place.games[1], deadline=deadline)
    scheduler = scheduler_of(place)
    await scheduler._keep_deadline(1)
    assert (1 in scheduler._due) == again
    await scheduler.stop()
    assert len(scheduler._due) == 0


@pytest.mark.parametrize(("game_id", "quiet", "shown"), [(1, (), True), (1, (1,), False), (9, (), False)])
async def test_a_clock_that_was_started_again_is_shown(
    jobs: list[Job], game_id: int, quiet: Sequence[int], shown: bool
) -> None:
    place = Place()
    place.quiet = set(quiet)
    scheduler = scheduler_of(place)
    await scheduler._restart_clock(game_id)
    assert (game_id in scheduler._interrupted) == shown
    await scheduler.stop()
