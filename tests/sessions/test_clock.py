"""What time it is when clocks are wrong, jump or stand still."""

from __future__ import annotations

import pytest

from bot.sessions.clock import Clock, started

NOW = 1_800_000_000.0
DAY = 86_400.0


def test_the_time_goes_on_steadily() -> None:
    clock = started(NOW, 100.0)
    assert clock.now(105.0) == NOW + 5
    clock, jump = clock.looked_at(NOW + 5.4, 105.0)
    assert (clock.now(105.0), clock.certain, jump) == (NOW + 5, False, 0.0)


def test_it_is_not_earlier_than_what_is_in_the_database() -> None:
    assert started(0.0, 0.0, at_least=NOW).now(1.0) == NOW + 1
    assert started(NOW, 0.0, at_least=NOW - DAY).now(0.0) == NOW


@pytest.mark.parametrize("wrong", [-20 * 365 * DAY, -DAY, -61.0, DAY * 1000])
def test_a_wrong_clock_at_boot_is_set_right_by_an_id(wrong: float) -> None:
    clock = started(NOW + wrong, 0.0)
    assert not clock.certain
    clock, jump = clock.told(NOW + 10, 10.0)
    assert (clock.now(10.0), clock.certain, jump) == (NOW + 10, True, -wrong)
    # The wall clock still goes its wrong way, which is no jump; and when it is set right, neither.
    clock, jump = clock.looked_at(NOW + wrong + 20, 20.0)
    assert (clock.now(20.0), clock.certain, jump) == (NOW + 20, True, 0.0)
    clock, jump = clock.looked_at(NOW + 30, 30.0)
    assert (clock.now(30.0), clock.certain, jump) == (NOW + 30, True, 0.0)


@pytest.mark.parametrize("certain", [True, False])
def test_a_machine_that_slept(certain: bool) -> None:
    clock = Clock(NOW, NOW, 0.0, certain)
    clock, jump = clock.looked_at(NOW + DAY, 5.0)
    assert (clock.now(5.0), clock.certain, jump) == (NOW + DAY, False, DAY - 5)
    clock, jump = clock.told(NOW + DAY + 1, 6.0)
    assert (clock.certain, jump) == (True, 0.0)


def test_a_wall_clock_that_is_put_back_takes_no_certain_time_away() -> None:
    clock, jump = Clock(NOW, NOW, 0.0, certain=True).looked_at(NOW - DAY, 5.0)
    assert (clock.now(5.0), clock.certain, jump) == (NOW + 5, False, 0.0)
    clock, jump = Clock(NOW, NOW, 0.0).looked_at(NOW - DAY, 5.0)
    assert (clock.now(5.0), jump) == (NOW - DAY, -DAY - 5)


def test_an_id_that_arrives_late_says_nothing() -> None:
    for clock, late in ((Clock(NOW, NOW, 0.0), 600.0), (Clock(NOW, NOW, 0.0, certain=True), DAY)):
        assert clock.told(NOW - late, 0.0) == (clock, 0.0)


def test_clocks_that_drift_apart_slowly_do_not_jump() -> None:
    clock = Clock(NOW, NOW, 0.0, certain=True)
    for minute in range(1, 600):
        clock, jump = clock.looked_at(NOW + 61.0 * minute, 60.0 * minute)
        assert (clock.now(60.0 * minute), clock.certain, jump) == (NOW + 60 * minute, True, 0.0)
