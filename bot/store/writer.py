"""One writer for one connection: transactions that wait at the same time share one commit, and one fsync."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import aiosqlite

T = TypeVar("T")
Job = Callable[[aiosqlite.Connection], Awaitable[Any]]

LAZY_SECONDS = 0.25
"""How long a write that nobody waits for may be put off, so that it rides along with another commit."""

MOST_JOBS = 64
"""The most transactions that share one commit; it bounds how long the first of them waits."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Waiting:
    job: Job
    done: asyncio.Future[Any]


class Writer:
    """Runs jobs one after the other, each in a savepoint of its own, several to a transaction.

    A job that raises is rolled back alone; the others of its transaction go on. If the commit itself fails,
    all jobs of the transaction fail. What :meth:`run` has returned is on disk.
    """

    def __init__(self, connection: aiosqlite.Connection) -> None:
        self._connection = connection
        self._jobs: list[_Waiting] = []
        self._lazy: list[Job] = []
        self._closing = False
        self._task: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def run(self, job: Callable[[aiosqlite.Connection], Awaitable[T]]) -> T:
        """Run ``job`` in a transaction; return its result once that is durable.

        A caller that is cancelled stops waiting; the job is still done or undone as a whole.
        """
        if self._closing:
            raise RuntimeError("the database is closed")
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._jobs.append(_Waiting(job, done))
        self._start()
        return await done

    def later(self, job: Job) -> None:
        """Run ``job`` with the next transaction, or in one of its own after a moment. Nobody waits for it."""
        if self._closing:
            return
        self._lazy.append(job)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(LAZY_SECONDS, self._start)

    async def close(self) -> None:
        """Finish what waits, then stop."""
        self._closing = True
        self._start()
        if self._task is not None:
            await self._task

    def _start(self) -> None:
        """See to it that somebody works; an idle writer is nothing but an object."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._work(), name="database-writer")

    async def _work(self) -> None:
        while self._jobs or self._lazy:
            jobs, self._jobs = self._jobs[:MOST_JOBS], self._jobs[MOST_JOBS:]
            lazy, self._lazy = self._lazy, []
            await self._transaction(jobs, lazy)

    async def _transaction(self, jobs: list[_Waiting], lazy: list[Job]) -> None:
        results: list[tuple[_Waiting, Any, BaseException | None]] = []
        connection = self._connection
        try:
            await connection.execute("BEGIN IMMEDIATE")
            for job in lazy:
                try:
                    await self._one(job)
                except Exception:
                    _log.exception("A write that could wait has failed")
            for waiting in jobs:
                try:
                    results.append((waiting, await self._one(waiting.job), None))
                except Exception as error:
                    results.append((waiting, None, error))
            await connection.execute("COMMIT")
        except Exception as error:
            with contextlib.suppress(Exception):
                if connection.in_transaction:
                    await connection.execute("ROLLBACK")
            results = [(waiting, None, error) for waiting in jobs]
            if not jobs:
                _log.warning("What the channels show could not be noted: %s", error)
        for waiting, result, failure in results:
            if waiting.done.done():
                continue
            if failure is None:
                waiting.done.set_result(result)
            else:
                waiting.done.set_exception(failure)

    async def _one(self, job: Job) -> Any:
        await self._connection.execute("SAVEPOINT job")
        try:
            result = await job(self._connection)
        except BaseException:
            await self._connection.execute("ROLLBACK TO job")
            await self._connection.execute("RELEASE job")
            raise
        await self._connection.execute("RELEASE job")
        return result
