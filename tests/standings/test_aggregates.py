"""Records of a server: who stays on a full list, and who drops out."""

from __future__ import annotations

from random import Random

import pytest

from bot.standings.aggregates import MAX_RECORDS, Best, Records

KIND = "score"


def kept(records: Records) -> set[int]:
    """The people on the list of one kind."""
    return {row["user_id"] for row in records.rows(1, "tutto") if row["kind"] == KIND}


@pytest.mark.parametrize("seed", range(20))
def test_of_equal_scores_on_a_full_list_the_latest_give_way(seed: int) -> None:
    """The one whose game ended last, or else has the higher number, or else the person with the higher id."""
    rng = Random(seed)
    bests = {user: Best(1000, rng.randrange(4), float(rng.randrange(3))) for user in range(MAX_RECORDS + 10)}
    records = Records()
    for user in rng.sample(sorted(bests), len(bests)):
        records.add(KIND, user, bests[user])
    first = sorted(bests, key=lambda user: (bests[user].at, bests[user].game_id, user))
    assert kept(records) == set(first[:MAX_RECORDS])


def test_a_tie_with_the_last_of_a_full_list_gets_no_place() -> None:
    records = Records()
    for user in range(MAX_RECORDS):
        assert records.add(KIND, user, Best(1000, user, float(user))) is None
    assert records.add(KIND, 99, Best(1000, 99, 99.0)) == 99
    assert records.add(KIND, 100, Best(1001, 100, 100.0)) == MAX_RECORDS - 1
    assert kept(records) == {*range(MAX_RECORDS - 1), 100}


def test_a_second_and_worse_person_is_on_a_list_that_is_not_full() -> None:
    records = Records()
    assert records.add(KIND, 1, Best(1000, 1, 1.0)) is None
    assert records.add(KIND, 2, Best(10, 2, 2.0)) is None
    assert kept(records) == {1, 2}


def test_nothing_reached_is_no_record() -> None:
    records = Records()
    assert records.add(KIND, 1, Best(0, 1, 1.0)) is None
    assert kept(records) == set()
