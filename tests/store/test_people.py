"""What is stored of people besides their results: names, choices, open games, and lists of finished ones."""

from __future__ import annotations

from functools import partial

import pytest

from bot.games.values import replace
from bot.standings.values import Span
from bot.store.base import FINISHED, LIVE, Change, FormerSeat, Offer, Store
from bot.store.notifications import MESSAGE, NotificationPreferences
from bot.store.sql.access import SqlAccess
from tests.support.rows import a_game, a_move, a_result
from tests.support.waiting import until

GUILD, ANN, BEN, CLEO, DAILY = 10, 1, 2, 3, 4


async def finished(store: Store, channel: int, *people: int) -> int:
    """A game that the first of these people has won; return its id."""
    row = await store.create(a_game(channel, *people, status=LIVE), None)
    over = replace(row, status=FINISHED, version=1, updated_at=2000.0)
    results = [a_result(seat, user, place=seat + 1) for seat, user in enumerate(people)]
    await store.commit(Change(over, row.version, move=a_move(1), results=results))
    return row.id


async def test_who_is_absent_or_not_listed(store: Store) -> None:
    await store.set_unlisted(GUILD, ANN, "Ann", True)
    await store.set_unlisted(GUILD, BEN, "Ben", False)
    await store.set_present(GUILD, {}, 5.0)
    assert await store.absent(GUILD, 9) == ()
    await store.set_present(GUILD, {ANN: False, BEN: True}, 5.0)
    assert await store.absent(GUILD, 9) == (ANN,)
    assert await store.unlisted(GUILD, [ANN, BEN]) == {ANN}
    member = await store.member(GUILD, ANN)
    assert member is not None
    assert (member.name, member.present, member.unlisted) == ("Ann", False, True)
    assert await store.member(GUILD, CLEO) is None


async def test_who_clicks_is_present_under_their_latest_name(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SqlAccess, "lazy_seconds", 0.05)

    async def is_noted(name: str) -> bool:
        member = await store.member(GUILD, ANN)
        return member is not None and (member.name, member.present) == (name, True)

    await store.create(a_game(1, ANN), None)
    for name in ("Ann", "Anna"):
        await store.note_member(GUILD, ANN, name)
        await until(partial(is_noted, name))
    await store.set_present(GUILD, {ANN: False}, 5.0)
    await store.note_member(GUILD, ANN, "Anna")
    await until(partial(is_noted, "Anna"))


async def test_a_name_that_was_noted_just_before_a_deletion_is_deleted(store: Store) -> None:
    for user in range(100, 120):
        await store.note_member(GUILD, user, "Ann")
        await store.erase(user)
    await store.set_meta("written", "all that was postponed as well")
    assert [user for user in range(100, 120) if await store.member(GUILD, user)] == []


async def test_a_name_is_stored_only_beside_something_else_of_its_person(store: Store) -> None:
    """Somebody may be erased, also by another process, between the moment they are seen and the write."""
    await store.create(a_game(1, ANN), None)
    await finished(store, 2, ANN, BEN)
    row = await store.create(a_game(3, CLEO, guild_id=GUILD + 1, status=LIVE), None)
    former = (FormerSeat(0, CLEO, "Cleo", 1, True, 0, 0),)
    handed = replace(row, version=1, seats=a_game(3, ANN).seats, former=former)
    await store.commit(Change(handed, 0))
    await store.daily.make_day(1, b"s", 1)
    await store.daily.begin(DAILY, 1, 5.0)
    await store.erase(BEN)
    noted = [(GUILD, ANN), (GUILD, BEN), (GUILD, CLEO), (GUILD + 1, CLEO), (GUILD, DAILY), (GUILD + 2, ANN)]
    for guild_id, user in noted:
        await store.note_member(guild_id, user, "A name")
    await store.set_meta("written", "after all that was postponed")
    await store.set_present(GUILD, {99: True}, 5.0)
    assert [one for one in noted if await store.member(*one)] == [
        (GUILD, ANN),
        (GUILD + 1, CLEO),
        (GUILD, DAILY),
    ]


