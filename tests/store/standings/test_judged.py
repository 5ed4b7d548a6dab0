"""What people gave away in a game changes their ratings, when it is known, and all can be rebuilt."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from bot.standings.mastery import read
from bot.standings.ratings import Errors, Model, Rating
from bot.standings.values import LUCK, LUCK_GAMES, Leaderboard, Period, Sort
from bot.store.base import FINISHED, LIVE, Change, ResultRow, Store
from bot.store.sql import game_end, game_luck, rebuild
from bot.store.sql.rebuild import MODELS
from bot.strategy.skill import Measured, Skill
from tests.store.standings.test_rebuild import contents
from tests.support.databases import Database, open_store, opened, rebuilt
from tests.support.histories import NOW, PEOPLE
from tests.support.rows import a_game, a_result
from tests.support.values import not_none

ANN, BEN, CLEO, DAN = PEOPLE + 1, PEOPLE + 2, PEOPLE + 3, PEOPLE + 4
GUILD = 10
channels = iter(range(1, 1000))


@pytest.fixture
async def store(new: Database) -> AsyncIterator[Any]:
    store = await open_store(new)
    yield store
    await store.close()


async def play(store: Store, *people: int, rated: bool = True, results: Sequence[ResultRow] = ()) -> int:
    """A game that people finish in this order, or with these ``results``."""
    row = await store.create(a_game(next(channels), *people, status=LIVE, rated=rated), None)
    over = replace(row, status=FINISHED, version=1, updated_at=NOW - 60)
    results = results or [a_result(seat, who, place=seat + 1) for seat, who in enumerate(people)]
    await store.commit(Change(over, row.version, results=results))
    return row.id


async def judge(store: Store, game: int, *errors: float, choices: int = 20, version: int = 1) -> None:
    await store.set_luck(game, version, [Measured(0, Skill(1, choices, error)) for error in errors])


async def shown(store: Store, user_id: int) -> int:
    stats = not_none(await store.stats(GUILD, "tutto", user_id))
    return -1 if stats.rating is None else stats.rating


async def test_a_duel_counts_the_games_of_two_people_up_to_one_of_them(store: Store) -> None:
    tied = (a_result(0, ANN), a_result(1, BEN))
    games = [await play(store, *people) for people in ((ANN, BEN), (BEN, ANN), (ANN, CLEO), (CLEO, BEN, ANN))]
    games.append(await play(store, ANN, BEN, results=tied))
    found = [await store.duel(games[number], ANN, BEN) for number in (0, 1, 3, 4)]
    assert found == [(1, 0), (1, 1), (1, 2), (1, 2)]
    assert await store.duel(games[3], BEN, ANN) == (2, 1)
    assert await store.duel(games[2], ANN, DAN) == (0, 0)


async def test_errors_change_ratings_once_they_are_known(store: Store, new: Database) -> None:
    """In whichever order games are looked at, and also on the boards of the present periods."""
    first, second = await play(store, ANN, BEN), await play(store, ANN, BEN)
    before = await shown(store, ANN), await shown(store, BEN)
    await judge(store, second, 0.2, 0.0)
    after = await shown(store, ANN), await shown(store, BEN)
    assert after[0] < before[0]
    assert after[1] > before[1]
    third = await play(store, BEN, ANN)
    await judge(store, first, 0.1, 0.05)
    await judge(store, third, 0.15, 0.0)
    await store.set_settings(GUILD, {"time_zone": "UTC"}, NOW)
    for period, since in periods(new):
        found = await store.standings(Leaderboard(GUILD, "tutto", Sort.RATING, period, since), 0, 9)
        assert len(found) == 2
        assert [line.rating for line in found] == [await shown(store, line.user_id) for line in found]
    kept = contents(new)
    assert rebuilt(new, NOW).changed == 0
    assert contents(new) == kept


async def test_a_forecast_takes_games_and_people_who_are_listed(store: Store) -> None:
    """Somebody who is on no lists has forecasts themselves."""
    for number in range(12):
        await judge(store, await play(store, ANN, BEN), 0.0, 0.2)
        assert (number < 2) <= (await forecasts(store, ANN, BEN) == {})
    await play(store, ANN, BEN, CLEO)
    ann, ben = await forecasts(store, ANN, BEN, CLEO, 99), await forecasts(store, BEN, ANN)
    assert ann.keys() == {BEN}
    assert ann[BEN] > 0.6
    assert ann[BEN] + ben[ANN] == pytest.approx(1)
    await store.set_unlisted(GUILD, BEN, "Ben", True)
    assert await forecasts(store, ANN, BEN) == await forecasts(store, 99, ANN) == {}
    assert await forecasts(store, BEN, ANN) == ben


async def forecasts(store: Store, user_id: int, *others: int) -> Mapping[int, float]:
    return await store.forecasts(GUILD, "tutto", user_id, others)


def periods(place: Database) -> list[tuple[Period, int]]:
    with opened(place) as connection:
        rows = connection.execute("SELECT DISTINCT period, since FROM totals WHERE guild_id = ?", (GUILD,))
        return [(Period(period), since) for period, since in rows.fetchall()]


async def test_errors_count_in_games_of_any_size(store: Store, new: Database) -> None:
    """In the order in which they become known."""
    two, three = await play(store, ANN, BEN), await play(store, CLEO, ANN, DAN)
    model = Model()
    ann, ben = model.played([Rating(), Rating()], [1, 2])
    cleo, ann, dan = model.played([Rating(), ann, Rating()], [1, 2, 3])
    await judge(store, three, 0.0, 0.1, 0.2)
    await judge(store, two, 0.05, 0.15)
    cleo, ann, dan = (model.judged(one, errors, 3) for one, errors in ((cleo, 0.0), (ann, 0.1), (dan, 0.2)))
    ann, ben = model.judged(ann, 0.05), model.judged(ben, 0.15)
    people = {ANN: ann, BEN: ben, CLEO: cleo, DAN: dan}
    assert {one: await shown(store, one) for one in people} == {one: it.shown for one, it in people.items()}
    kept = contents(new)
    assert rebuilt(new, NOW).changed == 0
    assert contents(new) == kept


@pytest.mark.parametrize("people", [2, 3])
@pytest.mark.parametrize(("choices", "rated"), [(9, True), (20, False)], ids=["few decisions", "friendly"])
async def test_other_games_say_too_little(
    store: Store, new: Database, people: int, choices: int, rated: bool
) -> None:
    who = (ANN, BEN, CLEO)[:people]
    game = await play(store, *who, rated=rated)
    before = [await shown(store, one) for one in who]
    await judge(store, game, *(0.0 for _ in who), choices=choices)
    assert [await shown(store, one) for one in who] == before
    kept = contents(new)
    assert rebuilt(new, NOW).changed == 0
    assert contents(new) == kept


async def test_a_later_estimate_replaces_what_is_counted_but_no_rating(store: Store, new: Database) -> None:
    """Also if the first one said too little about a person. An earlier one, or one that can't say, changes
    nothing."""
    first, second = await play(store, ANN, BEN), await play(store, ANN, BEN)
    habits = {"safe": 0.05}
    await store.set_luck(first, 1, [Measured(30, Skill(1, 20, 0.2), habits), Measured(-30, Skill(1, 3, 0.1))])
    await store.set_luck(second, 1, [Measured(5, Skill(1, 20, 0.1)), Measured(0, None)])
    ann, ben = await shown(store, ANN), await shown(store, BEN)
    await store.set_luck(first, 2, [Measured(-7, Skill(1, 15, 0.01)), Measured(7, Skill(1, 20, 0.0))])
    await store.set_luck(second, 3, None)
    assert await store.measured_by("tutto", 3, 1 << 60, 9) == (second,)
    feats = not_none(await store.stats(GUILD, "tutto", ANN)).feats
    assert (feats[LUCK], feats[LUCK_GAMES]) == (-2, 2)
    assert read(feats) == Skill(2, 35, 0.11)
    assert "habit_safe" not in feats
    assert (await shown(store, ANN), await shown(store, BEN)) == (ann, ben)
    kept = contents(new)
    await judge(store, first, 0.5, 0.5)
    assert contents(new) == kept
    assert rebuilt(new, NOW).changed == 0
    assert contents(new) == kept


@pytest.mark.parametrize(
    ("people", "errors"),
    [((ANN, BEN), None), ((ANN, BEN, CLEO), None), ((ANN, BEN, CLEO), Errors(0.2, 0.15))],
)
async def test_errors_that_were_not_measured_change_nothing(
    store: Store,
    new: Database,
    monkeypatch: pytest.MonkeyPatch,
    people: tuple[int, ...],
    errors: Errors | None,
) -> None:
    """As long as nobody knows what people give away in a game, the ratings are those by places."""
    for module in (game_end, game_luck, rebuild):
        monkeypatch.setattr(module, "rating_model", lambda game: Model(errors=errors))
    game = await play(store, *people)
    before = [await shown(store, one) for one in people]
    await judge(store, game, 0.3, *(0.0 for _ in people[1:]))
    assert [await shown(store, one) for one in people] == before
    assert rebuilt(new, NOW).changed == 0
    assert [await shown(store, one) for one in people] == before


@pytest.mark.parametrize(("rating", "nth"), [(900, None), (None, 1), (900, 1)])
async def test_a_game_that_counts_for_nothing_loses_what_it_was_counted_as(
    store: Store, new: Database, rating: int | None, nth: int | None
) -> None:
    game = await play(store, ANN, BEN)
    with opened(new) as connection:
        connection.execute("UPDATE results SET board = NULL, rating = ?, nth = ?", (rating, nth))
    rebuilt(new, NOW)
    assert await store.stats(GUILD, "tutto", ANN) is None
    with opened(new) as connection:
        found = connection.execute("SELECT mu, sigma, rating, nth FROM results WHERE game_id = ?", (game,))
        assert found.fetchall() == [(None, None, None, None)] * 2


@pytest.mark.parametrize(
    ("game", "kept"),
    [("tutto", False), ("gambler", True)],
    ids=["the model of this game", "the model of another game"],
)
async def test_with_another_model_all_is_rated_again_at_the_next_start(
    store: Store, new: Database, game: str, kept: bool
) -> None:
    """The ratings of deleted people can't be, so theirs start over."""
    await play(store, ANN, BEN)
    await play(store, BEN, CLEO)
    await store.erase(ANN)
    before = await shown(store, BEN), await shown(store, CLEO)
    stored = Rating(31.0, 2.0)
    with opened(new) as connection:
        apart = (stored.mu, stored.sigma)
        connection.execute("UPDATE results SET mu = ?, sigma = ? WHERE user_id IS NULL", apart)
    models = json.loads(not_none(await store.meta(MODELS)))
    await store.set_meta(MODELS, json.dumps(models | {game: "another"}))
    again = await open_store(new)
    try:
        assert json.loads(not_none(await again.meta(MODELS))) == models
        model = Model()
        _, rating = model.played([stored if kept else Rating(), Rating()], [1, 2])
        winner, loser = model.played([rating, Rating()], [1, 2])
        after = await shown(again, BEN), await shown(again, CLEO)
        assert after == (winner.shown, loser.shown)
        assert (after == before) is not kept
    finally:
        await again.close()
    assert rebuilt(new, NOW).changed == 0


async def test_games_judged_in_no_order_count_right_after_their_end(store: Store, new: Database) -> None:
    """Early versions did not store when they were judged."""
    game = await play(store, ANN, BEN)
    await judge(store, game, 0.1, 0.0)
    await play(store, CLEO, BEN)
    with opened(new) as connection:
        connection.execute("UPDATE results SET judged = NULL")
    rebuilt(new, NOW)
    model = Model()
    ben = model.judged(model.played([Rating(), Rating()], [1, 2])[1], 0.0)
    ben = model.played([Rating(), ben], [1, 2])[1]
    assert await shown(store, BEN) == ben.shown
    kept = contents(new)
    assert rebuilt(new, NOW).changed == 0
    assert contents(new) == kept
