"""The chances that the benchmark of ratings takes for true follow from the games that were counted."""

from __future__ import annotations

import json
from itertools import combinations

from benchmarks.ratings import COUNTS, _truth
from benchmarks.ratings_games import FIRST_COUNTED, LINE_UPS, counts, play

NAMES = ("beginner", "casual", "expert")


def test_counts_are_of_other_games_than_those_measured() -> None:
    measured = [play("tutto", NAMES, number, measured=False) for number in range(9)]
    others = [play("tutto", NAMES, FIRST_COUNTED + number, measured=False) for number in range(9)]
    assert measured != others


def test_each_line_of_counts_is_whole_and_of_a_line_up() -> None:
    known = {(game, names) for game, _, _, names in LINE_UPS}
    lines = [json.loads(line) for line in COUNTS.read_text(encoding="utf-8").splitlines()]
    assert lines
    for line in lines:
        names, games = tuple(line["players"]), line["games"]
        assert (line["game"], names) in known
        assert len(line["pairs"]) == len(list(combinations(names, 2)))
        assert all(before + equal <= games for before, equal in line["pairs"])
        assert abs(sum(line["wins"]) - games) < 0.1


def test_chances_follow_from_counted_games_and_otherwise_from_those_of_the_line_up() -> None:
    games = [[1, 2, 3], [1, 1, 3], [3, 2, 1], [2, 1, 3]]
    own = _truth("tutto", ("no", "such", "people"), games)
    assert own.chances == {("no", "such"): 0.375, ("no", "people"): 0.75, ("such", "people"): 0.75}
    assert own.wins == [0.375, 0.375, 0.25]
    assert own.games == 4
    counted = _truth("tutto", ("beginner", "casual", "noisy 40%"), games)
    assert counted.games == 20_000
    assert 0.40 < counted.chances["beginner", "casual"] < 0.42
    assert 0.41 < counted.wins[1] < 0.42


def test_players_who_are_equal_share_a_win() -> None:
    assert counts([[1, 1, 1]]) == {"games": 1, "pairs": [[0, 1]] * 3, "wins": [0.33] * 3}
