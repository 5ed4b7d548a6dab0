"""Worker processes for AI moves, odds and reviews, so that no click has to wait for them.

A thread would share Python's interpreter lock with every click, and make clicks several times slower while it
runs. The first call starts a worker; another one is started only when a call has waited for a while. Workers
end after some time without work. A worker ends with the bot, even when the bot is killed, because its
standard input ends then. docs/decisions/thinking-process.md has the figures and the reasons against a
library.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import importlib
import logging
import os
import pickle
import signal
import struct
import sys
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

IDLE_SECONDS = 600.0
"""After how long without work a worker ends; the next call starts another."""

PATIENCE_SECONDS = 1.0
"""How long a call waits for a busy worker before another one is started, if the limit allows it."""

NICE = 5
"""Added to the niceness of a worker, so that clicks come first."""

KILL_FIRST = b"500"
"""Added to a worker's score when Linux is out of memory, so that it kills a worker rather than the bot."""

_ROOT = Path(__file__).parents[2]
_LENGTH = struct.Struct("!I")
"""How many bytes a request or an answer has; stands before each."""

_log = logging.getLogger(__name__)


class WorkerLost(Exception):
    """The worker process has died of a call twice, or could not be started."""


class Thinker:
    """Calls functions in worker processes, one at a time in each, in the order of the requests.

    A call that has waited for a while gets another worker, so that a function that hangs delays no other;
    there are at most ``most`` workers. A call whose worker dies is repeated once with another one. Functions
    and arguments are pickled. If that fails, or no worker can be used, the function runs in a thread instead:
    slower for clicks, but with the same result.
    """

    def __init__(
        self,
        most_seconds: float,
        idle_seconds: float = IDLE_SECONDS,
        *,
        most: int = 1,
        patience_seconds: float = PATIENCE_SECONDS,
        nice: int = NICE,
        threads: bool = True,
    ) -> None:
        """A call that takes longer than ``most_seconds`` (without the wait) raises :class:`TimeoutError`.

        After waiting for ``patience_seconds``, a call starts another process. ``nice`` is added to the
        workers' niceness. Without ``threads``, no call runs in this process: what has killed two workers,
        for example by the memory that it takes, raises :class:`WorkerLost`.
        """
        self._most_seconds = most_seconds
        self._idle_seconds = idle_seconds
        self._most = most
        self._patience_seconds = patience_seconds
        self._nice = nice
        self._threads = threads
        self._workers: list[_Worker] = []
        self._idle: list[_Worker] = []
        self._waiting: deque[asyncio.Future[_Worker]] = deque()
        self._closed = False
        self._warming: asyncio.Task[None] | None = None

    async def __call__(self, function: Callable[..., Any], *args: object) -> Any:
        try:
            request = pickle.dumps((function, args))
        except (pickle.PicklingError, AttributeError, TypeError):
            if not self._threads:
                raise
            return await self._in_thread(function, *args)
        worker = await self._free()
        try:
            answer = await self._answer(worker, request)
        finally:
            self._release(worker)
        if answer is None:
            if not self._threads:
                raise WorkerLost
            return await self._in_thread(function, *args)
        good, result = answer
        if good:
            return result
        raise result

    def warm(self, *modules: str) -> None:
        """Start a worker in the background and import these modules in it before they are needed."""
        if not self._workers and not self._closed and (self._warming is None or self._warming.done()):
            # An empty context, because the task belongs to no interaction.
            self._warming = asyncio.create_task(
                self(_load, modules), name="start thinking", context=contextvars.Context()
            )

    async def close(self) -> None:
        """End the workers. Calls that still wait for one run in a thread."""
        self._closed = True
        if self._warming is not None:
            self._warming.cancel()
            await asyncio.gather(self._warming, return_exceptions=True)
        for worker in self._workers:
            await worker.kill_process()

    async def _in_thread(self, function: Callable[..., Any], *args: object) -> Any:
        # A thread can't be ended, but its caller can stop waiting for it.
        async with asyncio.timeout(self._most_seconds):
            return await asyncio.to_thread(function, *args)

    async def _free(self) -> _Worker:
        """Return a free worker: wait for one or start one."""
        if self._idle:
            # Take the one that worked last, so that the others can end.
            worker = self._idle.pop()
            worker.wake()
            return worker
        if not self._workers:
            return self._new_worker()
        future: asyncio.Future[_Worker] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        try:
            if len(self._workers) < self._most:
                done, _ = await asyncio.wait({future}, timeout=self._patience_seconds)
                if not done and len(self._workers) < self._most:
                    future.cancel()
                    return self._new_worker()
            return await future
        except BaseException:
            if future.done() and not future.cancelled():
                self._release(future.result())
            future.cancel()
            raise

    def _new_worker(self) -> _Worker:
        worker = _Worker(self._nice)
        self._workers.append(worker)
        return worker

    def _release(self, worker: _Worker) -> None:
        while self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                future.set_result(worker)
                return
        # A worker with a running process is used before one that would have to start its process.
        self._idle.insert(len(self._idle) if worker.alive else 0, worker)
        if not self._closed:
            worker.rest(self._idle_seconds, self._retire)

    def _retire(self, worker: _Worker) -> None:
        self._idle.remove(worker)
        self._workers.remove(worker)
        worker.close_input()

    async def _answer(self, worker: _Worker, request: bytes) -> tuple[bool, Any] | None:
        """Return whether the call succeeded and what it returned or raised, or None if no worker answered."""
        for _ in range(0 if self._closed else 2):
            try:
                async with asyncio.timeout(self._most_seconds):
                    return await worker.ask(request)
            except TimeoutError:
                await worker.kill_process()
                raise
            except (EOFError, OSError) as error:
                if self._closed:
                    return None
                _log.warning("The worker process has failed: %s", error or type(error).__name__)
                await worker.kill_process()
            except BaseException:
                # Otherwise the next call would receive this call's answer.
                await worker.kill_process()
                raise
        return None


