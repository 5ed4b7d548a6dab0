"""Shared commits: writes jobs that wait at the same time in one transaction, with one fsync."""

from __future__ import annotations

import asyncio
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Self, TypeVar

from bot.store.sqlite.write_thread import WriteThread

T = TypeVar("T")

Job = Callable[[sqlite3.Connection], T]
"""A function that changes only the database. The writer runs it again if it has to repeat a transaction."""

MAX_JOBS = 1024
"""How many jobs may share one commit; this limits how long the first of them waits."""


class BatchJob(ABC):
    """A job that returns nothing. Many of them can be written together in fewer statements."""

    @abstractmethod
    def __call__(self, connection: sqlite3.Connection) -> None:
        """Write only this job."""

    @classmethod
    @abstractmethod
    def write_all(cls, connection: sqlite3.Connection, jobs: Sequence[Self]) -> None:
        """Write all of ``jobs``. If this raises, the writer undoes all and writes them one by one."""


@dataclass(slots=True)
class _Waiting:
    job: Job[Any]
    done: asyncio.Future[Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The value that a job returned, or the error that it raised."""

    value: Any = None
    error: BaseException | None = None


class Writer:
    """Runs jobs one after the other, several to a transaction.

    If a job raises, only that job is undone; the others of its transaction run again without it. If the
    commit itself fails, all jobs of the transaction fail. When :meth:`run` returns, its job is on disk.
    """

    def __init__(
        self,
        thread: WriteThread,
        check: Callable[[sqlite3.Connection], None] | None = None,
    ) -> None:
        """The thread calls ``check`` before each transaction; if it raises, all jobs fail with its error."""
        self._thread = thread
        self._check = check
        self._jobs: list[_Waiting] = []
        self._closing = False
        self._busy = self._soon = False
        self._idle: asyncio.Future[None] | None = None

    async def run(self, job: Job[T]) -> T:
        """Run ``job`` in a transaction. Return its result once the transaction is on disk.

        Cancelling the caller does not cancel the job.
        """
        if self._closing:
            raise RuntimeError("the database is closed")
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._jobs.append(_Waiting(job, done))
        if not self._busy and not self._soon:
            # Jobs added in the same iteration of the event loop join this transaction.
            self._soon = True
            asyncio.get_running_loop().call_soon(self._start)
        return await done

    async def close(self) -> None:
        """Write all waiting jobs, then stop."""
        self._closing = True
        self._start()
        if self._busy:
            if self._idle is None:
                self._idle = asyncio.get_running_loop().create_future()
            await asyncio.shield(self._idle)

    def _start(self) -> None:
        """Begin a transaction with all waiting jobs. If one is running, :meth:`_finish` begins the next."""
        self._soon = False
        if self._busy or not self._jobs:
            return
        waiting, self._jobs = self._jobs[:MAX_JOBS], self._jobs[MAX_JOBS:]
        jobs = [waiter.job for waiter in waiting]
        self._busy = True
        # Callbacks instead of a task, because a single click would bear the whole cost of the task.
        try:
            self._thread.submit(
                lambda connection: self._write(connection, jobs),
                lambda outcomes: self._finish(waiting, outcomes),
            )
        except ValueError as error:
            # The thread was closed before this writer.
            self._finish(waiting, error)

    def _finish(self, waiting: Sequence[_Waiting], outcomes: Sequence[Outcome] | BaseException) -> None:
        self._busy = False
        if isinstance(outcomes, BaseException):
            outcomes = [Outcome(error=outcomes)] * len(waiting)
        for waiter, outcome in zip(waiting, outcomes, strict=True):
            if waiter.done.done():
                continue
            if outcome.error is not None:
                waiter.done.set_exception(outcome.error)
            else:
                waiter.done.set_result(outcome.value)
        if self._jobs:
            self._start()
        if self._idle is not None and not self._busy and not self._idle.done():
            self._idle.set_result(None)

    def _write(self, connection: sqlite3.Connection, jobs: Sequence[Job[Any]]) -> list[Outcome]:
        if self._check is not None:
            self._check(connection)
        return transaction(connection, jobs)


def transaction(connection: sqlite3.Connection, jobs: Sequence[Job[Any]]) -> list[Outcome]:
    """Run all ``jobs`` in one transaction. A job that raises is undone as a whole; the others are kept.

    Raises if the transaction itself fails; then nothing is written.
    """
    outcomes: list[Outcome] = []
    with suppress(_Failed), _committed(connection):
        for kind, group in groupby(jobs, _batch_kind):
            batch: list[Any] = list(group)
            try:
                if kind is None:
                    outcomes += [Outcome(job(connection)) for job in batch]
                else:
                    kind.write_all(connection, batch)
                    outcomes += [Outcome()] * len(batch)
            except Exception as error:
                if len(jobs) == 1 and kind is None:
                    outcomes.append(Outcome(error=error))
                raise _Failed from error
    return outcomes if len(outcomes) == len(jobs) else _one_by_one(connection, jobs)


def _batch_kind(job: Job[Any]) -> type[BatchJob] | None:
    return type(job) if isinstance(job, BatchJob) else None


class _Failed(Exception):
    """One of the jobs has failed; running them one by one shows which one and why."""


def _one_by_one(connection: sqlite3.Connection, jobs: Sequence[Job[Any]]) -> list[Outcome]:
    """Like :func:`transaction`, but with each job in its own savepoint. It is slower and rarely needed."""
    outcomes: list[Outcome] = []
    with _committed(connection):
        for job in jobs:
            connection.execute("SAVEPOINT job")
            try:
                outcomes.append(Outcome(job(connection)))
            except Exception as error:
                if not connection.in_transaction:
                    # SQLite has undone all jobs, as it does when the disk is full.
                    raise
                outcomes.append(Outcome(error=error))
                connection.execute("ROLLBACK TO job")
            connection.execute("RELEASE job")
    return outcomes


@contextmanager
def _committed(connection: sqlite3.Connection) -> Iterator[None]:
    """Begin a transaction; commit it at the end, or undo it if anything raises."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("COMMIT")
    except BaseException:
        # SQLite rolls back by itself when the disk is full.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
