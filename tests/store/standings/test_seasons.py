"""Months that are closed with their best: counted anew from the games, once, and kept."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import Any

from bot.standings.seasons import MAX_LINES, SeasonLine, month_at, places, starts_at
from bot.store.base import Store
from tests.store.standings.test_personal_data import Everybody
from tests.store.standings.test_standings import end
from tests.support.databases import Database, opened
from tests.support.histories import ALPS, NOW
from tests.support.values import not_none

GAME, GUILD = "tutto", 4_194_304 * 10
ANN, BEN, CLEO = 7001, 7002, 7003
MARCH = month_at(NOW)


async def close(store: Store, guild_id: int, through: int) -> None:
    while await store.seasons.close_next(guild_id, through):
        pass


def stored(path: Database) -> list[Any]:
    with opened(path) as connection:
        lines = connection.execute("SELECT * FROM season_lines ORDER BY guild_id, game, month, number")
        return [tuple(row) for row in lines.fetchall()]


async def test_every_month_with_games_has_its_best(store: Store, everybody: Everybody) -> None:
    """All months of three years at once, as after an upgrade, with the numbers of the replayed logs."""
    expected: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for user, person in everybody[ALPS.guild_id].items():
        won: defaultdict[int, list[bool]] = defaultdict(list)
        for game, seat in person.games:
            won[month_at(game.at)].append(seat.place == 1)
        for month, wins in won.items():
            if any(wins) and month < MARCH:
                expected[month].append((-sum(wins), len(wins), user))
    await close(store, ALPS.guild_id, MARCH - 1)
    assert list(await store.seasons.months(ALPS.guild_id, GAME)) == sorted(expected, reverse=True)
    for month, scores in expected.items():
        best = sorted(scores)[:MAX_LINES]
        lines = await store.seasons.lines(ALPS.guild_id, GAME, month)
        assert [(-line.wins, line.games, line.user_id) for line in lines] == best
        assert all(line.name for line in lines)
        assert [line.place for line in lines] == [1 + sum(one[0] < own[0] for one in best) for own in best]
    assert await store.seasons.cards() == ((ALPS.guild_id, max(expected)),)


async def test_a_season_is_closed_once_and_stays_as_it_is(store: Store, path: Database) -> None:
    for winner, loser, at in (
        (ANN, BEN, starts_at(MARCH) - 1),  # February's last second
        (ANN, BEN, starts_at(MARCH)),
        (BEN, ANN, starts_at(MARCH + 1) - 0.5),
        (BEN, None, starts_at(MARCH) + 9),  # against an AI: counts on another board
        (CLEO, BEN, starts_at(MARCH + 3)),
    ):
        await end(store, winner, loser, guild_id=GUILD, at=at)
    assert await store.seasons.with_open(MARCH, GUILD - 1, 5) == (GUILD,)
    # Several processes, and one that has been off for months, at the same time.
    await asyncio.gather(*(close(store, GUILD, through) for through in (MARCH, MARCH - 1, MARCH, MARCH + 2)))
    assert await store.seasons.months(GUILD, GAME) == (MARCH, MARCH - 1)
    assert await store.seasons.lines(GUILD, GAME, MARCH - 1) == (SeasonLine(1, ANN, "User 7001", 1, 1),)
    shared = await store.seasons.lines(GUILD, GAME, MARCH)
    assert [(line.place, line.user_id, line.wins, line.games) for line in shared] == [
        (1, ANN, 1, 2),
        (1, BEN, 1, 2),
    ]
    before = stored(path)
    # A game that is stored too late, by a clock that went wrong, changes nothing any more.
    await end(store, CLEO, ANN, guild_id=GUILD, at=starts_at(MARCH) + 5)
    await close(store, GUILD, MARCH + 2)
    assert stored(path) == before
    assert await store.seasons.with_open(MARCH + 2, GUILD - 1, 5) == ()
    assert await store.seasons.with_open(MARCH + 3, GUILD - 1, 5) == (GUILD,)
    # Only the latest card is due, and it is settled once.
    assert await store.seasons.cards() == ((GUILD, MARCH),)
    tried = [await store.seasons.try_card(GUILD, month) for month in (MARCH - 1, MARCH, MARCH)]
    assert tried == [False, False, True], "whether this month's was tried before"
    assert await store.seasons.try_card(GUILD + 1, MARCH) is False
    await store.seasons.settle_card(GUILD, MARCH - 1, refused=False)  # from before
    assert await store.seasons.cards() == ((GUILD, MARCH),)
    await store.seasons.settle_card(GUILD, MARCH, refused=True)
    assert await store.seasons.cards() == ()
    assert await store.seasons.refused_card(GUILD) == MARCH
    await close(store, GUILD, MARCH + 3)
    await store.seasons.settle_card(GUILD, MARCH + 3, refused=False)
    assert await store.seasons.refused_card(GUILD) is None


async def test_a_hidden_or_erased_person_has_no_name(store: Store) -> None:
    await close(store, ALPS.guild_id, MARCH - 1)
    month = (await store.seasons.months(ALPS.guild_id, GAME))[0]

    async def line() -> SeasonLine:
        return (await store.seasons.lines(ALPS.guild_id, GAME, month))[0]

    named = await line()
    user = not_none(named.user_id)
    await store.set_present(ALPS.guild_id, {user: False}, NOW)
    assert await line() == named  # a champion who left is one for ever
    await store.set_unlisted(ALPS.guild_id, user, named.name, True)
    nameless = SeasonLine(named.place, None, "", named.wins, named.games)
    assert await line() == nameless
    await store.set_unlisted(ALPS.guild_id, user, named.name, False)
    assert await line() == named
    places_of = (await store.export(user))["seasons"]
    assert (named.place, named.wins) in [(one["place"], one["wins"]) for one in places_of]
    await store.erase(user)
    assert await line() == nameless
    assert (await store.export(user))["seasons"] == []
    # Whoever is hidden when a season is closed is not on its board, as on those of the present.
    await end(store, ANN, BEN, guild_id=GUILD, at=NOW)
    await end(store, BEN, ANN, guild_id=GUILD, at=NOW)
    await store.set_unlisted(GUILD, ANN, "Ann", True)
    await close(store, GUILD, MARCH)
    assert [one.user_id for one in await store.seasons.lines(GUILD, GAME, MARCH)] == [BEN]
    assert places([]) == ()
