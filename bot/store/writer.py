"""One writer for one connection: transactions that wait at the same time share one commit, and one fsync."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import aiosqlite

from bot.store.inline import Job, drive, in_thread

T = TypeVar("T")

LAZY_SECONDS = 0.25
"""How long a write that nobody waits for may be put off, so that it rides along with another commit."""

MOST_JOBS = 64
"""The most transactions that share one commit; it bounds how long the first of them waits."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Waiting:
    job: Job[Any]
    done: asyncio.Future[Any]


class Writer:
    """Runs jobs one after the other, each in a savepoint of its own, several to a transaction.

    A job that raises is rolled back alone; the others of its transaction go on. If the commit itself fails,
    all jobs of the transaction fail. What :meth:`run` has returned is on disk.
    """

    def __init__(self, connection: aiosqlite.Connection, check: Callable[[], None] | None = None) -> None:
        """``check`` is called before each transaction, in the connection's thread; if it raises, all jobs
        fail with that."""
        self._connection = connection
        self._check = check
        self._jobs: list[_Waiting] = []
        self._lazy: list[Job[Any]] = []
        self._closing = False
        self._task: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def run(self, job: Job[T]) -> T:
        """Run ``job`` in a transaction; return its result once that is durable.

        A caller that is cancelled stops waiting; the job is still done or undone as a whole.
        """
        if self._closing:
            raise RuntimeError("the database is closed")
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._jobs.append(_Waiting(job, done))
        self._start()
        return await done

    def later(self, job: Job[Any]) -> None:
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

    async def _transaction(self, waiting: list[_Waiting], lazy: list[Job[Any]]) -> None:
        jobs = [*lazy, *(one.job for one in waiting)]
        try:
            outcomes = await in_thread(self._connection, lambda connection: self._write(connection, jobs))
        except Exception as error:
            outcomes = [error] * len(jobs)
        for outcome in outcomes[: len(lazy)]:
            if isinstance(outcome, BaseException):
                _log.warning("What could wait was not written: %s", outcome)
        for one, outcome in zip(waiting, outcomes[len(lazy) :], strict=True):
            if one.done.done():
                continue
            if isinstance(outcome, BaseException):
                one.done.set_exception(outcome)
            else:
                one.done.set_result(outcome.value)

    def _write(
        self, connection: sqlite3.Connection, jobs: Sequence[Job[Any]]
    ) -> list[Written | BaseException]:
        if self._check is not None:
            self._check()
        return transaction(connection, jobs)


@dataclass(frozen=True, slots=True)
class Written:
    """What a job has returned."""

    value: Any


def transaction(connection: sqlite3.Connection, jobs: Sequence[Job[Any]]) -> list[Written | BaseException]:
    """Run all ``jobs`` in one transaction; each is done as a whole or, if it raises, undone as a whole.

    Raises if the transaction itself fails, and then nothing is written.
    """
    outcomes: list[Written | BaseException] = []
    try:
        connection.execute("BEGIN IMMEDIATE")
        for job in jobs:
            connection.execute("SAVEPOINT job")
            try:
                outcomes.append(Written(drive(connection, job)))
            except Exception as error:
                outcomes.append(error)
                connection.execute("ROLLBACK TO job")
            connection.execute("RELEASE job")
        connection.execute("COMMIT")
    except BaseException:
        # A full disk may have rolled back already.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return outcomes
