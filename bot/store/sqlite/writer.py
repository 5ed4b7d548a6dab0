"""One writer for one connection: transactions that wait at the same time share one commit, and one fsync."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeVar

import aiosqlite

from bot.store.inline import Job, drive, submit

T = TypeVar("T")

Together = Callable[[sqlite3.Connection, Sequence[Any]], None]
"""Does several jobs in fewer statements than one by one, or raises and is undone. Jobs that it can do have it
as their ``together``; they return nothing."""

LAZY_SECONDS = 2.0
"""How long a write that nobody waits for may be put off, so that it rides along with another commit."""

MAX_JOBS = 1024
"""The most transactions that share one commit; it bounds how long the first of them waits."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Waiting:
    job: Job[Any]
    done: asyncio.Future[Any]


class Writer:
    """Runs jobs one after the other, several to a transaction.

    A job that raises is undone alone; the others of its transaction are run again without it. If the commit
    itself fails, all jobs of the transaction fail. What :meth:`run` has returned is on disk.
    """

    def __init__(
        self,
        connection: aiosqlite.Connection,
        check: Callable[[], None] | None = None,
        lazy_seconds: float | None = None,
    ) -> None:
        """``check`` is called before each transaction, in the connection's thread; if it raises, all jobs
        fail with that. ``lazy_seconds`` replaces LAZY_SECONDS."""
        self._connection = connection
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
            # Whoever else comes at this moment joins in.
            self._soon = True
            asyncio.get_running_loop().call_soon(self._start)
        return await done

    @property
    def lazy_seconds(self) -> float:
        """How long a write that nobody waits for may be put off."""
        return LAZY_SECONDS if self._lazy_seconds is None else self._lazy_seconds

    def later(self, job: Job[Any]) -> None:
        """Run ``job`` with the next transaction, or in one of its own after a moment. Nobody waits for it."""
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
            submit(
                self._connection,
                lambda connection: self._write(connection, jobs),
                lambda outcomes: self._finish(lazy, waiting, outcomes),
            )
        except ValueError as error:
            # The connection was closed by somebody else.
            self._finish(lazy, waiting, error)

    def _finish(
        self,
        lazy: Sequence[Job[Any]],
        waiting: Sequence[_Waiting],
        outcomes: Sequence[Written | BaseException] | BaseException,
    ) -> None:
        self._busy = False
        if isinstance(outcomes, BaseException):
            outcomes = [outcomes] * (len(lazy) + len(waiting))
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
        # Without a timer, what can wait has waited long enough while this transaction was under way.
        if self._jobs or (self._lazy and (self._closing or self._timer is None)):
            self._start()
        if self._idle is not None and not self._busy and not self._idle.done():
            self._idle.set_result(None)

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
    with suppress(_Failed), _committed(connection):
        for alike, some in groupby(jobs, _together):
            try:
                if alike is None:
                    outcomes += [Written(drive(connection, job)) for job in some]
                else:
                    same = list(some)
                    alike(connection, same)
                    outcomes += [Written(None)] * len(same)
            except Exception as error:
                if len(jobs) == 1 and alike is None:
                    outcomes.append(error)
                raise _Failed from error
    return outcomes if len(outcomes) == len(jobs) else _apart(connection, jobs)


def _together(job: Job[Any]) -> Together | None:
    return getattr(job, "together", None)


class _Failed(Exception):
    """A job has failed; which one of several, and why, is found out by running them one by one."""


def _apart(connection: sqlite3.Connection, jobs: Sequence[Job[Any]]) -> list[Written | BaseException]:
    """Like :func:`transaction`, each job in a savepoint, which nearly all transactions can do without."""
    outcomes: list[Written | BaseException] = []
    with _committed(connection):
        for job in jobs:
            connection.execute("SAVEPOINT job")
            try:
                outcomes.append(Written(drive(connection, job)))
            except Exception as error:
                if not connection.in_transaction:
                    # A full disk has undone all jobs, not only this one.
                    raise
                outcomes.append(error)
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
