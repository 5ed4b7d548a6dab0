"""Games between the same people count less and less for the rating."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest

from bot.standings.ratings import Model, Rating
from bot.standings.repeats import MAX_EFFECTIVE, Pair, effective, weight, weights

ANNA, BEN, CLEO, DORA = 1, 2, 3, 4


@pytest.mark.parametrize(
    ("games", "worth"), [(0, 0.0), (1, 1.0), (2, 20 / 11), (5, 50 / 14), (11, 5.5), (10_000, 9.991)]
)
def test_what_games_of_a_pair_are_worth_together(games: int, worth: float) -> None:
    assert effective(games) == pytest.approx(worth, abs=0.001)
    assert sum(map(weight, range(games))) == pytest.approx(worth, abs=0.001)


def test_the_first_game_counts_in_full_and_each_next_one_less() -> None:
    found = [weight(earlier) for earlier in range(1000)]
    assert found[0] == 1.0
    assert all(one > other > 0 for one, other in pairwise(found))
    assert sum(found) < MAX_EFFECTIVE


@pytest.mark.parametrize(
    ("people", "earlier", "after"),
    [
        ((ANNA, BEN), {}, (0, 0)),
        ((ANNA, BEN), {(ANNA, BEN): 4}, (4, 4)),
        ((BEN, ANNA), {(ANNA, BEN): 4, (ANNA, CLEO): 9}, (4, 4)),
        # A third who is new counts in full; the two others do not because of the third.
        ((ANNA, BEN, CLEO), {(ANNA, BEN): 7}, (7, 7, 0)),
        ((ANNA, BEN, CLEO), {(ANNA, BEN): 7, (BEN, CLEO): 2}, (7, 7, 2)),
        ((ANNA, BEN, CLEO, DORA), dict.fromkeys(combinations((ANNA, BEN, CLEO, DORA), 2), 3), (3, 3, 3, 3)),
    ],
)
def test_the_most_frequent_opponent_decides(
    people: tuple[int, ...], earlier: dict[tuple[int, int], int], after: tuple[int, ...]
) -> None:
    games = {Pair(pair): number for pair, number in earlier.items()}
    assert weights(people, games) == tuple(map(weight, after))


BEFORE = (Rating(27.0, 6.0), Rating(22.5, 3.0), Rating(25.0, 8.0))


@pytest.mark.parametrize("places", [(1, 2, 3), (2, 1, 2), (3, 3, 1)])
def test_a_game_moves_a_rating_by_its_weight(places: tuple[int, ...]) -> None:
    full = Model().played(BEFORE, places)
    assert Model().played(BEFORE, places, (1.0, 1.0, 1.0)) == full  # to the last bit
    assert Model().played(BEFORE, places, (0.0, 0.0, 0.0)) == BEFORE
    for share in (0.1, 0.5, 0.9):
        for old, new, part in zip(BEFORE, full, Model().played(BEFORE, places, (share,) * 3), strict=True):
            assert part.mu - old.mu == pytest.approx(share * (new.mu - old.mu))
            assert part.sigma**2 - old.sigma**2 == pytest.approx(share * (new.sigma**2 - old.sigma**2))


def arranged(games: int, *, weighted: bool) -> int:
    """The number shown for somebody after that many games that their friend lost on purpose."""
    winner, loser = Rating(), Rating()
    for earlier in range(games):
        share = weight(earlier) if weighted else 1.0
        winner, loser = Model().played((winner, loser), (1, 2), (share, share))
    return winner.shown


def test_arranged_games_lead_no_further_than_a_few_honest_ones() -> None:
    """Of any number of games within the period; without the weights it has no end."""
    assert arranged(1000, weighted=True) <= arranged(MAX_EFFECTIVE, weighted=False)
    assert arranged(1000, weighted=False) > arranged(100, weighted=False) + 100
    assert arranged(1000, weighted=True) < arranged(100, weighted=True) + 40
