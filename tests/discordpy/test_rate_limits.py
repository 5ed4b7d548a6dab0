"""How much one person and one server may ask for."""

from __future__ import annotations

import random

import pytest

from bot.discordpy import rate_limits
from bot.discordpy.rate_limits import Buckets, Rate, RateLimits, cost_of
from bot.sessions.request import Refused


def test_a_bucket_fills_again_up_to_its_size() -> None:
    now = [1000.0]
    buckets = Buckets(Rate(3, 2), lambda: now[0])
    for _ in range(3):
        assert buckets.seconds_until(1, 1) == 0
        buckets.take(1, 1)
    assert (buckets.seconds_until(1, 1), buckets.seconds_until(1, 3), buckets.seconds_until(2, 3)) == (
        0.5,
        1.5,
        0,
    )
    now[0] += 0.5
    assert buckets.seconds_until(1, 1) == 0
    now[0] += 3600
    assert (buckets.seconds_until(1, 3), buckets.seconds_until(1, 4)) == (0, 0.5)


def test_less_than_a_thousandth_of_a_second_is_no_wait() -> None:
    for per_second, wait in ((1000, 0.0), (500, 0.002)):
        buckets = Buckets(Rate(1, per_second), lambda: 0.0)
        buckets.take(1, 1)
        assert buckets.seconds_until(1, 1) == wait


def test_over_any_time_no_more_is_given_than_the_rate_allows() -> None:
    now, rng, taken = 0.0, random.Random(1), []
    buckets = Buckets(Rate(5, 0.7), lambda: now)
    for _ in range(2000):
        now += rng.choice([0.0, 0.01, 0.3, 4.0])
        if not buckets.seconds_until(1, 1):
            buckets.take(1, 1)
            taken.append(now)
    for first in range(0, len(taken), 7):
        for last in range(first, len(taken), 11):
            assert last - first + 1 <= 5 + 0.7 * (taken[last] - taken[first]) + 0.01
    assert len(taken) > 0.6 * now


def test_only_so_many_buckets_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limits, "MAX_BUCKETS", 3)
    buckets = Buckets(Rate(1, 0.001), lambda: 0.0)
    for key in (1, 2, 1, 3, 4):
        buckets.take(key, 1)
    assert len(buckets) == 3
    assert [bool(buckets.seconds_until(key, 1)) for key in (1, 2, 3, 4)] == [True, False, True, True]


def refusal(limits: RateLimits, *spent: int | None) -> tuple[str, object] | None:
    try:
        limits.spend(*spent)  # type: ignore[arg-type]
    except Refused as refused:
        return refused.code, refused.facts["n"]
    return None


def test_a_refusal_says_when_and_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limits, "PERSON", Rate(3, 0.4))
    monkeypatch.setattr(rate_limits, "SERVER", Rate(5, 1))
    now = [0.0]
    mine = RateLimits(lambda: now[0])
    assert [refusal(mine, 1, 10) for _ in range(3)] == [None] * 3
    assert [refusal(mine, 1, 10) for _ in range(9)] == [("error-slow-down", 3)] * 9
    assert [refusal(mine, 2, 10), refusal(mine, 3, 10)] == [None, None]
    assert refusal(mine, 4, 10) == ("error-slow-server", 1)
    # The same people may go on in another server, and direct messages have no server.
    assert [refusal(mine, 4, 11), refusal(mine, 5, None), refusal(mine, 1, 11)] == [
        None,
        None,
        ("error-slow-down", 3),
    ]
    # Moves are free, and expensive requests need a bucket with as many tokens.
    assert [refusal(mine, 1, 10, 0), refusal(mine, 2, 11, 3)] == [None, ("error-slow-down", 3)]
    now[0] += 2.5
    assert [refusal(mine, 1, 10), refusal(mine, 1, 10)] == [None, ("error-slow-down", 3)]


def test_moves_that_are_not_accepted_are_counted_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limits, "MISSES", Rate(2, 0.5))
    now = [0.0]
    mine = RateLimits(lambda: now[0])
    for _ in range(2):
        mine.check_misses(1, 10)
        mine.missed(1, 10)
    for _ in range(5):
        with pytest.raises(Refused) as caught:
            mine.check_misses(1, 10)
        assert (caught.value.code, caught.value.facts) == ("error-slow-down", {"n": 2})
    assert refusal(mine, 1, 10) is None
    # The server's bucket is for people who missed; others may go on.
    monkeypatch.setattr(rate_limits, "SERVER_MISSES", Rate(3, 0.1))
    mine = RateLimits(lambda: now[0])
    for user in (1, 2, 3):
        mine.missed(user, 10)
        if user == 2:
            mine.check_misses(1, 10)  # one is left
    with pytest.raises(Refused) as caught:
        mine.check_misses(1, 10)
    assert caught.value.code == "error-slow-server"
    mine.check_misses(4, 10)
    mine.check_misses(1, 11)
    now[0] += 2
    mine.check_misses(1, 10)


def test_letters_have_buckets_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limits, "PERSON_TYPING", Rate(2, 1))
    monkeypatch.setattr(rate_limits, "SERVER_TYPING", Rate(3, 1))
    mine = RateLimits(lambda: 0.0)
    assert [mine.may_type(user, 10) for user in (1, 1, 1, 2, 2, 3)] == [True, True, False, True, False, False]
    assert mine.may_type(3, None)
    assert refusal(mine, 1, 10) is None


@pytest.mark.parametrize(
    ("custom_id", "cost"),
    [
        ("1:7:2a:k1.5", 0),
        ("1:7:2a:s", 0),
        *(
            (f"1:7:2a:{token}", 1)
            for token in ("f", "b", "g.odds", "e.record", "l.join", "l.set.12ab", "c.end")
        ),
        ("1:0:0:hi.l.n.c.3", 1),
        ("1:0:0:pr.export", 10),
        ("1:0:0:pr.delete", 20),
        ("1:0:0:pr.delete.x", 1),
        ("", 1),
        ("nonsense", 1),
        ("1:ffffffffffffffff:0:s", 1),
    ],
)
def test_everything_but_moves_costs_something(custom_id: str, cost: int) -> None:
    assert cost_of(custom_id) == cost
    assert cost <= rate_limits.PERSON.burst
