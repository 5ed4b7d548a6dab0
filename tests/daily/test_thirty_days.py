"""A thousand people in three time zones play the daily game for thirty days.

Some of them play click by click, with a bot that is killed in between.
"""

from __future__ import annotations

import shutil
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Hashable
from pathlib import Path
from random import Random
from typing import TypeVar

import pytest

from bot.daily import choices
from bot.daily.days import DAY_SECONDS, WEST_SECONDS, streak
from bot.daily.game import Attempt, DailyGames, seed
from bot.daily.play import SCREEN, START, Progress, advance
from bot.daily.sealing import seal_of
from bot.games.tutto.state import Action
from bot.registry import find
from bot.screens.model import Act
from bot.sessions.request import Asker, Refused
from bot.store.daily import DailyDay, DailyPlay
from bot.store.sqlite.store import SqliteStore
from tests.daily.test_game import token_of

T = TypeVar("T")

PEOPLE, DAYS, FIRST = 1000, 30, 20_800
ZONES = (-8, 0, 9)
GUILD = 5
HOUR = 3600
CLICKING = 125
"""One person of so many plays click by click; all of them would take an hour."""


def game_of(day: DailyDay, style: int) -> tuple[str, int, int]:
    """Play a game in a style. Return its choices, their number, and its turns."""
    entry, rng = find("tutto"), Random(style)
    policy = entry.policies[list(entry.policies)[style % 2]]
    at, made = START, list[Action]()
    while not at.is_over:
        made.append(policy.choose(at.state, rng))
        at = advance(seed(day), at, made[-1:])
    return choices.written(made), len(made), at.turns


def clicked(day: DailyDay) -> Progress:
    """Return the game to which the clicks of a cautious person lead without a break."""
    at = START
    while not at.is_over:
        pressed = SCREEN.press(at.state, token_of(at))
        assert isinstance(pressed, Act)
        at = advance(seed(day), at, [pressed.action, *pressed.then])  # type: ignore[list-item]
    return at


class Bot:
    """The daily games of a process that is killed now and then."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.now = 0.0
        self.kills = 0
        self.store: SqliteStore
        self.daily: DailyGames

    async def start(self) -> None:
        def work(asker: Asker, function: Callable[..., T], *args: Hashable) -> Awaitable[T]:
            raise Refused("error-busy")

        self.store = await SqliteStore.open(self.folder / f"{self.kills}.db")
        self.daily = DailyGames(self.store.daily, lambda: self.now, lambda: True, work)

    async def kill(self) -> None:
        """Lose what is in memory, and go on with what is in the files."""
        for ending in ("db", "db-wal"):
            shutil.copy(self.folder / f"{self.kills}.{ending}", self.folder / f"{self.kills + 1}.{ending}")
        await self.store.close()
        self.folder.joinpath(f"{self.kills}.db").unlink()
        self.kills += 1
        await self.start()

    async def play(self, person: int, day: int, rng: Random) -> Attempt:
        """Play a game to its end by clicks, some of which arrive again after a kill."""
        # Names are written a moment later, and nothing may write while the files are copied.
        await self.store.write_postponed()
        known = await self.daily.begun(person, day)
        while not known.progress.is_over:
            before = known
            known = await self.daily.press(person, day, before.play.made, token_of(before.progress))
            assert known.play.made > before.play.made
            if rng.random() < 0.03:
                await self.kill()
                # The person has seen no answer, and clicks again.
                again = await self.daily.press(person, day, before.play.made, token_of(before.progress))
                assert again == known
        return known


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_streaks_lists_and_secrets_over_thirty_days(tmp_path: Path) -> None:
    bot = Bot(tmp_path)
    await bot.start()
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
    clicks = Counter[int]()
    late = 0
    for at, person, evening, what in sorted(events):
        bot.now = at
        today = int(at // DAY_SECONDS)
        if what == "begin":
            known = await bot.daily.begin(person, today)
            # Nobody sees the secret of a day on which somebody somewhere can still begin or play.
            assert not bot.daily.is_open(today)
            assert known.day.day == today
            await bot.store.note_member(GUILD, person, f"P{person}")
            await bot.store.daily.put_on_list(GUILD, today, person)
            begun[person, evening] = today
            continue
        day = begun[person, evening]
        over = at >= (day + 1) * DAY_SECONDS + WEST_SECONDS
        assert bot.daily.is_open(day) == over == (not bot.daily.can_go_on(day))
        play = await bot.store.daily.play(person, day)
        assert play is not None
        if over:
            late += day not in finished[person]
            if play.turns is None:
                with pytest.raises(Refused):
                    await bot.daily.press(person, day, play.made, "t")
            continue
        if person % CLICKING == 0:
            if day not in finished[person]:
                known = await bot.play(person, day, rng)
                assert known.progress == clicked(known.day)
                finished[person][day] = known.progress.turns
                clicks[person] += known.play.made
            continue
        style = person % 4
        if (day, style) not in games:
            games[day, style] = game_of(await bot.daily.day(day), style)
        text, made, turns = games[day, style]
        changed = DailyPlay(person, day, text, made, play.begun_at, at, turns)
        written = await bot.store.daily.write(changed, 0)
        assert written == (day not in finished[person])  # two evenings may be one day in UTC
        finished[person].setdefault(day, turns)
        if person % 50 == 0:  # the others would take minutes
            assert (await bot.daily.begun(person, day)).progress.turns == turns
    assert late > PEOPLE
    assert len(clicks) == PEOPLE // CLICKING
    assert bot.kills > 50
    await bot.store.write_postponed()
    end = int(bot.now // DAY_SECONDS)
    for person, own in finished.items():
        days = await bot.store.daily.days_of(person)
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
        stored = await bot.store.daily.day(day)
        if stored is None:
            continue
        seals.add(seal_of(stored.secret, day))
        on_list = {person: own[day] for person, own in finished.items() if day in own}
        whole = await bot.store.daily.list_of(day, GUILD, 0, 2 * PEOPLE, 1)
        assert {line.user_id: line.turns for line in whole.lines} == on_list
        assert whole.people == len(on_list)
        best = sorted(on_list.values())
        assert all(line.place == 1 + best.index(line.turns) for line in whole.lines)
    assert DAYS <= len(seals) <= DAYS + 2
    await bot.store.close()