async def test_games_that_somebody_plays_or_is_asked_about(store: Store) -> None:
    asked = Offer(7, BEN, CLEO, 1e10)
    row = await store.create(a_game(1, ANN, BEN, status=LIVE, offers=(asked,)), None)
    other = await store.create(a_game(2, ANN), None)
    await finished(store, 3, ANN, BEN)
    for user, games in ((ANN, (row.id, other.id)), (BEN, (row.id,)), (CLEO, (row.id,)), (99, ())):
        assert await store.active_games_of(user) == games
    assert await store.open_tables([1, 2, 3]) == (other.id, row.id)
    assert await store.open_tables([3]) == ()
    for user, offers in ((BEN, [False]), (CLEO, [True]), (ANN, [])):
        assert [one["asked"] for one in (await store.export(user))["offers"]] == offers


async def test_games_are_exported_with_their_moves(store: Store) -> None:
    games = [await finished(store, channel, ANN, BEN) for channel in (1, 2, 3)]
    found = await store.export_games(ANN, games[0], 9)
    assert [(one["game_id"], [move[0] for move in one["moves"]]) for one in found] == [
        (games[1], [1]),
        (games[2], [1]),
    ]
    # Games of earlier versions do not say who acted when, or who missed a turn.
    assert [(one["acted"], one["missed"]) for one in found] == [(0.0, 0)] * 2
    assert [len(one["moves"]) for one in await store.export_games(BEN, 0, 2)] == [0, 0]
    assert await store.export_games(CLEO, 0, 9) == ()


async def test_an_export_says_who_is_listed_and_has_voted(store: Store) -> None:
    row = await store.create(a_game(1, ANN, BEN, status=LIVE, votes=(1,)), None)
    over = replace(row, status=FINISHED, version=1, updated_at=2000.0)
    results = [a_result(seat, user, place=seat + 1) for seat, user in enumerate((ANN, BEN))]
    await store.commit(Change(over, row.version, move=a_move(1), results=results))
    await store.set_unlisted(GUILD, ANN, "Ann", True)
    await store.set_unlisted(GUILD, BEN, "Ben", False)
    for user, listed, voted in ((ANN, False, False), (BEN, True, True)):
        (server,) = (await store.export(user))["servers"]
        (game,) = await store.export_games(user, 0, 9)
        assert (server["on_leaderboards"], game["voted"]) == (listed, voted)


async def test_parts_of_the_store_have_their_own_data(store: Store) -> None:
    chosen = NotificationPreferences(MESSAGE)
    await store.notifications.choose(ANN, chosen)
    await store.puzzles.note_seen(ANN, "g.1")
    assert await store.notifications.of(ANN) == chosen
    assert await store.puzzles.seen(ANN) == {"g.1"}
    assert await store.seasons.months(GUILD, "tutto") == ()


async def test_the_latest_games_of_a_channel_and_of_a_server(store: Store) -> None:
    games = [await finished(store, channel, ANN, BEN) for channel in (7, 8, 7)]
    listed = await store.finished_in_channel(7, Span(10))
    assert [one.game_id for one in listed] == [games[2], games[0]]
    assert [one.winners for one in listed] == [(0,), (0,)]
    assert [seat.user_id for seat in listed[0].seats] == [ANN, BEN]
    assert [one.game_id for one in await store.finished_in_guild(GUILD, [8], CLEO, Span(10))] == [games[1]]
    assert [one.game_id for one in await store.finished_in_guild(GUILD, [7, 8], CLEO, Span(2))] == games[
        :0:-1
    ]
    older = await store.finished_in_channel(7, Span(10, before=listed[0].finish))
    assert [one.game_id for one in older] == [games[0]]
    newer = await store.finished_in_channel(7, Span(10, after=listed[1].finish))
    assert [one.game_id for one in newer] == [games[2]]


async def test_a_game_is_shared_in_a_channel_once(store: Store) -> None:
    game = await finished(store, 7, ANN, BEN)
    assert not await store.has_share(game, 8)
    await store.note_share(game, 8)
    assert await store.has_share(game, 8)
    assert not await store.has_share(game, 9)
