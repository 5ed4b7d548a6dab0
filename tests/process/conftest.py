"""The bot as a process of its own takes its time, above all on a busy machine."""

from __future__ import annotations

import pytest


@pytest.fixture
def idle_seconds() -> float:
    return 40.0
