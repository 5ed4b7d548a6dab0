"""The daily game with its store, on both databases: one game each, unchanged by a restart or a
repeated click.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest

from bot.daily.days import DAY_SECONDS, ends_at, opens_at
from bot.daily.game import Attempt, DailyGames
from bot.daily.play import RULES, SCREEN, START, Progress, advance
from bot.games.tutto.state import Action
from bot.screens.model import Buttons
from bot.sessions.clock import MAX_DRIFT_SECONDS
from bot.sessions.request import Asker, Refused
from bot.store.sql.daily import erase_daily
from tests.support.databases import Database, open_store, store_on

ANN, BEN, CLEO = 11, 12, 13
DAY = 20_786
NOON = DAY * DAY_SECONDS + 43_200.0


@dataclass
class Clock:
    now: float = NOON
    certain: bool = True
    busy: bool = False
    """Whether the worker processes take nothing more."""


@pytest.fixture
def clock() -> Clock:
    return Clock()


def games_of(store: Any, clock: Clock, secret: int = 7) -> DailyGames:
    async def work(asker: Asker, function: Any, *args: Any) -> Any:
        if clock.busy:
            raise Refused("error-takes-long")
        return function(*args)

    secrets = lambda: bytes([secret]) * 32  # noqa: E731
    return DailyGames(store.daily, lambda: clock.now, lambda: clock.certain, work, secrets)


def token_of(progress: Progress) -> str:
    """Return what a cautious person presses: stop where that is possible."""
    found = [token for token in tokens(progress) if token[0] != "v"]
    return "s" if "s" in found else found[0]


def tokens(progress: Progress) -> list[str]:
    """Return what can be pressed."""
    rows = [row for row in SCREEN.controls(progress.state, "") if isinstance(row, Buttons)]
    return [button.token for row in rows for button in row.buttons]


async def play(games: DailyGames, user: int, most: int = 1000, day: int = DAY) -> Attempt:
    known = await games.begin(user, day)
    for _ in range(most):
        if known.progress.is_over:
            break
        known = await games.press(user, day, known.play.made, token_of(known.progress))
    return known


async def test_everybody_gets_the_same_dice_and_plays_once(store: Any, clock: Clock) -> None:
    games = games_of(store, clock)
    ann = await play(games, ANN)
    assert ann.play.turns == ann.progress.turns > 0
    assert ann.play.ended_at == NOON
    # Another process would draw another secret, but the first one counts.
    ben = await play(games_of(store, clock, secret=8), BEN)
    assert (ben.play.choices, ben.progress) == (ann.play.choices, ann.progress)
    assert await games.begin(ANN, DAY) == ann
    assert await games.press(ANN, DAY, ann.play.made, "t") == ann


async def test_dice_and_choices_are_the_same_after_a_restart(place: Database, clock: Clock) -> None:
    store = await open_store(place)
    whole = await play(games_of(store, clock), ANN)
    begun = await play(games_of(store, clock), BEN, most=5)
    await store.close()
    async with store_on(place) as store:
        games = games_of(store, clock, secret=9)
        assert await games.find(BEN, DAY) == begun
        rest = await play(games, BEN)
        assert (rest.play.choices, rest.progress) == (whole.play.choices, whole.progress)


async def test_a_click_counts_once_however_often_it_arrives(store: Any, clock: Clock) -> None:
    one, other = games_of(store, clock), games_of(store, clock)
    known = await play(one, ANN, most=3)
    token = token_of(known.progress)
    # At the same time on two devices, which two processes serve, and once more later.
    found = await asyncio.gather(*(games.press(ANN, DAY, known.play.made, token) for games in (one, other)))
    once = await play(one, BEN, most=4)
    assert found[0] == found[1]
    assert found[0].play.choices == once.play.choices != known.play.choices
    assert await one.press(ANN, DAY, known.play.made, token) == found[0]
    assert await other.press(ANN, DAY, known.play.made, token) == found[0]


async def test_a_day_that_was_begun_can_be_finished_until_it_is_opened(store: Any, clock: Clock) -> None:
    games = games_of(store, clock)
    known = await play(games, ANN, most=2)
    clock.now = ends_at(DAY)
    with pytest.raises(Refused, match="error-daily-past"):
        await games.begin(BEN, DAY)
    with pytest.raises(Refused, match="error-daily-no-day"):
        await games.day(DAY + 1)
    assert (await games.begin(BEN, DAY + 1)).day.day == games.today() == DAY + 1
    known = await games.press(ANN, DAY, known.play.made, token_of(known.progress))
    clock.now = opens_at(DAY)
    with pytest.raises(Refused, match="error-daily-opened"):
        await games.press(ANN, DAY, known.play.made, token_of(known.progress))
    assert await games.find(ANN, DAY) == known


async def test_a_game_that_is_begun_at_midnight_has_the_dice_of_its_day(store: Any) -> None:
    """The clock may be looked at more than once."""

    class Midnight(Clock):
        def __getattribute__(self, name: str) -> Any:
            return next(times) if name == "now" else super().__getattribute__(name)

    times = itertools.chain([ends_at(DAY) - 1, ends_at(DAY) - 0.001], itertools.repeat(ends_at(DAY)))
    games = games_of(store, Midnight())
    sealed = await games.seal_today()
    assert (await games.begin(ANN, DAY)).day == sealed


async def test_nobody_plays_a_day_that_another_clock_has_opened(store: Any, clock: Clock) -> None:
    """Those of two processes agree with Discord's, one at its fast end and one at its slow end."""
    slow = games_of(store, clock)
    known = await play(slow, ANN, most=2)
    ahead = Clock(opens_at(DAY))
    clock.now = ahead.now - 2 * MAX_DRIFT_SECONDS
    assert games_of(store, ahead).is_open(DAY)
    assert not slow.can_go_on(DAY)
    assert slow.opens(DAY) == opens_at(DAY)
    with pytest.raises(Refused, match="error-daily-unsure"):
        await slow.press(ANN, DAY, known.play.made, token_of(known.progress))
    clock.now -= 1
    assert slow.can_go_on(DAY)
    assert await slow.press(ANN, DAY, known.play.made, token_of(known.progress)) != known


