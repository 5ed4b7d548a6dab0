"""Worker processes for AI moves, odds and reviews, so that no click has to wait for them.

A thread would share Python's lock with every click, and make clicks several times slower for as long as it
runs. A worker is started for the first call, another one only when a call has waited
for a while, and both end after some time without work. A worker ends with the bot, also when the bot is
killed, because its standard input ends then. docs/decisions/thinking-process.md has the
figures, and says why no library does it.
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
"""How long a worker without work is kept; the next call starts another."""

PATIENCE_SECONDS = 1.0
"""How long a call waits for a busy worker before it gets another one, if there may be more."""

NICE = 5
"""Added to the niceness of a worker, so that clicks come first."""

_ROOT = Path(__file__).parents[2]
_LENGTH = struct.Struct("!I")
_log = logging.getLogger(__name__)


class Thinker:
    """Calls functions in a worker process, one at a time, in the order of the requests.

    A call that has waited for a while gets another worker, so that a function that hangs holds up no other;
    there are at most ``most`` workers. Functions and arguments are pickled. What can't be pickled, or finds
    no worker, is called in a thread instead: slower for clicks, but with the same result.
    """

    def __init__(
        self,
        most_seconds: float,
        idle_seconds: float = IDLE_SECONDS,
        *,
        most: int = 1,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        """A call that takes longer than ``most_seconds`` is given up with :class:`TimeoutError`; waiting for
        others does not count. After ``patience_seconds`` of that another process is started."""
        self._most_seconds = most_seconds
        self._idle_seconds = idle_seconds
        self._most = most
        self._patience_seconds = patience_seconds
        self._workers: list[_Worker] = []
        self._idle: list[_Worker] = []
        self._waiting: deque[asyncio.Future[_Worker]] = deque()
        self._closed = False
        self._warming: asyncio.Task[None] | None = None

    async def __call__(self, function: Callable[..., Any], *args: object) -> Any:
        try:
            request = pickle.dumps((function, args))
        except (pickle.PicklingError, AttributeError, TypeError):
            return await self._in_thread(function, *args)
        worker = await self._free()
        try:
            answer = await self._answer(worker, request)
        finally:
            self._release(worker)
        if answer is None:
            return await self._in_thread(function, *args)
        good, result = answer
        if good:
            return result
        raise result

    def warm(self, *modules: str) -> None:
        """Start a worker in the background and load these modules in it, so that it is ready when needed."""
        if not self._workers and not self._closed and (self._warming is None or self._warming.done()):
            # In a context of its own: it belongs to no interaction.
            self._warming = asyncio.create_task(
                self(_load, modules), name="start thinking", context=contextvars.Context()
            )

    async def close(self) -> None:
        """End the workers. Calls that still wait for one are made in a thread."""
        self._closed = True
        if self._warming is not None:
            self._warming.cancel()
            await asyncio.gather(self._warming, return_exceptions=True)
        for worker in self._workers:
            await worker.kill_process()

    async def _in_thread(self, function: Callable[..., Any], *args: object) -> Any:
        # A thread can't be ended, but its caller need not wait for it.
        async with asyncio.timeout(self._most_seconds):
            return await asyncio.to_thread(function, *args)

    async def _free(self) -> _Worker:
        """Wait for a worker that is free, or start one."""
        if self._idle:
            # The one that worked last, so that the others can end.
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
        worker = _Worker()
        self._workers.append(worker)
        return worker

    def _release(self, worker: _Worker) -> None:
        while self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                future.set_result(worker)
                return
        # One whose process runs is taken before one that would have to start it.
        self._idle.insert(len(self._idle) if worker.alive else 0, worker)
        if not self._closed:
            worker.rest(self._idle_seconds, self._retire)

    def _retire(self, worker: _Worker) -> None:
        self._idle.remove(worker)
        self._workers.remove(worker)
        worker.close_input()

    async def _answer(self, worker: _Worker, request: bytes) -> tuple[bool, Any] | None:
        """Return whether the call succeeded, and what it returned or raised; None if no worker can say."""
        for _ in range(0 if self._closed else 2):
            try:
                async with asyncio.timeout(self._most_seconds):
                    return await worker.ask(request)
            except (EOFError, OSError) as error:
                if isinstance(error, TimeoutError):
                    await worker.kill_process()
                    raise
                if self._closed:
                    return None
                _log.warning("The process that thinks has failed: %s", error or type(error).__name__)
                await worker.kill_process()
            except BaseException:
                # Its answer would be taken for that to the next call.
                await worker.kill_process()
                raise
        return None


class _Worker:
    """One process, started when it is first asked."""

    def __init__(self) -> None:
        self._process: Process | None = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def ask(self, request: bytes) -> tuple[bool, Any]:
        """Raises :class:`OSError` or :class:`EOFError` if there is no process to answer."""
        process = self._process
        if process is None or process.returncode is not None:
            process = self._process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "bot.services.thinking", stdin=PIPE, stdout=PIPE, cwd=_ROOT
            )
        return await _ask(process, request)

    def rest(self, seconds: float, retire: Callable[[_Worker], None]) -> None:
        """Call ``retire`` after ``seconds``, unless woken before."""
        self._timer = asyncio.get_running_loop().call_later(seconds, retire, self)

    def wake(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def close_input(self) -> None:
        """Let the process end by itself."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            self._process = None

    async def kill_process(self) -> None:
        """Kill the process, whatever it does."""
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


def main() -> None:
    """Answer calls until there are no more."""
    # Ctrl-C reaches the whole process group; the bot ends its workers itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    reading, writing = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # What a function prints must not get into the answers.
    os.dup2(2, 1)
    nice = False
    with contextlib.suppress(BrokenPipeError):
        while len(head := reading.read(_LENGTH.size)) == _LENGTH.size:
            answer = _called(reading.read(_LENGTH.unpack(head)[0]))
            writing.write(_LENGTH.pack(len(answer)) + answer)
            writing.flush()
            if not nice:
                # Not before the first call, which loads what all others need.
                nice = True
                with contextlib.suppress(AttributeError, OSError):
                    os.nice(NICE)


def _called(request: bytes) -> bytes:
    try:
        function, args = pickle.loads(request)
        return pickle.dumps((True, function(*args)))
    except Exception as error:
        try:
            answer = pickle.dumps((False, error))
            pickle.loads(answer)
        except Exception:
            return pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))
        return answer


if __name__ == "__main__":
    main()
