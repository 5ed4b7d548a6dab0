"""What time it is when clocks are wrong, jump or stand still."""

from __future__ import annotations

from dataclasses import replace

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


SURE = Clock(NOW, NOW - DAY, 100.0, certain=True)
"""The wall clock is a day late, and the steady clock counts from some other moment."""

UNSURE = replace(SURE, certain=False)
LATE = SURE.wall


@pytest.mark.parametrize("clock", [SURE, UNSURE])
@pytest.mark.parametrize(
    ("wall", "steady", "expected"),
    [
        (LATE + 65.0, 105.0, None),
        (LATE + 59.0, 159.0, None),
        (LATE + 60.0, 160.0, (NOW + 60.0, LATE + 60.0, 160.0)),
        (LATE + 180.0, 220.0, (NOW + 120.0, LATE + 180.0, 220.0)),
    ],
    ids=("just agreeing", "soon", "a minute later", "drifting"),
)
def test_a_wall_clock_that_goes_with_the_steady_one(
    clock: Clock, wall: float, steady: float, expected: tuple[float, float, float] | None
) -> None:
    known = clock if expected is None else Clock(*expected, certain=clock.certain)
    assert clock.looked_at(wall, steady) == (known, 0.0)


def test_a_wall_clock_that_was_set_may_be_a_minute_off() -> None:
    assert SURE.looked_at(NOW + 65.0, 105.0) == (Clock(NOW + 5.0, NOW + 65.0, 105.0, certain=True), 0.0)
    assert UNSURE.looked_at(NOW + 65.0, 105.0) == (Clock(NOW + 65.0, NOW + 65.0, 105.0), 0.0)
    assert UNSURE.looked_at(NOW + 66.0, 105.0) == (Clock(NOW + 66.0, NOW + 66.0, 105.0), 61.0)


@pytest.mark.parametrize("ahead", [-60.0, 0.0, 60.0])
def test_an_id_that_agrees_makes_the_time_certain(ahead: float) -> None:
    for clock in (SURE, UNSURE):
        assert clock.told(NOW + 5.0 + ahead, 105.0) == (SURE, 0.0)


def test_an_id_may_arrive_a_quarter_of_an_hour_late() -> None:
    assert UNSURE.told(NOW + 5.0 - 900.0, 105.0) == (UNSURE, 0.0)
    right = Clock(NOW + 4.0 - 900.0, LATE + 5.0, 105.0, certain=True)
    assert UNSURE.told(NOW + 4.0 - 900.0, 105.0) == (right, -901.0)
