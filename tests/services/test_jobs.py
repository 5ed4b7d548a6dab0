"""The two shapes of background work: when they run, what they do after a failure, and how they stop."""

from __future__ import annotations

import asyncio
import logging
import weakref

import pytest

from bot.services.jobs import PeriodicJob, WorkQueue

# Waiting for a queue that has lost a task goes round and round without a pause.
pytestmark = pytest.mark.timeout(10)


class Work:
    """Counts its runs; each waits for the gate, then returns or raises what was set."""

    def __init__(self, *results: float | Exception | None) -> None:
        self.results = list(results)
        self.runs = 0
        self.gate = asyncio.Event()
        self.gate.set()

    async def __call__(self) -> float | None:
        self.runs += 1
        await self.gate.wait()
        result = self.results.pop(0) if self.results else None
        if isinstance(result, Exception):
            raise result
        return result

    def job(self, retry_seconds: float = 60.0) -> PeriodicJob:
        return PeriodicJob(
            "test", self, failure="It has failed", retry_seconds=retry_seconds, level=logging.WARNING
        )


def now() -> float:
    return asyncio.get_running_loop().time()


async def test_a_job_runs_when_its_time_has_come_and_then_when_it_says() -> None:
    work = Work(0.0, 0.01, None)
    job = work.job()
    assert job.due == float("inf")
    job.wake(0.01)
    await asyncio.sleep(0)
    assert (work.runs, job.running) == (0, False)
    await asyncio.sleep(0.1)
    assert (work.runs, job.due) == (3, float("inf"))
    await job.stop()


async def test_only_an_earlier_wish_changes_when_it_runs() -> None:
    job = Work().job()
    job.wake(100.0)
    due = job.due
    job.wake(200.0)
    assert job.due == due
    job.wake(50.0)
    assert job.due == pytest.approx(now() + 50.0, abs=1.0)
    job.cancel()
    assert job.due == float("inf")
    await job.stop()


async def test_what_is_wished_during_a_run_comes_right_after_it() -> None:
    """Also where the run itself would have waited longer."""
    work = Work(100.0)
    work.gate.clear()
    job = work.job()
    job.wake()
    await asyncio.sleep(0)
    assert job.running
    job.wake()
    job.wake(20.0)
    await asyncio.sleep(0.01)
    assert work.runs == 1
    work.gate.set()
    await asyncio.sleep(0.01)
    assert (work.runs, job.running, job.due) == (2, False, float("inf"))
    await job.stop()


async def test_a_run_that_fails_is_logged_and_followed_by_another(caplog: pytest.LogCaptureFixture) -> None:
    work = Work(OSError("away"), None)
    job = work.job(retry_seconds=30.0)
    job.wake()
    await job.finished()
    assert job.due == pytest.approx(now() + 30.0, abs=1.0)
    assert [(one.levelname, one.getMessage()) for one in caplog.records] == [("WARNING", "It has failed")]
    assert "away" in caplog.text
    await job.stop()


async def test_a_job_that_was_stopped_never_runs_again() -> None:
    work = Work(0.0)
    work.gate.clear()
    job = work.job()
    job.wake()
    await asyncio.sleep(0)
    job.wake()
    await job.stop()
    job.wake()
    await asyncio.sleep(0.01)
    assert (work.runs, job.running, job.due) == (1, False, float("inf"))


async def test_keys_are_worked_off_in_order_and_never_twice_in_line() -> None:
    done: list[int] = []

    async def work(key: int) -> None:
        await asyncio.sleep(0)
        done.append(key)

    queue = WorkQueue[int]("test", work, failure="%s has failed")
    for key in (3, 1, 2, 1, 3):
        queue.add(key)
    await queue.finished()
    assert done == [3, 1, 2, 3]  # the first was under way already
    await queue.stop()


async def test_a_key_that_is_added_for_later_waits_its_time() -> None:
    done: list[int] = []

    async def work(key: int) -> None:
        done.append(key)

    queue = WorkQueue[int]("test", work, failure="%s has failed")
    queue.add(1, 60.0)
    queue.add(2, 0.01)
    queue.add(3)
    assert (len(queue), 1 in queue, 2 in queue) == (3, True, True)
    await asyncio.sleep(0.1)
    assert (done, len(queue)) == ([3, 2], 1)
    await queue.stop()
    queue.add(4, 60.0)
    assert len(queue) == 0


async def test_a_queue_that_was_stopped_leaves_no_timer_that_holds_a_key() -> None:
    class Key: ...

    async def work(key: Key) -> None: ...

    queue, key = WorkQueue[Key]("test", work, failure="%s has failed"), Key()
    queue.add(key, 60.0)
    held = weakref.ref(key)
    del key
    assert held() is not None
    await queue.stop()
    assert held() is None


async def test_no_more_are_worked_on_at_once_than_allowed() -> None:
    going, most = 0, 0

    async def work(key: int) -> None:
        nonlocal going, most
        going += 1
        most = max(most, going)
        await asyncio.sleep(0)
        going -= 1

    queue = WorkQueue[int]("test", work, failure="%s has failed", at_once=3)
    for key in range(10):
        queue.add(key)
    await queue.finished()
    assert (going, most) == (0, 3)


