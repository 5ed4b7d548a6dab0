"""The bot as a process of its own: started, watched, killed, started again."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from bot.sessions.request import Refused
from tests.support.discord_server.server import DiscordServer
from tests.support.values import not_none

ROOT = Path(__file__).parents[3]
BOT = (sys.executable, "-m", "bot", "run")
NO_WRITING = re.compile(
    r"sqlite3\.OperationalError: (disk I/O error|database or disk is full|unable to open database file|"
    r"attempt to write a readonly database|database is locked|.* is no longer the (?:database|log))|"
    r"OSError: \[Errno 27\] File too large"
)
"""Exceptions where SQLite can't read or write its files, or waits too long, or the log can't be written."""

SERVER_AWAY = re.compile(
    r"asyncpg\.exceptions\.(AdminShutdown|CrashShutdown|CannotConnectNow|Connection\w*)Error|"
    r"asyncpg\.exceptions\._base\.InterfaceError: .*closed|(FileNotFound|Connection\w*)Error"
)
"""The names of exceptions where a PostgreSQL server is lost or missing."""

_RECORD = re.compile(r"^(?=\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)", re.MULTILINE)
_CAUSE = re.compile(r"^Traceback .*\n(?:[ \n].*\n?)+(\S.*)", re.MULTILINE)
_REFUSALS = f"{Refused.__module__}."
_BAD = re.compile(
    r"(?<![A-Za-z])(ERROR|CRITICAL)(?![A-Za-z])|^Traceback |Exception ignored|never awaited", re.MULTILINE
)


class BotProcess:
    """A bot pointed at a DiscordServer. Its output goes to `log`, one start after the other.

    Use as `async with BotProcess(server, log=tmp_path / "bot.log") as bot`: it is ready then, and
    killed at the end if it still runs.
    """

    def __init__(
        self,
        server: DiscordServer,
        args: Sequence[str | Path] = BOT,
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path = ROOT,
        log: Path,
    ) -> None:
        self.server = server
        self.args = [str(arg) for arg in args]
        self.env = {**server.env(), **(env or {})}
        self.cwd = cwd
        self.log = log
        self._process: asyncio.subprocess.Process | None = None
        self._readies = 0
        self._start = 0  # where in the log the present run begins

    async def launch(self) -> None:
        """Start the process; it may be started again once it has ended."""
        assert not self.running, "it still runs"
        self._readies = self.server.gateway.readies
        self._start = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *self.args,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=asyncio.subprocess.STDOUT,
                cwd=self.cwd,
                env={**_environment(), "EMOJIS": "off", "STEP_BY_STEP": "off", **self.env},
            )

    async def start(self, within: float = 40.0) -> None:
        """Start the process, and wait until it is ready."""
        await self.launch()
        await self.wait_ready(within)

    async def __aenter__(self) -> Self:
        try:
            await self.start()
        except BaseException:
            await self.kill()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.kill()

    async def command(self, *words: str | Path) -> tuple[int, str]:
        """Run a command of the bot beside it. Return its exit code and its output."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", *map(str, words)),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            cwd=self.cwd,
            env={**_environment(), **self.env},
        )
        out, _ = await process.communicate()
        assert process.returncode is not None
        return process.returncode, out.decode()

    @property
    def running(self) -> bool:
        """Return whether the process is alive."""
        return self._process is not None and self._process.returncode is None

    @property
    def pid(self) -> int:
        """Return the id of the process that was started last."""
        assert self._process is not None
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """Return the exit code, negative for a signal, or None while it runs."""
        return None if self._process is None else self._process.returncode

    async def wait_ready(self, within: float = 40.0, *, commands: bool = True) -> Self:
        """Wait until READY has been sent to this run and its commands are registered."""

        def ready() -> bool:
            self._alive()
            registered = any(self.server.backend.commands.values()) or not commands
            return self.server.gateway.readies > self._readies and registered

        await self.server.until(ready, within, "READY")
        return self

    async def wait_line(self, pattern: str, within: float = 20.0) -> str:
        """Wait for a line in the output of this run."""

        def line() -> str | None:
            found = re.search(f"^.*(?:{pattern}).*$", self.output(), re.MULTILINE)
            if found is None:
                self._alive()
            return found[0] if found else None

        return not_none(await self.server.until(line, within, f"a line with {pattern!r}"))

    async def wait_exit(self, within: float = 10.0) -> int:
        """Wait until it ends by itself. Return its exit code."""
        assert self._process is not None
        return await asyncio.wait_for(self._process.wait(), within)

    async def kill(self) -> None:
        """Kill the process with SIGKILL."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()

    async def terminate(self, within: float = 15.0) -> int:
        """Send SIGTERM and return the exit code. If it does not end in time, kill it and fail."""
        assert self._process is not None
        if self.running:
            self._process.send_signal(signal.SIGTERM)
        try:
            return await self.wait_exit(within)
        except TimeoutError:
            await self.kill()
            raise

    def output(self, *, all_runs: bool = False) -> str:
        """Return the output of this run, or of every run."""
        data = self.log.read_bytes() if self.log.exists() else b""
        return data[0 if all_runs else self._start :].decode(errors="replace")

    def errors(self, *, all_runs: bool = True) -> list[str]:
        """Return the lines of errors: ERROR, CRITICAL, tracebacks, lost tasks and coroutines."""
        return [line for line in self.output(all_runs=all_runs).splitlines() if _BAD.search(line)]

    def unexplained(self, cause: re.Pattern[str]) -> list[str]:
        """Return the errors of all runs whose exceptions ``cause`` does not name."""
        records = [one for one in _RECORD.split(self.output(all_runs=True)) if _BAD.search(one)]
        return [one for one in records if not _comes_from(one, cause)]

    def _alive(self) -> None:
        if not self.running:
            raise AssertionError(f"the bot ended with {self.exit_code}:\n{self.output()[-3000:]}")


def _environment() -> dict[str, str]:
    env = {key: value for key, value in os.environ.items() if not key.startswith("DISCORD_")}
    # There is no TLS here, and each process would read all certificates of the system.
    return {**env, "PYTHONUNBUFFERED": "1", "SSL_CERT_FILE": os.devnull, "SSL_CERT_DIR": os.devnull}


def _comes_from(record: str, cause: re.Pattern[str]) -> bool:
    # Such a line has no time of its own, and stands with whatever record came before.
    if "never awaited" in record:
        return False
    causes = _CAUSE.findall(record)
    # Showing a table after a refusal may fail too, and the log then tells both.
    failures = [one for one in causes if not one.startswith(_REFUSALS)]
    return bool(failures) and len(causes) == record.count("Traceback ") and all(map(cause.match, failures))
