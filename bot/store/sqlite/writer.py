"""Shared commits: jobs that wait at the same time are written in one transaction, with one fsync."""

from __future__ import annotations

import asyncio
import logging
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
"""Changes nothing but the database: if its transaction has to be repeated, it is run again."""

LAZY_SECONDS = 2.0
"""How long a write that nobody waits for may be put off, so that it shares another commit."""

MAX_JOBS = 1024
"""The most jobs that share one commit; it bounds how long the first of them waits."""

_log = logging.getLogger(__name__)


class BatchJob(ABC):
    """A job without a result of which many can be written with fewer statements than one by one."""

    @abstractmethod
    def __call__(self, connection: sqlite3.Connection) -> None:
        """Write this one alone."""

    @classmethod
    @abstractmethod
    def write_all(cls, connection: sqlite3.Connection, jobs: Sequence[Self]) -> None:
        """Write all of ``jobs``, or raise; then all are undone and written one by one."""


@dataclass(slots=True)
class _Waiting:
    job: Job[Any]
    done: asyncio.Future[Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a job has returned or raised."""

    value: Any = None
    error: BaseException | None = None


class Writer:
    """Runs jobs one after the other, several to a transaction.

    A job that raises is undone alone; the others of its transaction are run again without it. If the commit
    itself fails, all jobs of the transaction fail. What :meth:`run` has returned is on disk.
    """

    def __init__(
        self,
        thread: WriteThread,
        check: Callable[[], None] | None = None,
        lazy_seconds: float | None = None,
    ) -> None:
        """``check`` is called before each transaction, in the thread; if it raises, all jobs fail with that.

        ``lazy_seconds`` replaces LAZY_SECONDS.
        """
        self._thread = thread
        self._check = check
        self._lazy_seconds = lazy_seconds
        self._jobs: list[_Waiting] = []
        self._lazy: list[Job[Any]] = []
        self._closing = False
        self._busy = self._soon = False
        self._idle: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def run(self, job: Job[T]) -> T:
        """Run ``job`` in a transaction; return its result once that is durable.

        A caller that is cancelled stops waiting; the job is still done or undone as a whole.
        """
        if self._closing:
            raise RuntimeError("the database is closed")
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._jobs.append(_Waiting(job, done))
        if not self._busy and not self._soon:
            # Jobs that come in the same iteration of the event loop join this transaction.
            self._soon = True
            asyncio.get_running_loop().call_soon(self._start)
        return await done

    @property
    def lazy_seconds(self) -> float:
        """How long a write that nobody waits for may be put off."""
        return LAZY_SECONDS if self._lazy_seconds is None else self._lazy_seconds

    def later(self, job: Job[Any]) -> None:
        """Run ``job`` with the next transaction, or in one of its own after ``lazy_seconds``."""
        if self._closing:
            return
        self._lazy.append(job)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self.lazy_seconds, self._start)

    async def close(self) -> None:
        """Finish what waits, then stop."""
        self._closing = True
        self._start()
        if self._busy:
            if self._idle is None:
                self._idle = asyncio.get_running_loop().create_future()
            await asyncio.shield(self._idle)

    def _start(self) -> None:
        """Begin a transaction with all that waits, unless one is under way: then it comes next."""
        self._soon = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._busy or not (self._jobs or self._lazy):
            return
        waiting, self._jobs = self._jobs[:MAX_JOBS], self._jobs[MAX_JOBS:]
        lazy, self._lazy = self._lazy, []
        jobs = [*lazy, *(one.job for one in waiting)]
        self._busy = True
        # Callbacks instead of a task: one click at a time would pay for it alone.
        try:
            self._thread.submit(
                lambda connection: self._write(connection, jobs),
                lambda outcomes: self._finish(lazy, waiting, outcomes),
            )
        except ValueError as error:
            # The thread was closed by somebody else.
            self._finish(lazy, waiting, error)

    def _finish(
        self,
        lazy: Sequence[Job[Any]],
        waiting: Sequence[_Waiting],
        outcomes: Sequence[Outcome] | BaseException,
    ) -> None:
        self._busy = False
        if isinstance(outcomes, BaseException):
            outcomes = [Outcome(error=outcomes)] * (len(lazy) + len(waiting))
        for outcome in outcomes[: len(lazy)]:
            if outcome.error is not None:
                _log.warning("What could wait was not written: %s", outcome.error)
        for one, outcome in zip(waiting, outcomes[len(lazy) :], strict=True):
            if one.done.done():
                continue
            if outcome.error is not None:
                one.done.set_exception(outcome.error)
            else:
                one.done.set_result(outcome.value)
        # Without a timer, what can wait has waited long enough while this transaction was under way.
        if self._jobs or (self._lazy and (self._closing or self._timer is None)):
            self._start()
        if self._idle is not None and not self._busy and not self._idle.done():
            self._idle.set_result(None)

    def _write(self, connection: sqlite3.Connection, jobs: Sequence[Job[Any]]) -> list[Outcome]:
        if self._check is not None:
            self._check()
        return transaction(connection, jobs)


def transaction(connection: sqlite3.Connection, jobs: Sequence[Job[Any]]) -> list[Outcome]:
    """Run all ``jobs`` in one transaction; each is done as a whole or, if it raises, undone as a whole.

    Raises if the transaction itself fails, and then nothing is written.
    """
    outcomes: list[Outcome] = []
    with suppress(_Failed), _committed(connection):
        for kind, group in groupby(jobs, _batch_kind):
            some: list[Any] = list(group)
            try:
                if kind is None:
                    outcomes += [Outcome(job(connection)) for job in some]
                else:
                    kind.write_all(connection, some)
                    outcomes += [Outcome()] * len(some)
            except Exception as error:
                if len(jobs) == 1 and kind is None:
                    outcomes.append(Outcome(error=error))
                raise _Failed from error
    return outcomes if len(outcomes) == len(jobs) else _one_by_one(connection, jobs)


def _batch_kind(job: Job[Any]) -> type[BatchJob] | None:
    return type(job) if isinstance(job, BatchJob) else None


class _Failed(Exception):
    """A job has failed; which one of several, and why, is found out by running them one by one."""


def _one_by_one(connection: sqlite3.Connection, jobs: Sequence[Job[Any]]) -> list[Outcome]:
    """Like :func:`transaction`, each job in a savepoint, which nearly all transactions can do without."""
    outcomes: list[Outcome] = []
    with _committed(connection):
        for job in jobs:
            connection.execute("SAVEPOINT job")
            try:
                outcomes.append(Outcome(job(connection)))
            except Exception as error:
                if not connection.in_transaction:
                    # A full disk has undone all jobs, not only this one.
                    raise
                outcomes.append(Outcome(error=error))
                connection.execute("ROLLBACK TO job")
            connection.execute("RELEASE job")
    return outcomes


@contextmanager
def _committed(connection: sqlite3.Connection) -> Iterator[None]:
    """A transaction that is committed at the end, or undone if anything raises."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("COMMIT")
    except BaseException:
        # A full disk may have rolled back already.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
