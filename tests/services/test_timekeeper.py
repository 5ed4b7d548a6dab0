"""The bot's clock logs its jumps once, and starts no earlier than the database's latest time."""

from __future__ import annotations

from bot.discordpy.acknowledging import snowflake_seconds
from bot.services.timekeeper import LOOK_SECONDS, Timekeeper

AN_ID = 1_500_000_000_000_000_000


class Clocks:
    def __init__(self) -> None:
        self.wall = self.steady = 0.0
        self.jumps = 0
        self.timekeeper = Timekeeper(lambda: self.wall, lambda: self.steady)
        self.timekeeper.on_jump = self.jumped

    def jumped(self) -> None:
        self.jumps += 1


def test_a_jump_is_told_once_and_the_time_is_certain_after_an_id() -> None:
    clocks = Clocks()
    timekeeper, at = clocks.timekeeper, snowflake_seconds(AN_ID)
    clocks.wall = at - 1
    assert (timekeeper.now(), timekeeper.certain, clocks.jumps) == (at - 1, False, 1)
    timekeeper.learn(AN_ID)
    assert (timekeeper.certain, clocks.jumps) == (True, 1)
    clocks.wall += 3600
    clocks.steady += 3600
    assert (timekeeper.now(), timekeeper.certain, clocks.jumps) == (at + 3599, True, 1)


def test_the_database_says_how_late_it_is_at_least() -> None:
    clocks = Clocks()
    clocks.timekeeper.start(AN_ID)
    assert clocks.timekeeper.now() == snowflake_seconds(AN_ID)
    clocks.timekeeper.start(None)
    assert clocks.timekeeper.now() == 0.0


def test_the_wall_clock_is_not_looked_at_each_time() -> None:
    clocks = Clocks()
    assert clocks.timekeeper.now() == 0.0
    clocks.wall += 3600
    clocks.steady = LOOK_SECONDS / 2
    assert (clocks.timekeeper.now(), clocks.jumps) == (LOOK_SECONDS / 2, 0)
    clocks.steady = LOOK_SECONDS
    assert (clocks.timekeeper.now(), clocks.jumps) == (3600.0, 1)


def test_the_wall_clock_is_looked_at_for_what_can_not_be_undone_and_with_each_id() -> None:
    clocks = Clocks()
    timekeeper = clocks.timekeeper
    clocks.wall = snowflake_seconds(AN_ID)
    timekeeper.learn(AN_ID)
    assert (timekeeper.certain, clocks.jumps) == (True, 1)
    clocks.wall += 3600
    assert (timekeeper.certain, clocks.jumps) == (False, 2)
    clocks.wall -= 3600
    timekeeper.learn(AN_ID)
    assert (timekeeper.certain, clocks.jumps) == (True, 3)