class _Worker:
    """One process, started by its first request."""

    def __init__(self, nice: int) -> None:
        self._nice = nice
        self._process: Process | None = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def ask(self, request: bytes) -> tuple[bool, Any]:
        """Return the answer to a request. Raises :class:`OSError` or :class:`EOFError` if that fails."""
        process = self._process
        if process is None or process.returncode is not None:
            process = self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "bot.services.thinking",
                str(self._nice),
                stdin=PIPE,
                stdout=PIPE,
                cwd=_ROOT,
            )
        return await _ask(process, request)

    def rest(self, seconds: float, retire: Callable[[_Worker], None]) -> None:
        """Call ``retire`` after ``seconds``, unless :meth:`wake` comes first."""
        self._timer = asyncio.get_running_loop().call_later(seconds, retire, self)

    def wake(self) -> None:
        """Cancel what :meth:`rest` has planned."""
        if self._timer is not None:
            self._timer.cancel()

    def close_input(self) -> None:
        """Close the input of the process, so that it ends."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            self._process = None

    async def kill_process(self) -> None:
        """Kill the process."""
        self.wake()
        process, self._process = self._process, None
        if process is None:
            return
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
        await process.wait()


def _load(modules: tuple[str, ...]) -> None:
    for name in modules:
        importlib.import_module(name)


async def _ask(process: Process, request: bytes) -> tuple[bool, Any]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(_LENGTH.pack(len(request)) + request)
    await process.stdin.drain()
    (length,) = _LENGTH.unpack(await process.stdout.readexactly(_LENGTH.size))
    answer: tuple[bool, Any] = pickle.loads(await process.stdout.readexactly(length))
    return answer


def main(niceness: int) -> None:
    """Answer calls until the input ends."""
    # Ctrl-C reaches the whole process group; the bot ends its workers itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    reading, writing = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # Output that a function prints must not get into the answers.
    os.dup2(2, 1)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_bytes(KILL_FIRST)
    nice = False
    with contextlib.suppress(BrokenPipeError):
        while len(head := reading.read(_LENGTH.size)) == _LENGTH.size:
            answer = _called(reading.read(_LENGTH.unpack(head)[0]))
            writing.write(_LENGTH.pack(len(answer)) + answer)
            writing.flush()
            if not nice:
                # Only after the first call, so that loading the modules is not slowed down.
                nice = True
                with contextlib.suppress(AttributeError, OSError):
                    os.nice(niceness)


def _called(request: bytes) -> bytes:
    """Carry out a pickled call. Return its pickled answer: whether it succeeded, and its result or error."""
    try:
        function, args = pickle.loads(request)
        return pickle.dumps((True, function(*args)))
    except Exception as error:
        try:
            answer = pickle.dumps((False, error))
            pickle.loads(answer)
        except Exception:
            # Not every error can be pickled, or read again.
            return pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))
        return answer


if __name__ == "__main__":
    main(int(sys.argv[1]))
