"""Thousands of games with random faults: nothing is lost, and nothing is left over."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.registry import GAMES
from tests.soak.soak import Report, Soak

OBJECTS = 50_000
"""More objects than the texts that are kept at hand come to, which come and go; the long run plays a thousand
games between what is compared, so that fifty objects forgotten in each would show."""

MEMORY = 48 * 2**20
"""More bytes than the program may ever come to hold on purpose: twice 16 MiB of pages of the database, some
pictures, and what the allocator keeps in reserve. A kilobyte forgotten for each click would be more."""


@pytest.fixture
def idle_seconds() -> float:
    """Something always goes on here; the longest pause is half a second, while an AI hangs.

    What is lost is waited for twice, by the games and by the bot that is closed after them.
    """
    return 2.5


def flat(report: Report) -> None:
    print(f"\n{report}")
    assert report.problems == [], report.problems[:5]
    assert set(report.games) == set(GAMES)
    assert report.promised > report.games.total()
    assert len(report.faults) > 10
    assert report.grown(report.objects) < OBJECTS
    assert report.grown(report.memory) < MEMORY


async def test_a_few_games_with_faults(tmp_path: Path) -> None:
    flat(await Soak(tmp_path / "games.db", seed=1, channels=8, rate=0.05).run(rounds=3, games=1))


@pytest.mark.slow
@pytest.mark.timeout(3600)
async def test_thousands_of_games_with_faults(tmp_path: Path) -> None:
    flat(await Soak(tmp_path / "games.db", seed=2, channels=24).run(rounds=9, games=10))
