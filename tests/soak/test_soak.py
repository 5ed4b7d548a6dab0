"""Games with random faults: nothing is lost, and nothing is left over."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.registry import GAMES
from tests.soak.soak import Report, Soak

OBJECTS = 50_000
"""More objects than cached texts amount to. The long run plays a thousand games between the samples that are
compared, so that a leak of fifty objects a game would show."""

MEMORY = 48 * 2**20
"""More bytes than caches may grow by: twice 16 MiB of pages of the database, some pictures, and the reserve
of the allocator. A leak of a kilobyte a click would be more."""


@pytest.fixture
def idle_seconds() -> float:
    """The longest pause is half a second, while an AI hangs.

    An event that is lost is waited for twice: by the games, and by the bot when it is closed.
    """
    return 2.5


def sound(report: Report) -> None:
    print(f"\n{report}")
    assert report.problems == [], report.problems[:5]
    assert set(report.games) == set(GAMES)
    assert report.promised > report.games.total()
    assert len(report.faults) > 10
    assert report.grown(report.objects) < OBJECTS
    assert report.grown(report.memory) < MEMORY


async def test_a_few_games_with_faults(tmp_path: Path) -> None:
    sound(await Soak(tmp_path / "games.db", seed=1, channels=6, rate=0.05).run(rounds=3, games=1))


@pytest.mark.slow
@pytest.mark.timeout(3600)
async def test_thousands_of_games_with_faults(tmp_path: Path) -> None:
    sound(await Soak(tmp_path / "games.db", seed=2, channels=24).run(rounds=9, games=10))