async def test_no_day_is_opened_while_the_time_is_uncertain(store: Any, clock: Clock) -> None:
    games = games_of(store, clock)
    await games.begin(ANN, DAY)
    clock.now = opens_at(DAY) - 1
    assert not games.is_open(DAY)
    with pytest.raises(Refused, match="error-daily-sealed"):
        await games.record(ANN, DAY, "Ann")
    assert games.opens(DAY) == opens_at(DAY)
    clock.now, clock.certain = opens_at(DAY), False
    assert not games.is_open(DAY)
    # No page names a time that is past.
    assert games.opens(DAY) is None
    assert not await games.has_record(ANN, DAY)
    for asked in (games.record(ANN, DAY, "Ann"), games.press(ANN, DAY, 0, "t")):
        with pytest.raises(Refused, match="error-daily-unsure"):
            await asked
    clock.certain = True
    assert games.is_open(DAY)
    assert await games.has_record(ANN, DAY)
    assert not await games.has_record(BEN, DAY)
    assert '"Ann"' in await games.record(ANN, DAY, "Ann")


async def test_a_press_is_refused_before_the_beginning_beyond_the_limit_and_by_other_rules(
    store: Any, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = games_of(store, clock)
    await games.begin(BEN, DAY)
    with pytest.raises(Refused, match="error-daily-not-begun"):
        await games.press(ANN, DAY, 0, "t")
    known = await play(games, ANN, most=4)
    monkeypatch.setattr("bot.daily.game.MAX_CHOICES", known.play.made)
    with pytest.raises(Refused, match="error-daily-long"):
        await games.press(ANN, DAY, known.play.made, token_of(known.progress))
    with pytest.raises(Refused, match="error-daily-no-day"):
        await games.record(ANN, DAY + 1, "Ann")
    monkeypatch.setattr(type(RULES), "rules_version", 2)
    with pytest.raises(Refused, match="error-daily-rules"):
        await games.find(ANN, DAY)
    clock.now = opens_at(DAY)
    assert not await games.has_record(ANN, DAY)
    with pytest.raises(Refused, match="error-daily-rules"):
        await games.record(ANN, DAY, "Ann")


async def test_an_erased_person_starts_over(store: Any, clock: Clock) -> None:
    games = games_of(store, clock)
    known = await play(games, ANN, most=4)
    await store.erase(ANN)
    assert await games.find(ANN, DAY) is None
    with pytest.raises(Refused, match="error-daily-not-begun"):
        await games.press(ANN, DAY, known.play.made, token_of(known.progress))
    again = await games.begin(ANN, DAY)
    assert (again.play.made, again.progress) == (0, START)


async def test_all_that_is_deleted_of_a_person_is_counted(store: Any, clock: Clock) -> None:
    """After a deletion SQLite's file is rewritten, and it is not if nothing was deleted."""
    await games_of(store, clock).begin(ANN, DAY)
    await store.daily.set_listed(ANN, "Ann")
    for guild_id in (5, 6, 7):
        await store.note_member(guild_id, ANN, "Ann")
        await store.daily.put_on_list(guild_id, DAY, ANN)
    assert await store.write(lambda connection: erase_daily(connection, ANN)) == 5
    assert await store.write(lambda connection: erase_daily(connection, ANN)) == 0


async def test_choices_that_were_followed_are_not_followed_again(
    store: Any, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    games, followed = games_of(store, clock), list[int]()

    def noted(seed: bytes, before: Progress, choices: Sequence[Action]) -> Progress:
        followed.append(len(choices))
        return advance(seed, before, choices)

    monkeypatch.setattr("bot.daily.game.advance", noted)
    known = await play(games, ANN, most=3)
    assert sum(followed) == known.play.made == 3
    assert await games.find(ANN, DAY) == await games.find(ANN, DAY) == known
    assert sum(followed) == 3
    assert await games_of(store, clock).find(ANN, DAY) == known
    assert sum(followed) == 6


async def test_of_two_choices_at_once_the_one_that_was_stored_first_counts(
    store: Any, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = games_of(store, clock)
    known = await play(games, ANN, most=1)

    async def too_late(changed: object, made: int) -> bool:
        return False

    monkeypatch.setattr(
        games, "_store", SimpleNamespace(play=store.daily.play, day=store.daily.day, write=too_late)
    )
    assert await games.press(ANN, DAY, known.play.made, token_of(known.progress)) == known


async def test_marking_a_die_changes_the_view_only(store: Any, clock: Clock) -> None:
    games = games_of(store, clock)
    known = await games.begin(ANN, DAY)
    while not (views := [token for token in tokens(known.progress) if token[0] == "v"]):
        made = known.play.made
        known = await games.press(ANN, DAY, made, token_of(known.progress))
        assert known.play.made > made
    marked = await games.press(ANN, DAY, known.play.made, views[0])
    assert marked.view
    assert replace(marked, view="") == known == await games.find(ANN, DAY)


async def test_par_and_accuracy_are_worked_out_once_and_stored(store: Any, clock: Clock) -> None:
    games = games_of(store, clock)
    known = await play(games, ANN)
    clock.busy = True
    assert await games.accounted(known, Asker(5, ANN)) == known
    clock.busy = False
    found = await games.accounted(known, Asker(5, ANN))
    assert found.day.par is not None
    assert found.play.lost is not None
    clock.busy = True
    again = await games.find(ANN, DAY)
    assert again == found
    assert await games.accounted(again, Asker(5, ANN)) == found


async def test_the_lists_of_a_day_are_in_order_and_leave_out_hidden_people(store: Any, clock: Clock) -> None:
    guild, daily = 5, store.daily
    await daily.make_day(DAY, b"secret", 1)
    for user, (turns, lost) in {ANN: (15, 0.5), BEN: (14, None), CLEO: (15, 0.25), 14: (16, 1.0)}.items():
        begun = await daily.begin(user, DAY, NOON)
        await daily.write(replace(begun, choices="t", made=1, ended_at=NOON, turns=turns), 0)
        if lost is not None:
            await daily.set_lost(user, DAY, lost)
        await store.note_member(guild, user, f"<{user}>")
        await daily.put_on_list(guild, DAY, user)
        await daily.put_on_list(guild, DAY, user)
        # At once, though names are written a moment later.
        assert user in [line.user_id for line in (await daily.list_of(DAY, guild, 0, 10, user)).lines]
    await daily.begin(15, DAY, NOON)
    await daily.put_on_list(guild, DAY, 15)
    await store.set_unlisted(guild, 14, "", True)
    here = await daily.list_of(DAY, guild, 0, 10, ANN)
    assert here.people == 3  # one still plays, one is hidden
    assert [(one.place, one.user_id, one.turns, one.lost) for one in here.lines] == [
        (1, BEN, 14, None),
        (2, CLEO, 15, 0.25),
        (2, ANN, 15, 0.5),
    ]
    first = await daily.list_of(DAY, guild, 0, 1, ANN)
    assert [(one.number, one.name) for one in first.lines] == [(1, f"<{BEN}>"), (3, f"<{ANN}>")]
    assert (await daily.list_of(DAY, guild + 1, 0, 10, ANN)).lines == ()
    # The list of all servers has only people who agreed to it.
    assert (await daily.list_of(DAY, None, 0, 10, ANN)).people == 0
    await daily.set_listed(CLEO, "Cleo")
    await daily.set_listed(ANN, "Ann")
    await daily.set_listed(ANN, "Anna")
    everybody = await daily.list_of(DAY, None, 0, 10, BEN)
    assert [one.name for one in everybody.lines] == ["Cleo", "Anna"]
    assert await daily.listed_name(ANN) == "Anna"
    await daily.set_listed(ANN, None)
    assert await daily.listed_name(ANN) is None
    assert (await daily.list_of(DAY, None, 0, 10, BEN)).people == 1
    assert await daily.days_of(ANN) == (DAY,)
    assert await daily.days_of(15) == ()