async def test_what_fails_comes_back_after_pauses_until_it_is_given_up(
    caplog: pytest.LogCaptureFixture,
) -> None:
    done: list[str] = []
    asked: list[int] = []

    async def work(key: str) -> None:
        done.append(key)
        if key == "bad":
            raise OSError("away")

    def pause(failures: int) -> float | None:
        asked.append(failures)
        return 0.01 if failures < 3 else None

    queue = WorkQueue[str]("test", work, failure="%s has failed", pause=pause, level=logging.WARNING)
    queue.add("bad")
    queue.add("good")
    await asyncio.sleep(0.1)
    assert done == ["bad", "good", "bad", "bad"]
    assert "bad" not in queue
    assert [one.getMessage() for one in caplog.records] == ["bad has failed"] * 3
    queue.add("bad")
    await asyncio.sleep(0.1)
    assert asked == [1, 2, 3] * 2
    await queue.stop()


async def test_failures_that_the_work_itself_counts_are_not_forgotten() -> None:
    asked: list[int] = []

    async def work(key: int) -> None:
        queue.retry(key)

    def pause(failures: int) -> float | None:
        asked.append(failures)
        return 100.0

    queue = WorkQueue[int]("test", work, failure="%s has failed", pause=pause)
    for _ in range(3):
        queue.add(1)
        await queue.finished()
    assert asked == [1, 2, 3]
    queue.succeeded(1)
    queue.add(1)
    await queue.finished()
    assert asked == [1, 2, 3, 1]
    await queue.stop()


async def test_a_key_that_is_added_in_its_pause_is_worked_on_at_once_and_not_again_after_it() -> None:
    done: list[int] = []

    async def work(key: int) -> None:
        done.append(key)
        if len(done) == 1:
            raise OSError("away")

    queue = WorkQueue[int]("test", work, failure="%s has failed", pause=lambda failures: 0.02)
    queue.add(1)
    await queue.finished()
    queue.add(1)
    await queue.finished()
    assert done == [1, 1]
    await asyncio.sleep(0.05)
    assert done == [1, 1]
    await queue.stop()


async def test_a_key_that_is_added_while_it_fails_is_not_worked_on_again_after_a_pause() -> None:
    done: list[int] = []

    async def work(key: int) -> None:
        done.append(key)
        if len(done) == 1:
            queue.add(key)
            raise OSError("away")

    queue = WorkQueue[int]("test", work, failure="%s has failed", pause=lambda failures: 0.1)
    queue.add(1)
    await asyncio.sleep(0.02)
    assert done == [1, 1], "it does not wait for the pause either"
    await asyncio.sleep(0.15)
    assert done == [1, 1]
    await queue.stop()


async def test_a_queue_that_was_stopped_does_nothing_more() -> None:
    begun: list[int] = []

    async def work(key: int) -> None:
        begun.append(key)
        await asyncio.Event().wait()

    queue = WorkQueue[int]("test", work, failure="%s has failed", pause=lambda failures: 0.0)
    for key in range(3):
        queue.add(key)
    queue.retry(7)
    await asyncio.sleep(0)
    queue.add(5, 0.01)
    await queue.stop()
    assert len(queue) == 0
    queue.add(9)
    queue.add(9, 0.01)
    queue.retry(9)
    await asyncio.sleep(0.03)
    assert begun == [0]
    assert len(queue) == 0


async def test_a_key_that_is_added_for_later_does_not_run_earlier() -> None:
    """Whether it was in line already, or was to run sooner."""
    done: list[int] = []

    async def work(key: int) -> None:
        done.append(key)

    queue = WorkQueue[int]("test", work, failure="%s has failed")
    queue.add(1)
    queue.add(2)
    queue.add(2, 60.0)
    queue.add(3, 0.01)
    queue.add(3, 60.0)
    await asyncio.sleep(0.05)
    assert (done, 2 in queue, 3 in queue) == ([1], True, True)
    queue.add(4)
    for key in (2, 3, 4):
        queue.drop(key)
    assert (done, len(queue)) == ([1], 1), "the last one is being worked on"
    await queue.stop()


async def test_a_success_forgets_earlier_failures() -> None:
    asked: list[int] = []
    fails = iter([True, False, True])

    async def work(key: int) -> None:
        if next(fails):
            raise OSError("away")

    def pause(failures: int) -> float | None:
        asked.append(failures)
        return 60.0

    queue = WorkQueue[int]("test", work, failure="%s has failed", pause=pause)
    for _ in range(3):
        queue.add(1)
        await queue.finished()
    assert asked == [1, 1]
    await queue.stop()


async def test_the_end_of_each_is_told_until_the_queue_is_stopped() -> None:
    told: list[int] = []

    async def work(key: int) -> None:
        if key == 3:
            await asyncio.Event().wait()

    queue = WorkQueue[int]("test", work, failure="%s has failed", done=lambda: told.append(len(queue)))
    for key in (1, 2, 3):
        queue.add(key)
    await asyncio.sleep(0.01)
    assert told == [2, 1]
    await queue.stop()
    assert told == [2, 1]


async def test_an_earlier_wish_takes_the_place_of_the_later_one() -> None:
    work = Work()
    job = work.job()
    job.wake(0.05)
    job.wake(0.01)
    await asyncio.sleep(0.1)
    assert work.runs == 1
    await job.stop()


@pytest.mark.parametrize("queue", [False, True])
async def test_stopping_waits_for_the_end_of_what_runs(queue: bool) -> None:
    ended: list[bool] = []

    async def work(*key: object) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.01)
            ended.append(True)

    service: PeriodicJob | WorkQueue[int]
    if queue:
        service = WorkQueue[int]("test", work, failure="%s has failed")
        service.add(1)
    else:
        service = PeriodicJob("test", work, failure="It has failed", retry_seconds=60.0)
        service.wake()
    await asyncio.sleep(0.01)
    await service.stop()
    assert ended == [True]
