"""Leaderboards and statistics compared with the logs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bot.registry import find
from bot.standings.aggregates import MAX_RECORDS
from bot.standings.periods import period_start, zones
from bot.standings.ratings import Model, Rating
from bot.standings.repeats import weight
from bot.standings.values import Board, Leaderboard, Period, Sort
from bot.store.base import FINISHED, LIVE, Change, Conflict, Duplicate, Store
from bot.store.sql.standings import CURVE_POINTS, curve_numbers
from tests.support import standings_oracle as oracle
from tests.support.databases import Database, opened, rebuilt, store_on
from tests.support.histories import ALPS, COAST, NOW, SERVERS, Server
from tests.support.rows import a_game, a_result
from tests.support.values import not_none

Everybody = dict[int, dict[int, oracle.Person]]


async def whole(store: Store, board: Leaderboard, page: int = 7) -> list[oracle.Line]:
    """A leaderboard read page by page."""
    lines: list[oracle.Line] = []
    while rows := await store.standings(board, len(lines), page):
        lines += [
            (row.place, row.user_id, row.games, row.wins, row.best_turn, row.feat, row.rating) for row in rows
        ]
    assert await store.ranked(board) == len(lines)
    return lines


def of(server: Server, period: Period, sort: Sort, zone: str = "", at: float = NOW) -> Leaderboard:
    return Leaderboard(server.guild_id, "tutto", sort, period, period_start(period, at, zone or server.zone))


@pytest.mark.parametrize("anew", [False, True])
@pytest.mark.parametrize("server", SERVERS, ids=lambda server: server.zone)
async def test_every_leaderboard_is_what_the_logs_say(
    server: Server, anew: bool, store: Store, everybody: Everybody
) -> None:
    """The sums of the present day, week and month are counted as the games ended, or counted anew."""
    if anew:
        await store.set_settings(server.guild_id, {"time_zone": server.zone}, NOW)
    for period in Period:
        for sort in Sort:
            expected = oracle.board(everybody[server.guild_id], period, sort, NOW, server.zone)
            if sort is not Sort.RATE or period in (Period.ALL, Period.MONTH):
                assert len(expected) > 3, "the history is too thin"
            assert await whole(store, of(server, period, sort)) == expected, (period, sort)


async def test_days_begin_where_the_server_is(store: Store, everybody: Everybody) -> None:
    seen = set()
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago", "Asia/Kathmandu", "America/St_Johns"):
        await store.set_settings(ALPS.guild_id, {"time_zone": zone}, NOW)
        for period in Period:
            found = await whole(store, of(ALPS, period, Sort.WINS, zone))
            assert found == oracle.board(everybody[ALPS.guild_id], period, Sort.WINS, NOW, zone)
            seen.add(tuple(found))
    assert len(seen) > 6


async def test_sums_counted_as_games_end_are_those_counted_later(new: Database) -> None:
    """Around midnight, a new week and a new month: what each game adds lands in the right day."""
    zone = ZoneInfo("Europe/Zurich")
    moments = [
        datetime(2026, 5, 31, 23, 59, 59, tzinfo=zone),  # a Sunday, the last of its month
        datetime(2026, 6, 1, 0, 0, 0, tzinfo=zone),
        datetime(2026, 6, 1, 23, 59, 59, tzinfo=zone),
        datetime(2026, 6, 2, 0, 0, 1, tzinfo=zone),
        datetime(2026, 6, 7, 12, 0, 0, tzinfo=zone),
        datetime(2026, 6, 8, 0, 0, 0, tzinfo=zone),
    ]
    async with store_on(new) as store:
        await store.set_settings(10, {"time_zone": "Europe/Zurich"}, NOW)
        for number, moment in enumerate(moments):
            await end(store, 1 + number % 2, 2 - number % 2, at=moment.timestamp())
            games = {}
            for period in Period:
                board = Leaderboard(
                    10, "tutto", Sort.WINS, period, period_start(period, moment.timestamp(), zone.key)
                )
                games[period.value] = (await store.standings(board, 0, 1))[0].games
                assert games[period.value] == sum(
                    other.timestamp() >= board.since for other in moments[: number + 1]
                )


def test_a_period_begins_at_its_first_moment() -> None:
    """Also where clocks change at midnight, in every time zone."""
    for zone in zones():
        here = ZoneInfo(zone)
        for day in (datetime(2026, 3, 29, 12, tzinfo=here), datetime(2026, 10, 25, 12, tzinfo=here)):
            for period in (Period.DAY, Period.WEEK, Period.MONTH):
                first = period_start(period, day.timestamp(), zone)
                assert period_start(period, first, zone) == first
                assert period_start(period, first - 1, zone) < first
    assert period_start(Period.DAY, NOW, "Atlantis/Nowhere") == period_start(Period.DAY, NOW, "UTC")


async def test_where_somebody_is(store: Store, everybody: Everybody) -> None:
    for sort in Sort:
        board = of(COAST, Period.ALL, sort)
        lines = oracle.board(everybody[COAST.guild_id], Period.ALL, sort, NOW, COAST.zone)
        for index in (0, 1, len(lines) // 2, len(lines) - 1):
            found = not_none(await store.standing_of(board, lines[index][1]))
            assert (found[0].place, found[1]) == (lines[index][0], index)
        assert await store.standing_of(board, 99) is None
    seldom = next(user for user, person in everybody[COAST.guild_id].items() if len(person.games) < 5)
    assert await store.standing_of(of(COAST, Period.ALL, Sort.RATE), seldom) is None


async def test_past_the_end_there_is_nothing(store: Store) -> None:
    board = of(ALPS, Period.ALL, Sort.WINS)
    assert await store.standings(board, 10_000, 10) == ()
    assert await store.standings(replace(board, game="unheard-of"), 0, 10) == ()
    assert await store.standings(replace(board, guild_id=1), 0, 10) == ()
    assert await store.ranked(replace(board, guild_id=1)) == 0


async def test_a_person_who_left_or_hides_is_not_listed_until_they_are_back(
    store: Store, everybody: Everybody
) -> None:
    persons = everybody[ALPS.guild_id]
    top = [line[1] for line in oracle.board(persons, Period.ALL, Sort.WINS, NOW, ALPS.zone)[:4]]
    await store.set_present(ALPS.guild_id, {top[0]: False, top[1]: False}, NOW)
    await store.set_unlisted(ALPS.guild_id, top[2], "Shy", True)
    hidden = frozenset(top[:3])
    for sort in Sort:
        expected = oracle.board(persons, Period.ALL, sort, NOW, ALPS.zone, hidden)
        assert await whole(store, of(ALPS, Period.ALL, sort)) == expected
    assert await store.standing_of(of(ALPS, Period.ALL, Sort.WINS), top[0]) is None
    assert await store.absent(ALPS.guild_id, 10) == tuple(sorted(top[:2]))
    # A game that ends while they are hidden does not bring them back.
    await end(store, top[0], top[2], guild_id=ALPS.guild_id, at=NOW)
    assert not {line[1] for line in await whole(store, of(ALPS, Period.DAY, Sort.WINS))} & hidden
    # The other server's list is its own.
    both = oracle.board(everybody[COAST.guild_id], Period.ALL, Sort.WINS, NOW, COAST.zone)
    assert await whole(store, of(COAST, Period.ALL, Sort.WINS)) == both

    await store.note_member(ALPS.guild_id, top[0], "Back again")
    await store.set_present(ALPS.guild_id, {top[1]: True}, NOW)
    await store.set_unlisted(ALPS.guild_id, top[2], "Shy", False)
    assert {line[1] for line in await whole(store, of(ALPS, Period.ALL, Sort.WINS))} >= hidden


async def test_statistics_are_what_the_logs_say(store: Store, everybody: Everybody) -> None:
    persons = everybody[COAST.guild_id]
    ranked = {line[1]: line[0] for line in oracle.board(persons, Period.ALL, Sort.RATING, NOW, COAST.zone)}
    for user, person in persons.items():
        stats = not_none(await store.stats(COAST.guild_id, "tutto", user))
        seats = [seat for _, seat in person.games]
        assert stats.name == f"Player {user}"
        assert (stats.games, stats.wins) == (len(seats), person.wins)
        assert (stats.score, stats.turns) == (sum(s.score for s in seats), sum(s.turns for s in seats))
        assert stats.best_turn == max(seat.best for seat in seats)
        assert (stats.streak, stats.longest_streak) == (person.streak(), person.longest_streak())
        assert stats.feats["tuttos"] == sum(seat.tuttos for seat in seats)
        assert stats.feats["nulls"] == sum(seat.nulls for seat in seats)
        assert stats.rating == person.shown
        assert (stats.rank, stats.ranked) == (ranked.get(user), len(ranked))
        assert [(one.user_id, one.games, one.ahead) for one in stats.opponents] == oracle.opponents(person)[
            :3
        ]
        curve = [
            (number, person.curve[number - 1])
            for number in curve_numbers(len(seats))
            if person.curve[number - 1] is not None
        ]
        assert [(point.number, point.rating) for point in stats.curve] == curve
        assert stats.since == person.games[0][0].at
    assert await store.stats(COAST.guild_id, "tutto", 99) is None
    assert await store.stats(COAST.guild_id, "unheard-of", next(iter(persons))) is None


def test_a_long_curve_keeps_its_ends() -> None:
    for games in (1, 2, 99, 100, 101, 150, 12_345):
        numbers = curve_numbers(games)
        assert numbers == sorted(set(numbers))
        assert (numbers[0], numbers[-1]) == (1, games)
        assert len(numbers) <= CURVE_POINTS + 1
    assert curve_numbers(3 * CURVE_POINTS)[:4] == [1, 3, 6, 9]


async def test_records_of_a_server(store: Store, everybody: Everybody) -> None:
    persons = everybody[ALPS.guild_id]
    seats = [(game, seat) for person in persons.values() for game, seat in person.games]
    records = {record.kind: record for record in await store.records(ALPS.guild_id, "tutto")}
    assert records["best_turn"].value == max(seat.best for _, seat in seats)
    assert records["score"].value == max(seat.score for _, seat in seats)
    assert records["feat"].value == max(seat.tuttos for _, seat in seats)
    assert records["streak"].value == max(person.longest_streak() for person in persons.values())
    best = records["best_turn"]
    game = next(game for game, _ in seats if game.id == best.game_id)
    assert (best.channel_id, best.at) == (game.channel, game.at)
    assert best.message_id == game.id * 10
    assert any(seat.user == best.user_id and seat.best == best.value for seat in game.seats)
    earlier = [g for g, s in seats if s.best == best.value and g.at < game.at]
    assert not earlier, "the first to set it holds the record"
    # Who is hidden holds none.
    await store.set_unlisted(ALPS.guild_id, best.user_id, "Shy", True)
    others = max(seat.best for _, seat in seats if seat.user != best.user_id)
    assert (await store.records(ALPS.guild_id, "tutto"))[0].value == others
    assert await store.records(1, "tutto") == ()


async def test_the_next_person_holds_a_record_while_its_holder_is_hidden(new: Database) -> None:
    """As long as the list is not full, people are noted even if they are worse in everything."""
    async with store_on(new) as store:
        await end(store, 1, 2, at=NOW, scores=(1000, 500))
        await end(store, 3, 4, at=NOW + 1, scores=(1000, 400))
        await end(store, 5, 6, at=NOW + 2, scores=(300, 200))
        for user, holder, value in ((1, 3, 1000), (3, 2, 500), (2, 4, 400), (4, 5, 300), (5, 6, 200)):
            await store.set_unlisted(10, user, "Shy", True)
            (score,) = [one for one in await store.records(10, "tutto") if one.kind == "score"]
            assert (score.user_id, score.value) == (holder, value)


async def test_a_person_worse_than_the_twenty_best_holds_no_record(new: Database) -> None:
    """Twenty are kept; a better person takes the place of the worst."""
    async with store_on(new) as store:
        for number in range(MAX_RECORDS):
            await end(store, 1 + 2 * number, 2 + 2 * number, at=NOW + number, scores=(1000 + number, number))
        with opened(new) as connection:
            kept = connection.execute("SELECT kind, user_id, value FROM records").fetchall()
    best = {kind: sorted(value for one, _, value in kept if one == kind) for kind in ("score", "streak")}
    assert best["score"] == [1000 + number for number in range(MAX_RECORDS)]
    assert best["streak"] == [1] * MAX_RECORDS
    assert {user for kind, user, _ in kept if kind == "score"} == {
        1 + 2 * number for number in range(MAX_RECORDS)
    }


async def test_a_result_has_the_strength_before_it_and_the_rating_after(new: Database) -> None:
    """A game against AIs alone has neither."""
    async with store_on(new) as store:
        await end(store, 1, None, at=NOW)
        await end(store, 1, 2, at=NOW + 1)
        await end(store, 1, 2, at=NOW + 2)
        await end(store, 1, None, at=NOW + 3)
        with opened(new) as connection:
            query = "SELECT mu, sigma, rating, nth FROM results WHERE user_id = 1 ORDER BY ended_at"
            alone, first, second, last = connection.execute(query).fetchall()
    start = Rating()
    (then, _) = Model().played([start, start], [1, 2])
    assert tuple(alone) == (None, None, None, None)
    assert tuple(first) == (start.mu, start.sigma, then.shown, 1)
    assert (second[:2], second[3]) == ((then.mu, then.sigma), 2)
    assert tuple(last) == (None, None, None, None)


async def test_two_games_of_one_person_end_at_the_same_moment(new: Database) -> None:
    """Both change the rating, one after the other, in whichever order they are committed."""
    async with store_on(new) as store:
        await asyncio.gather(*(end(store, 1, 2 + number, at=NOW) for number in range(8)))
        played = oracle_games(new)
        expected = oracle.people(played)
        stats = not_none(await store.stats(10, "tutto", 1))
        assert (stats.games, stats.rating) == (8, expected[1].shown)
        assert [point.rating for point in stats.curve] == expected[1].curve


async def test_a_refused_end_leaves_no_trace(new: Database) -> None:
    """The last step loses to a newer version: nothing is counted until it succeeds, and then once."""
    async with store_on(new) as store:
        row = await store.create(a_game(100, 1, 2), None)
        results = [a_result(0, 1), a_result(1, 2, place=2)]
        over = replace(row, status=FINISHED, version=2, updated_at=NOW)
        with pytest.raises(Conflict):
            await store.commit(Change(over, 1, results=results))
        assert await store.stats(10, "tutto", 1) is None
        await store.commit(Change(over, 0, 77, results=results))
        with pytest.raises(Duplicate):
            await store.commit(Change(replace(over, version=3), 2, 77, results=results))
        stats = not_none(await store.stats(10, "tutto", 1))
        assert stats.games == 1


async def test_ais_and_people_alone_with_them(new: Database) -> None:
    """AIs are on no list. Games against them have lists of their own, and change nothing on the others."""
    async with store_on(new) as store:
        await end(store, 1, None)
        rating, wins = Leaderboard(10, "tutto", Sort.RATING), Leaderboard(10, "tutto", Sort.WINS)
        ais = replace(wins, board=Board.AI)
        assert await store.standings(rating, 0, 10) == await store.standings(wins, 0, 10) == ()
        assert [(row.user_id, row.wins, row.rating) for row in await store.standings(ais, 0, 10)] == [
            (1, 1, None)
        ]
        assert await store.records(10, "tutto") == ()
        await end(store, 2, 1)
        before = not_none(await store.stats(10, "tutto", 1))
        await end(store, 1, None)
        assert await store.stats(10, "tutto", 1) == before
        assert (before.games, [point.rating for point in before.curve]) == (1, [before.rating])
        alone = not_none(await store.stats(10, "tutto", 1, Board.AI))
        assert (alone.games, alone.wins, alone.rating, alone.curve, alone.opponents) == (2, 2, None, (), ())
        assert [row.user_id for row in await store.standings(rating, 0, 10)] == [2, 1]


async def test_past_days_are_tidied_away(store: Store) -> None:
    board = of(ALPS, Period.DAY, Sort.WINS)
    month = of(ALPS, Period.MONTH, Sort.WINS)
    today, monthly = await whole(store, board), await whole(store, month)
    await store.tidy(NOW + 3600)
    assert await whole(store, board) == today
    await store.tidy(NOW + 5 * 86_400)
    assert await whole(store, board) == []
    assert await whole(store, month) == monthly
    await store.tidy(NOW + 70 * 86_400)
    assert await whole(store, month) == []
    assert await whole(store, of(ALPS, Period.ALL, Sort.WINS))


async def end(
    store: Store,
    winner: int,
    loser: int | None,
    *,
    guild_id: int = 10,
    at: float | None = None,
    scores: tuple[int, int] = (1000, 500),
) -> None:
    """A game that the first wins against the second, who is an AI if they are None."""
    people = [winner] if loser is None else [winner, loser]
    at = time.time() if at is None else at
    row = a_game(at_channel(), *people, ais=loser is None, guild_id=guild_id, status=LIVE)
    row = await store.create(row, None)
    board = Board.AI if loser is None else Board.PEOPLE
    results = [
        a_result(0, winner, score=scores[0], board=board),
        a_result(1, loser, place=2, score=scores[1], board=board),
    ]
    over = replace(row, status=FINISHED, version=row.version + 1, updated_at=at)
    await store.commit(Change(over, row.version, results=results))


_channels = iter(range(9_000_000, 10_000_000))


def at_channel() -> int:
    return next(_channels)


def oracle_games(place: Database) -> list[oracle.Game]:
    """The games of server 10 from their results alone; they have no logs."""
    with opened(place) as connection:
        return list(_from_results(connection))


def _from_results(connection: Any) -> Iterator[oracle.Game]:
    for game_id, at in connection.execute("SELECT id, updated_at FROM games ORDER BY finish").fetchall():
        seats = connection.execute(
            "SELECT user_id, place, score, turns FROM results WHERE game_id = ? ORDER BY seat", (game_id,)
        ).fetchall()
        yield oracle.Game(game_id, 10, 0, at, True, [played_seat(*seat) for seat in seats])


def played_seat(user: int | None, place: int, score: int, turns: int) -> oracle.Seat:
    return oracle.Seat(user, place, score, turns, own_turns=turns)


DAY = 86_400.0


@pytest.mark.parametrize(
    ("earlier", "people", "games"),
    [
        ([], (1, 2), (0, 0)),
        ([((1, 2), 0.0), ((2, 1), 29.9)], (1, 2), (2, 2)),
        ([((1, 2), 30.1)], (1, 2), (0, 0)),
        ([((1, 3), 1.0), ((2, 3), 1.0)], (1, 2), (0, 0)),
        ([((1, 2, 3), 1.0), ((1, 2), 2.0)], (3, 1, 2), (1, 2, 2)),
        ([((1, 2), 1.0)], (3, 2, 4, 1), (0, 1, 0, 1)),
    ],
)
async def test_a_game_counts_less_after_others_with_the_same_people(
    store: Store,
    path: Database,
    earlier: list[tuple[tuple[int, ...], float]],
    people: tuple[int, ...],
    games: tuple[int, ...],
) -> None:
    """Rated games of the same game in this server; ``earlier`` says who played and how many days before."""
    for others, days in sorted(earlier, key=lambda one: -one[1]):
        await rated_game(store, others, NOW - days * DAY)
    # None of these count, though the people are the same.
    await rated_game(store, people, NOW - 1, rated=False)
    await rated_game(store, people, NOW - 1, game="gambler")
    await rated_game(store, people, NOW - 1, guild_id=11)
    game_id = await rated_game(store, people, NOW)
    with opened(path) as connection:
        found = connection.execute("SELECT weight FROM results WHERE game_id = ? ORDER BY seat", (game_id,))
        assert [one for (one,) in found] == [weight(number) for number in games]
    assert rebuilt(path, NOW).changed == 0


async def rated_game(
    store: Store,
    people: Sequence[int],
    at: float,
    *,
    guild_id: int = 10,
    game: str = "tutto",
    rated: bool = True,
) -> int:
    """A finished game in which people take their places in this order."""
    options = find(game).rules.options({})
    given = a_game(
        at_channel(), *people, guild_id=guild_id, game=game, options=options, status=LIVE, rated=rated
    )
    row = await store.create(given, None)
    results = [a_result(seat, user, place=seat + 1, board=Board.PEOPLE) for seat, user in enumerate(people)]
    over = replace(row, status=FINISHED, version=row.version + 1, updated_at=at)
    await store.commit(Change(over, row.version, results=results))
    return row.id
