"""Notices a server that has fallen silent, as when its machine has lost its power, and gives it up.

The operating system would wait for minutes, and a time limit for each statement can't tell a silent server
from one that is busy with a long statement.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

import asyncpg

SILENCE_SECONDS = 3.0
"""After how long with a connection to see whether its server still answers, and how long that may take."""

_log = logging.getLogger(__name__)


class ServerConnection(asyncpg.Connection):  # type: ignore[misc]
    """A connection that knows the address of the one server it leads to."""

    server: str


class SilenceWatch:
    """Notices that the server of a connection in use is silent; call :meth:`stop` when it is used no more."""

    def __init__(self, server: str, on_silence: Callable[[str], object]) -> None:
        """``on_silence`` is called with the address of the server."""
        self._server = server
        self._on_silence = on_silence
        self._loop = asyncio.get_running_loop()
        self._timer = self._loop.call_later(SILENCE_SECONDS, self._begin)
        self._looking: asyncio.Task[None] | None = None

    def stop(self) -> None:
        self._timer.cancel()
        if self._looking is not None:
            self._looking.cancel()

    def _begin(self) -> None:
        self._looking = self._loop.create_task(self._look(), name="silence-watch")

    async def _look(self) -> None:
        while await _answers(self._server):  # noqa: ASYNC110 - the server sets no event
            await asyncio.sleep(SILENCE_SECONDS)
        _log.warning("The database server does not answer; its connections are given up")
        self._on_silence(self._server)


async def _answers(server: str) -> bool:
    """Return whether a server answers somebody new, be it with a refusal."""
    try:
        connection = await asyncpg.connect(server, timeout=SILENCE_SECONDS)
    except OSError:
        return False
    except (asyncpg.PostgresError, asyncpg.InterfaceError):
        return True
    connection.terminate()
    return True
