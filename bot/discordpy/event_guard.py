"""Leaves out an event that the library can't read, because one such event would end the bot.

Discord may send values that the library does not know yet. The library's error then ends the task that reads
from the gateway, and with it all shards. Written for discord.py 2.7.1; ``tests/process/test_gateway.py``
tests it with the library. If that fails after an upgrade, look whether the library itself does this now.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from functools import wraps
from typing import Any

import discord

Parse = Callable[[Any], None]
"""Reads the data of an event, and dispatches it."""

NEEDED = "READY"
"""The event without which a session is of no use."""

_log = logging.getLogger(__name__)


def guarded(event: str, parse: Parse) -> Parse:
    """Return ``parse`` for an event of this name; what it can't read is left out and logged.

    Discord may send such an event again and again. So the first error of a type is logged with its traceback,
    and then only the 2nd, 4th, 8th and so on, without it.
    """
    left_out: Counter[type[Exception]] = Counter()

    @wraps(parse)
    def parse_or_log(data: Any) -> None:
        try:
            parse(data)
        except Exception as error:
            left_out[type(error)] += 1
            times = left_out[type(error)]
            if times == 1:
                _log.exception("Event %s could not be read and is left out", event)
            elif times.bit_count() == 1:
                _log.error("Event %s could not be read %s times (%s)", event, times, type(error).__name__)

    return parse_or_log


def guard_events(client: discord.Client) -> None:
    """Keep events that can't be read from ending the client."""
    parsers = client._connection.parsers
    parsers.update({event: guarded(event, parse) for event, parse in parsers.items() if event != NEEDED})
