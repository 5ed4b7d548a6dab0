"""The two shapes of background work: a periodic job and a work queue.

Both log failures, try again later, and stop at once when asked. Between runs they have no task.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, Protocol, TypeVar

_log = logging.getLogger(__name__)

K = TypeVar("K", bound=Hashable)


class Service(Protocol):
    """Something that works in the background from :meth:`start` until :meth:`stop`."""

    async def start(self) -> None: ...

    async def stop(self) -> None:
        """Cancel the work in progress, and return when it has ended."""
        ...


class PeriodicJob:
    """Calls ``work`` again and again, never twice at the same time.

    ``work`` returns the pause in seconds before its next run, or None to wait for :meth:`wake`. If it raises,
    the job logs ``failure`` with the traceback, and calls it again after ``retry_seconds``.
    """

    def __init__(
        self,
        name: str,
        work: Callable[[], Awaitable[float | None]],
        *,
        failure: str,
        retry_seconds: float,
        level: int = logging.ERROR,
    ) -> None:
        """``name`` names the task."""
        self._name = name
        self._work = work
        self._failure = failure
        self._retry_seconds = retry_seconds
        self._level = level
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._stopped = False
        self.due = float("inf")
        """When the next run begins, in the event loop's time, which never jumps; infinity without one."""

    def wake(self, seconds: float = 0.0) -> None:
        """Run after ``seconds`` at the latest, or right after a run that is still in progress then."""
        due = asyncio.get_running_loop().time() + max(seconds, 0.0)
        if self._stopped or due >= self.due:
            return
        self.cancel()
        self.due = due
        if not self.running:
            self._plan(seconds)

    def cancel(self) -> None:
        """Cancel the planned run. A run in progress may still plan the next one."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self.due = None, float("inf")

    @property
    def running(self) -> bool:
        return self._task is not None and not self._task.done()

    async def finished(self) -> None:
        """Wait for the end of the current run, if there is one."""
        if self._task is not None:
            await asyncio.wait({self._task})

    async def stop(self) -> None:
        self._stopped = True
        self.cancel()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _plan(self, seconds: float) -> None:
        if seconds <= 0 and not self.running:
            self._begin()
        else:
            self._timer = asyncio.get_running_loop().call_later(max(seconds, 0.0), self._begin)

    def _begin(self) -> None:
        self.cancel()
        self._task = asyncio.create_task(self._run(), name=self._name)

    async def _run(self) -> None:
        try:
            seconds = await self._work()
        except Exception:
            _log.log(self._level, "%s", self._failure, exc_info=True)
            seconds = self._retry_seconds
        now = asyncio.get_running_loop().time()
        if seconds is not None:
            self.due = min(self.due, now + seconds)
        if self.due < float("inf") and not self._stopped:
            self._plan(self.due - now)


class WorkQueue(Generic[K]):
    """Calls ``work`` for every added key, first come, first served. A waiting key is not added twice.

    If ``work`` raises, log ``failure % key`` and retry after ``pause(failures)`` seconds, where ``failures``
    counts the failures of the key in a row. If ``pause`` returns None, give up the key; if it is added again,
    its failures are counted anew.
    """

    def __init__(
        self,
        name: str,
        work: Callable[[K], Awaitable[object]],
        *,
        failure: str,
        pause: Callable[[int], float | None] = lambda failures: None,
        level: int = logging.ERROR,
        at_once: int = 1,
        done: Callable[[], None] = lambda: None,
    ) -> None:
        """``name`` names the tasks; up to ``at_once`` of them run at the same time. ``done`` is called after
        each.
        """
        self._name = name
        self._work = work
        self._failure = failure
        self._pause = pause
        self._level = level
        self._at_once = at_once
        self._waiting: dict[K, None] = {}
        self._delayed: dict[K, asyncio.TimerHandle] = {}
        self._failures: dict[K, int] = {}
        self._call_after_each = done
        self._tasks: dict[asyncio.Task[None], K] = {}
        self._stopped = False

    def __contains__(self, key: K) -> bool:
        """Return whether ``key`` waits, is being worked on, or is in a pause."""
        return key in self._waiting or key in self._delayed or key in self._tasks.values()

    def __len__(self) -> int:
        return len(self._waiting) + len(self._delayed) + len(self._tasks)

    def add(self, key: K, after: float = 0.0) -> None:
        """Add ``key`` to the end of the queue, after this many seconds. This ends a pause of the key.

        Once the queue was stopped, nothing is added any more.
        """
        if self._stopped:
            return
        if after <= 0:
            self._end_pause(key)
            self._waiting.setdefault(key)
            self._begin()
        else:
            self.drop(key)
            self._delayed[key] = asyncio.get_running_loop().call_later(after, self.add, key)

    def drop(self, key: K) -> None:
        """Take ``key`` out of the queue, unless it is being worked on."""
        self._waiting.pop(key, None)
        self._end_pause(key)

    def retry(self, key: K) -> None:
        """Count a failure of ``key``; add it again after its pause, or give it up if that is None."""
        failures = self._failures[key] = self._failures.get(key, 0) + 1
        pause = self._pause(failures)
        if pause is None:
            self.succeeded(key)
        elif key not in self._waiting and key not in self._delayed:
            self.add(key, pause)

    def succeeded(self, key: K) -> None:
        """Forget the failures of ``key``."""
        self._failures.pop(key, None)

    async def finished(self) -> None:
        """Wait until the queue is empty and no task runs. Keys in a pause don't count."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def stop(self) -> None:
        self._stopped = True
        for timer in self._delayed.values():
            timer.cancel()
        self._delayed.clear()
        self._waiting.clear()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _end_pause(self, key: K) -> None:
        timer = self._delayed.pop(key, None)
        if timer is not None:
            timer.cancel()

    def _begin(self) -> None:
        while self._waiting and len(self._tasks) < self._at_once:
            key = next(iter(self._waiting))
            del self._waiting[key]
            task = asyncio.create_task(self._run(key), name=f"{self._name} {key}")
            self._tasks[task] = key
            task.add_done_callback(self._end)

    async def _run(self, key: K) -> None:
        before = self._failures.get(key)
        try:
            await self._work(key)
        except Exception:
            _log.log(self._level, self._failure, key, exc_info=True)
            self.retry(key)
        else:
            if self._failures.get(key) == before:
                self.succeeded(key)

    def _end(self, task: asyncio.Task[None]) -> None:
        del self._tasks[task]
        self._begin()
        if not self._stopped:
            self._call_after_each()
