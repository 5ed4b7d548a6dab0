"""Stored games as columns and back: what is damaged is kept as it stands, and the rest can still be read."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from bot.games.core import SeatStats, Unreadable, add_stats
from bot.i18n.say import Line, say
from bot.registry import GAMES, find
from bot.store.base import ABORTED, LIVE, TAKEN, Change, Damaged, LastPlace, Offer, intact
from bot.store.encoding import MOVE_COLUMNS, columns_of_move, new_game_columns, update_columns
from tests.support.records import a_log
from tests.support.rows import a_game, a_move, a_result, stored_as


@pytest.mark.parametrize("key", GAMES)
@pytest.mark.parametrize("seed", range(6))
def test_stats_add_up(key: str, seed: int) -> None:
    """Statistics updated with each move and stored in between equal those of the whole log."""
    game = find(key).rules
    row, _, events = a_log(game, seed, leaving=0.02)
    seats, rng, sums = len(row.seats), Random(seed), tuple[SeatStats, ...]()
    rest = list(events)
    while rest:
        cut = rng.randint(0, 9)
        part, rest = rest[:cut], rest[cut:]
        sums = add_stats(sums, game.stats(part, seats))
        sums = intact(stored_as(replace(row, stats=sums)).stats)
    assert list(sums) == [one._replace(feats=dict(one.feats)) for one in game.stats(events, seats)]


def test_a_change_says_what_it_writes() -> None:
    change, first, second = Change(a_game(), 0), a_move(1), a_move(2)
    assert change.moves == ()
    assert change._replace(move=second).moves == (second,)
    assert change._replace(move=second, earlier=(first,)).moves == (first, second)
    assert not change._replace(move=second).concerns_people
    assert change._replace(seats_changed=True).concerns_people
    assert change._replace(results=(a_result(0, 1),)).concerns_people
    assert change._replace(gave_up=True).concerns_people
    assert change._replace(last_places=(LastPlace(0, (2,)),)).concerns_people


def test_what_is_damaged_is_not_taken_for_a_value() -> None:
    assert intact(5) == 5
    with pytest.raises(Unreadable):
        intact(Damaged("{"))


@pytest.mark.parametrize("key", GAMES)
def test_a_game_is_read_as_it_was_written(key: str) -> None:
    row, _, events = a_log(find(key).rules, 2)
    lines = (Line(0, (say("somebody-wins", points=50),)), Line(1, ()))
    whole = replace(row, lines=lines, stats=tuple(find(key).rules.stats(events, len(row.seats))))
    for changes in (
        {},
        {"stats": ()},
        {"lines": ()},
        {"rated": not row.rated, "begins": -2, "votes": (1,), "acted": (1.5, 0.0)},
        {"offers": (Offer(7, 1, 2, 1e10), Offer(8, 2, 3, 1e10, answer=TAKEN))},
    ):
        wanted = replace(whole, **changes)
        assert stored_as(wanted) == wanted
        moved = dict(zip(MOVE_COLUMNS, columns_of_move(wanted), strict=True))
        assert update_columns(wanted).items() > moved.items()
        assert moved["state"] == update_columns(wanted)["state"]
    assert new_game_columns(replace(whole, stats=()))["tally"] == ""
    assert set(new_game_columns(whole).items()) > set(update_columns(whole).items())


@pytest.mark.parametrize("text", ["", "{", "7", "[7]", '[["x"]]', "[[0,[[]]]]"])
def test_a_game_goes_on_without_a_narration_that_cannot_be_read(text: str) -> None:
    assert stored_as(a_game(status=LIVE), news=text).lines == ()


@pytest.mark.parametrize("text", ["", "{", "7", "[7]", "[[1]]"])
def test_a_game_goes_on_without_questions_that_cannot_be_read(text: str) -> None:
    assert stored_as(a_game(status=LIVE), offers=text).offers == ()


@pytest.mark.parametrize(
    ("status", "text", "closed"),
    [
        (ABORTED, '["closed-idle"]', "closed-idle"),
        (ABORTED, '["closed-idle","more"]', "closed-idle"),
        (ABORTED, "[]", ""),
        (ABORTED, "{", ""),
        (ABORTED, '"closed-idle"', ""),
        (LIVE, '["closed-idle"]', ""),
    ],
)
def test_why_a_game_was_closed_stands_where_its_narration_stood(status: str, text: str, closed: str) -> None:
    assert stored_as(a_game(status=status), news=text).closed == closed
    if closed:
        row = a_game(status=status, closed=closed, lines=(Line(0, (say("a-line"),)),))
        assert stored_as(row) == replace(row, lines=())


@pytest.mark.parametrize("text", ["{}", '""', "7", "null", "{", '[{"card":"joker"}]'])
def test_damaged_outcomes_are_kept_as_they_stand(text: str) -> None:
    row = stored_as(a_game(), first_chance=text)
    assert row.first_chance == Damaged(text)
    assert new_game_columns(row)["first_chance"] == text
