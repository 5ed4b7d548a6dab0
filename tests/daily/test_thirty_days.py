"""A thousand people in three time zones play the daily game for thirty days."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Hashable
from pathlib import Path
from random import Random
from typing import TypeVar

import pytest

from bot.daily import choices
from bot.daily.days import DAY_SECONDS, WEST_SECONDS, streak
from bot.daily.game import DailyGames, seed
from bot.daily.play import START, going_on
from bot.daily.sealing import seal_of
from bot.games.tutto.state import Action
from bot.registry import find
from bot.sessions.request import Asker, Refused
from bot.store.daily import DailyDay, DailyPlay
from bot.store.sqlite.store import SqliteStore

T = TypeVar("T")

PEOPLE, DAYS, FIRST = 1000, 30, 20_800
ZONES = (-8, 0, 9)
GUILD = 5
HOUR = 3600


def game_of(day: DailyDay, style: int) -> tuple[str, int, int]:
    """The choices of a game that somebody plays in this style, their number, and the turns."""
    entry, rng = find("tutto"), Random(style)
    policy = entry.policies[list(entry.policies)[style % 2]]
    at, made = START, list[Action]()
    while not at.is_over:
        made.append(policy.choose(at.state, rng))
        at = going_on(seed(day), at, made[-1:])
    return choices.written(made), len(made), at.turns


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_streaks_lists_and_secrets_over_thirty_days(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "games.db")
    now = 0.0

    def work(asker: Asker, function: Callable[..., T], *args: Hashable) -> Awaitable[T]:
        raise Refused("error-busy")

    daily = DailyGames(store.daily, lambda: now, lambda: True, work)
    rng = Random(1)
    events: list[tuple[float, int, int, str]] = []
    for person, day in ((person, day) for person in range(1, PEOPLE + 1) for day in range(DAYS)):
        if rng.random() < 0.2:
            continue
        # In the evening of their own day, which may be another one in UTC.
        local = (FIRST + day) * DAY_SECONDS + rng.uniform(17, 24) * HOUR
        at = local - ZONES[person % 3] * HOUR
        later = at + rng.choice((60, 60, 60, 9 * HOUR, 30 * HOUR))
        events += [(at, person, day, "begin"), (later, person, day, "finish")]
    finished: defaultdict[int, dict[int, int]] = defaultdict(dict)
    begun: dict[tuple[int, int], int] = {}
    games: dict[tuple[int, int], tuple[str, int, int]] = {}
    late = 0
    for at, person, evening, what in sorted(events):
        now = at
        today = int(at // DAY_SECONDS)
        if what == "begin":
            known = await daily.begin(person, today)
            # Nobody sees the secret of a day on which somebody somewhere can still begin or play.
            assert not daily.is_open(today)
            assert known.day.day == today
            await store.note_member(GUILD, person, f"P{person}")
            await store.daily.show_in(GUILD, today, person)
            begun[person, evening] = today
            continue
        day = begun[person, evening]
        over = at >= (day + 1) * DAY_SECONDS + WEST_SECONDS
        assert daily.is_open(day) == over == (not daily.can_go_on(day))
        play = await store.daily.play(person, day)
        assert play is not None
        if over:
            late += day not in finished[person]
            if play.turns is None:
                with pytest.raises(Refused):
                    await daily.press(person, day, play.made, "t")
            continue
        style = person % 4
        if (day, style) not in games:
            games[day, style] = game_of(await daily.day(day), style)
        text, made, turns = games[day, style]
        changed = DailyPlay(person, day, text, made, play.begun_at, at, turns)
        written = await store.daily.write(changed, 0)
        assert written == (day not in finished[person])  # two evenings may be one day in UTC
        finished[person].setdefault(day, turns)
        if person % 50 == 0:  # the others would take minutes
            assert (await daily.begun(person, day)).course.turns == turns
    assert late > PEOPLE
    await store.set_meta("written", "")
    end = int(now // DAY_SECONDS)
    for person, own in finished.items():
        days = await store.daily.days_of(person)
        assert list(days) == sorted(own, reverse=True)
        for today in (end, max(own), max(own) + 1, max(own) + 2):
            last = today if today in own else today - 1
            expected = 0
            while last - expected in own:
                expected += 1
            if today >= max(own):
                assert streak(days, today) == expected
    seals = set()
    for day in range(FIRST, end + 1):
        stored = await store.daily.day(day)
        if stored is None:
            continue
        seals.add(seal_of(stored.secret, day))
        on_list = {person: own[day] for person, own in finished.items() if day in own}
        whole = await store.daily.list_of(day, GUILD, 0, 2 * PEOPLE, 1)
        assert {line.user_id: line.turns for line in whole.lines} == on_list
        assert whole.people == len(on_list)
        best = sorted(on_list.values())
        assert all(line.place == 1 + best.index(line.turns) for line in whole.lines)
    assert DAYS <= len(seals) <= DAYS + 2
    await store.close()
