"""Longer timeouts, because starting the bot as a process takes a while on a busy machine."""

from __future__ import annotations

import pytest


@pytest.fixture
def idle_seconds() -> float:
    return 40.0
