"""For all tests: a test that waits in vain fails within seconds."""

from __future__ import annotations

import pytest

from bot.sessions import lobby, session
from tests.support.waiting import IDLE_SECONDS, Watched, watch

watch()


@pytest.fixture
def idle_seconds() -> float:
    """For how long a test may have nothing to do; folders and modules may allow more."""
    return IDLE_SECONDS


@pytest.fixture(autouse=True)
def _idle(idle_seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Watched, "limit", idle_seconds)


@pytest.fixture
def plain_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dice come from the secret alone, so that they are the same at every table and in every run."""
    for module in (session, lobby):
        monkeypatch.setattr(module, "seed_of", lambda secret, start: secret)
