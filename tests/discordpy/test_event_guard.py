"""Events that the library can't read; ``tests/process/test_gateway.py`` has them come over a real socket."""

from __future__ import annotations

from typing import Any

import pytest

from bot.discordpy.event_guard import guarded


def test_an_event_that_comes_again_and_again_is_logged_less_and_less(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def parse(data: dict[str, Any]) -> None:
        data["id"] + 1

    read = guarded("THREAD_CREATE", parse)
    for _ in range(1000):
        read({})
    read({"id": 1})
    read({"id": "1"})
    traces = [record.exc_info[0] for record in caplog.records if record.exc_info]
    assert traces == [KeyError, TypeError]
    said = [record.getMessage() for record in caplog.records if not record.exc_info]
    assert len(said) == 9
    assert said[-1] == "Event THREAD_CREATE could not be read 512 times (KeyError)"
