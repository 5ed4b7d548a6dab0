"""Waiting with a limit, and an end for tests that wait in vain."""

from __future__ import annotations

import asyncio
import inspect
import selectors
import time
from collections.abc import Callable
from pathlib import Path

IDLE_SECONDS = 8.0
"""After so many idle seconds of its event loop, a test is waiting for something that is lost."""


async def until(check: Callable[[], object], within: float = 5.0) -> None:
    """Wait until ``check()``, perhaps a coroutine, gives something true; fail after ``within`` seconds."""
    deadline = time.monotonic() + within
    while not (await found if inspect.isawaitable(found := check()) else found):
        assert time.monotonic() < deadline, f"waited {within} s for {inspect.getsource(check).strip()}"
        await asyncio.sleep(0.005)


class Lost(AssertionError):
    """Raised when the event that a test waits for does not come."""


class Watched(selectors.DefaultSelector):
    """Ends an event loop with :class:`Lost` if it has had nothing to do for too long.

    So a job that a thread has lost, or a future that is never resolved, fails its test within seconds. A test
    that sleeps or polls has something to do; it has to have a limit of its own.
    """

    limit = IDLE_SECONDS
    """How many idle seconds are too many; more where a test waits for other processes."""

    def __init__(self) -> None:
        super().__init__()
        self._idle = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is not None and timeout <= 0:
            self._idle = 0.0
            return super().select(timeout)
        while True:
            part = 0.5 if timeout is None else min(0.5, timeout)
            working = time.process_time()
            if found := super().select(part):
                self._idle = 0.0
                return found
            # A thread that calculates may well bring what is waited for.
            if time.process_time() - working < part / 5:
                self._idle += part
            # A loop without tasks is kept for later and waits for nothing.
            if self._idle > self.limit and asyncio.all_tasks():
                self._idle = 0.0
                raise Lost(f"nothing has happened for {self.limit} s; waited for are {tasks()}")
            if timeout is not None:
                timeout -= part
                if timeout <= 0:
                    return []


def tasks() -> str:
    """Return the stack of each task, down to what it waits for."""
    found = []
    for task in asyncio.all_tasks():
        places: list[str] = []
        waiting: object = task.get_coro()
        while inspect.iscoroutine(waiting) and waiting.cr_frame is not None:
            places.append(f"{Path(waiting.cr_code.co_filename).name}:{waiting.cr_frame.f_lineno}")
            waiting = waiting.cr_await
        found.append(f"{task.get_name()} at {' > '.join(places)}")
    return "\n".join(sorted(found)) or "no tasks"


def watch() -> None:
    """Watch all event loops that are made from now on."""
    selectors.DefaultSelector = Watched  # type: ignore[misc]
