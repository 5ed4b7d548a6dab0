"""Processes of their own to think in, so that no click has to wait while an AI thinks.

In a thread of the bot an AI would share Python's one lock with every click, which makes clicks several times
slower for as long as it thinks (docs/decisions/thinking-process.md). The process is started when somebody
first has to think, another only if one is held up, and ends when there was nothing to think about for a
while. It ends with the bot, however the bot ends, because then its input ends.
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
"""After so long without work the process ends; the next work starts another."""

PATIENCE_SECONDS = 1.0
"""Whoever has waited so long for others gets another process, if there may be one."""

NICE = 5
"""How much the process steps back where a click wants the processor too."""

_ROOT = Path(__file__).parents[2]
_LENGTH = struct.Struct("!I")
_log = logging.getLogger(__name__)


class Thinker:
    """Calls functions in a process of its own, one at a time, in the order in which it was asked.

    Whoever has waited for a while for others gets another process, so that a function that hangs holds up
    nobody else; there are at most ``most`` of them. Functions and arguments travel as pickles. What can't
    travel, or finds no process, is called in a thread instead: slower for others, but with the same result.
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

    async def __call__(self, function: Callable[..., Any], *args: Any) -> Any:
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
        """Start the process in the background, with these modules loaded, so that it is there when needed."""
        if not self._workers and not self._closed and (self._warming is None or self._warming.done()):
            # In a context of its own: it is no part of what somebody waits for.
            self._warming = asyncio.create_task(
                self(_load, modules), name="start thinking", context=contextvars.Context()
            )

    async def close(self) -> None:
        """End the processes. Whoever still waits for one is served in a thread."""
        self._closed = True
        if self._warming is not None:
            self._warming.cancel()
            await asyncio.gather(self._warming, return_exceptions=True)
        for worker in self._workers:
            await worker.dismiss()

    async def _in_thread(self, function: Callable[..., Any], *args: Any) -> Any:
        # A thread can't be ended, but nobody has to wait for it.
        async with asyncio.timeout(self._most_seconds):
            return await asyncio.to_thread(function, *args)

    async def _free(self) -> _Worker:
        """Somebody with nothing to do, in the end."""
        if self._idle:
            # Who worked last: the others may rest, and go home.
            worker = self._idle.pop()
            worker.wake()
            return worker
        if not self._workers:
            return self._hired()
        future: asyncio.Future[_Worker] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        try:
            if len(self._workers) < self._most:
                done, _ = await asyncio.wait({future}, timeout=self._patience_seconds)
                if not done and len(self._workers) < self._most:
                    future.cancel()
                    return self._hired()
            return await future
        except BaseException:
            if future.done() and not future.cancelled():
                self._release(future.result())
            future.cancel()
            raise

    def _hired(self) -> _Worker:
        worker = _Worker()
        self._workers.append(worker)
        return worker

    def _release(self, worker: _Worker) -> None:
        while self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                future.set_result(worker)
                return
        # Who has a process at work is asked before who would have to start one.
        self._idle.insert(len(self._idle) if worker.alive else 0, worker)
        if not self._closed:
            worker.rest(self._idle_seconds, self._send_home)

    def _send_home(self, worker: _Worker) -> None:
        self._idle.remove(worker)
        self._workers.remove(worker)
        worker.send_home()

    async def _answer(self, worker: _Worker, request: bytes) -> tuple[bool, Any] | None:
        """Whether the call went well, and what it returned or raised; None if no process can say."""
        for _ in range(0 if self._closed else 2):
            try:
                async with asyncio.timeout(self._most_seconds):
                    return await worker.ask(request)
            except (EOFError, OSError) as error:
                if isinstance(error, TimeoutError):
                    await worker.dismiss()
                    raise
                if self._closed:
                    return None
                _log.warning("The process that thinks has failed: %s", error or type(error).__name__)
                await worker.dismiss()
            except BaseException:
                # Its answer would be taken for the next one's.
                await worker.dismiss()
                raise
        return None


class _Worker:
    """One process, started when it is first asked."""

    def __init__(self) -> None:
        self._process: Process | None = None
        self._home: asyncio.TimerHandle | None = None

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

    def rest(self, seconds: float, home: Callable[[_Worker], None]) -> None:
        """Call ``home`` unless woken before."""
        self._home = asyncio.get_running_loop().call_later(seconds, home, self)

    def wake(self) -> None:
        if self._home is not None:
            self._home.cancel()

    def send_home(self) -> None:
        """Let the process end by itself."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            self._process = None

    async def dismiss(self) -> None:
        """End the process, whatever it does."""
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
    # Ctrl-C reaches the whole group; the bot says when it is time.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    reading, writing = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # What a function prints must not end up among the answers.
    os.dup2(2, 1)
    nice = False
    with contextlib.suppress(BrokenPipeError):
        while len(head := reading.read(_LENGTH.size)) == _LENGTH.size:
            answer = _called(reading.read(_LENGTH.unpack(head)[0]))
            writing.write(_LENGTH.pack(len(answer)) + answer)
            writing.flush()
            if not nice:
                # The first call loads what all others need; somebody waits for that.
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
