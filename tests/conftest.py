"""For all tests: a test that waits in vain fails within seconds, and databases lie in memory."""

from __future__ import annotations

import gc
import os
import shutil
import sys
from collections.abc import AsyncIterator, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.sessions import lobby, turns
from bot.settings import NAMES
from tests.support import examples as examples  # sets Hypothesis up for all tests
from tests.support.databases import KINDS, Database, database_of, open_store
from tests.support.waiting import IDLE_SECONDS, Watched, watch

watch()

if sys.dont_write_bytecode:
    # Not beside the sources then: tests start a hundred processes, each of which would compile the bot.
    sys.dont_write_bytecode = False
    sys.pycache_prefix = str(Path(__file__).parents[1] / ".pytest_cache" / "bytecode")
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

MEMORY = Path("/dev/shm")
ROOM = 2**30
"""How many bytes must be free there; a whole run takes a twentieth of it."""


def pytest_configure() -> None:
    """Put the folders of ``tmp_path`` into memory: on a disk every commit waits for it."""
    if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free >= ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let the collector of cycles pass over the tests themselves, and look at the rest less often."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(10_000)
        gc.enable()


@pytest.fixture
def idle_seconds() -> float:
    """For how long a test may have nothing to do; folders and modules may allow more."""
    return IDLE_SECONDS


@pytest.fixture(autouse=True)
def _idle(idle_seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Watched, "limit", idle_seconds)


@pytest.fixture
def no_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to an empty folder, which is returned, without any of the bot's settings in the environment."""
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(params=KINDS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A new database, of each kind."""
    with database_of(request.param, tmp_path) as place:
        yield place


@pytest.fixture
async def store(place: Database) -> AsyncIterator[Any]:
    """The store on the database ``place``."""
    store = await open_store(place)
    yield store
    await store.close()


@pytest.fixture
def plain_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dice come from the secret alone, so that they are the same at every table and in every run."""
    for module in (turns, lobby):
        monkeypatch.setattr(module, "seed_of", lambda secret, start: secret)
