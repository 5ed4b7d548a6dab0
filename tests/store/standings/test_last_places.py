"""Who gave up a seat of a rated game is rated as last when it ends, and all of it can be rebuilt."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from bot.standings.ratings import Rating
from bot.standings.values import Board
from bot.store.base import ABORTED, FINISHED, LIVE, Change, FormerSeat, LastPlace, Store
from bot.store.sql.game_end import rated_last
from tests.store.standings.test_judged import channels, play
from tests.store.standings.test_rebuild import contents
from tests.support.databases import Database, opened, rebuilt
from tests.support.histories import NOW, PEOPLE
from tests.support.rows import a_game, a_result
from tests.support.values import not_none

ANN, BEN, CLEO = PEOPLE + 1, PEOPLE + 2, PEOPLE + 3
GUILD = 10
MONTH = 31 * 86_400.0


@pytest.fixture
def place(new: Database) -> Database:
    return new


async def give_up(store: Store, *people: int, to: int | None = None) -> int:
    """A game of these people whose first gives up the seat, to somebody or for good; then it ends."""
    row = await store.create(a_game(next(channels), *people, status=LIVE), None)
    former = FormerSeat(0, people[0], "Who", 1, to is not None, 5, 5)
    seats = row.seats if to is None else (replace_seat(row.seats[0], to), *row.seats[1:])
    gone = replace(row, version=1, former=(former,), seats=seats)
    await store.commit(Change(gone, 0, seats_changed=to is not None, gave_up=True))
    assert await store.fresh(row.id) == gone
    over = replace(gone, status=ABORTED if to is None else FINISHED, version=2, updated_at=NOW)
    others = [*people[1:], *([] if to is None else [to])]
    results = (
        [] if to is None else [a_result(seat, who.user_id, place=2 - seat) for seat, who in enumerate(seats)]
    )
    await store.commit(Change(over, 1, results=results, last_places=[LastPlace(0, tuple(others))]))
    return row.id


def replace_seat(seat: Any, user_id: int) -> Any:
    return type(seat)("human", f"User {user_id}", user_id)


async def rating(store: Store, user_id: int) -> tuple[int, int | None, int]:
    stats = not_none(await store.stats(GUILD, "tutto", user_id))
    return stats.games, stats.rating, stats.streak


def same_again(place: Database) -> None:
    before = contents(place)
    assert rebuilt(place, NOW).changed == 0
    assert contents(place) == before


async def test_friendly_games_count_and_change_no_rating(store: Store, new: Database) -> None:
    await play(store, ANN, BEN)
    before = await rating(store, ANN)
    await play(store, ANN, BEN, rated=False)
    assert await rating(store, ANN) == (2, before[1], 2)
    await play(store, CLEO, ANN, rated=False)
    assert await rating(store, CLEO) == (1, None, 1)
    same_again(new)


@pytest.mark.parametrize("to", [None, CLEO])
async def test_a_seat_given_up_is_a_last_place_for_its_person_alone(
    store: Store, new: Database, to: int | None
) -> None:
    await play(store, ANN, BEN)
    was = {who: await rating(store, who) for who in (ANN, BEN)}
    await give_up(store, ANN, BEN, to=to)
    games, after, streak = await rating(store, ANN)
    assert (games, streak) == (2, 0)
    assert (after or 0) < (was[ANN][1] or 0)
    if to is None:
        # Nobody gains from a game without a result.
        assert await rating(store, BEN) == was[BEN]
    stats = not_none(await store.stats(GUILD, "tutto", ANN))
    assert [(point.number, point.rating) for point in stats.curve] == [(1, was[ANN][1]), (2, after)]
    same_again(new)
    # A new time zone counts the present day, week and month again.
    before = contents(new)
    await store.set_settings(GUILD, {"time_zone": "UTC"}, NOW)
    assert contents(new) == before


async def test_somebody_who_never_played_before_and_deletes_everything(store: Store, new: Database) -> None:
    game = await give_up(store, ANN, BEN)
    expected = rated_last("tutto", Rating(), [Rating()])
    assert await rating(store, ANN) == (1, expected.shown, 0)
    exported = await store.export(ANN)
    (one,) = exported["former_seats"]
    assert (one["game_id"], one["name"], one["nth"], json.loads(one["against"])) == (
        game,
        "Who",
        1,
        [[Rating().mu, Rating().sigma]],
    )
    same_again(new)
    await store.erase(ANN)
    row = not_none(await store.fresh(game))
    assert [(one.user_id, one.name) for one in row.former] == [(None, "")]
    assert await store.stats(GUILD, "tutto", ANN) is None
    same_again(new)


async def test_deleted_while_the_game_goes_on(store: Store, new: Database) -> None:
    """The process that ends the game may still know the name, but does not store it again."""
    row = await store.create(a_game(next(channels), ANN, BEN, status=LIVE), None)
    former = FormerSeat(0, ANN, "Who", 1, True, 5, 5)
    gone = replace(row, version=1, former=(former,), seats=(replace_seat(row.seats[0], CLEO), row.seats[1]))
    await store.commit(Change(gone, 0, seats_changed=True, gave_up=True))
    await store.erase(ANN)
    over = replace(gone, status=ABORTED, version=2, updated_at=NOW)
    await store.commit(Change(over, 1, last_places=[LastPlace(0, (BEN, CLEO))]))
    assert await store.stats(GUILD, "tutto", ANN) is None
    same_again(new)


async def test_after_a_month_only_the_last_place_is_left_of_a_game_without_a_result(
    store: Store, new: Database
) -> None:
    await give_up(store, ANN, BEN)
    row = await store.create(a_game(next(channels), ANN, BEN, status=LIVE), None)
    left = replace(row, version=1, former=(FormerSeat(0, ANN, "Who", 1, False, 0, 0),))
    await store.commit(Change(left, 0, gave_up=True))
    await store.commit(Change(replace(left, status=ABORTED, version=2, updated_at=NOW), 1))
    await store.tidy(NOW + MONTH)
    with opened(new) as connection:
        found = connection.execute("SELECT user_id, name, nth FROM former_seats ORDER BY game_id").fetchall()
    assert [tuple(one) for one in found] == [(ANN, "", 1), (None, "", None)]
    assert rebuilt(new, NOW).changed == 0
    assert await rating(store, ANN) == (1, rated_last("tutto", Rating(), [Rating()]).shown, 0)


def test_a_last_place_costs_more_behind_weaker_people() -> None:
    own = Rating(30.0, 3.0)
    weak, strong = (rated_last("tutto", own, [Rating(mu, 3.0)]).mu for mu in (20.0, 40.0))
    assert weak < strong < own.mu
    assert Board.PEOPLE  # the board on which it counts
