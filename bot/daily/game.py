"""The daily game of each person: begins it, takes clicks, and stores what was chosen before it is shown.

It needs no lock and no deadline. The dice follow from the choices, and the store takes choices only if they
go on from those that it has; so a click that arrives twice, late, or from a second device changes nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar, cast

from bot.daily import accuracy, choices, record
from bot.daily.days import day_at, opens_at
from bot.daily.play import MAX_CHOICES, RULES, SCREEN, START, Progress, advance
from bot.daily.sealing import seed_of
from bot.games.tutto.state import Action
from bot.i18n.say import Moment
from bot.records.record import to_line
from bot.records.seeds import new_seed
from bot.screens.model import Act, ChangeView
from bot.sessions.request import Asker, Refused
from bot.store.bounded import Bounded
from bot.store.daily import DailyDay, DailyPlay, DailyStore

T = TypeVar("T")

MAX_KEPT = 512
"""How many games to keep in memory, in some kilobytes each; the others are played again from their choices,
in up to 15 ms."""

MAX_SHARES = 10_000
"""How many results that were posted to remember."""


class Work(Protocol):
    """Calls a function for somebody, in a worker process when it is their turn.

    Raises :class:`Refused` if that can't be done now.
    """

    def __call__(self, asker: Asker, function: Callable[..., T], *args: Hashable) -> Awaitable[T]: ...


@dataclass(frozen=True, slots=True)
class Try:
    """A person's game of a day: what is stored of the day and of the game, and where its choices have led.

    ``view`` is that of :class:`~bot.screens.model.ChangeView`.
    """

    day: DailyDay
    play: DailyPlay
    progress: Progress
    view: str = ""


class DailyGames:
    """The daily games of all people.

    All methods that take a day raise :class:`Refused` if nobody has played on it.
    """

    def __init__(
        self,
        store: DailyStore,
        now: Callable[[], float],
        certain: Callable[[], bool],
        work: Work,
        new_secret: Callable[[], bytes] = new_seed,
    ) -> None:
        """``now`` returns Unix seconds, ``certain`` whether they can be relied on; ``work`` calls functions
        that take seconds."""
        self._store = store
        self._now = now
        self._certain = certain
        self._work = work
        self.new_secret = new_secret
        self._shares: Bounded[tuple[int, int, int], None] = Bounded(MAX_SHARES)
        self._kept: Bounded[tuple[int, int], tuple[str, Progress]] = Bounded(MAX_KEPT)

    def today(self) -> int:
        return day_at(self._now())

    async def seal_today(self) -> DailyDay:
        """Return the present day; its secret is drawn when the first person asks for it."""
        return await self._store.make_day(self.today(), self.new_secret(), RULES.rules_version)

    async def day(self, number: int) -> DailyDay:
        day = await self._store.day(number)
        if day is None:
            raise Refused("error-daily-no-day")
        return day

    def is_open(self, number: int) -> bool:
        """Return whether the secret of a day may be shown. While the time is uncertain, none is opened."""
        return self._certain() and self._now() >= opens_at(number)

    def opens(self, number: int) -> float | None:
        """Return when the secret of a day that is not open yet is opened, in Unix seconds.

        None if that can't be said, because the day is over by a time that is uncertain.
        """
        return opens_at(number) if self.can_go_on(number) else None

    def can_go_on(self, number: int) -> bool:
        """Return whether a game of a day that was begun can still be played."""
        return self._now() < opens_at(number)

    async def find(self, user_id: int, number: int) -> Try | None:
        """Return a person's game of a day, or None if they have not begun it.

        Raises one of :data:`~bot.games.core.CORRUPT_DATA_ERRORS` if its choices are damaged.
        """
        play = await self._store.play(user_id, number)
        return None if play is None else self._replay(await self.day(number), play)

    async def begun(self, user_id: int, number: int) -> Try:
        """Return a person's game as :meth:`find` does. Raises :class:`Refused` if they have not begun."""
        attempt = await self.find(user_id, number)
        if attempt is None:
            raise Refused("error-daily-not-begun")
        return attempt

    async def begin(self, user_id: int, number: int) -> Try:
        """Begin a person's game of the present day; return the one that they have begun, if there is one."""
        attempt = await self.find(user_id, number)
        if attempt is not None:
            return attempt
        if number != self.today():
            raise Refused("error-daily-past")
        return self._replay(await self.seal_today(), await self._store.begin(user_id, number, self._now()))

    async def press(self, user_id: int, number: int, made: int, token: str) -> Try:
        """Press a button of a person's game that showed ``made`` choices, and return their present game.

        If they have chosen since, nothing is changed.
        """
        attempt = await self.begun(user_id, number)
        if attempt.progress.is_over or attempt.play.made != made:
            return attempt
        if not self.can_go_on(number):
            raise Refused("error-daily-opened" if self.is_open(number) else "error-daily-unsure")
        if attempt.play.made >= MAX_CHOICES:
            raise Refused("error-daily-long", n=MAX_CHOICES)
        pressed = SCREEN.press(attempt.progress.state, token)
        if isinstance(pressed, ChangeView):
            return replace(attempt, view=pressed.view)
        assert isinstance(pressed, Act)
        return await self._choose(attempt, pressed)

    async def accounted(self, attempt: Try, asker: Asker) -> Try:
        """Return a finished game with the par of its day and what its choices cost.

        Values that are missing are worked out and stored, or stay missing if that can't be done now.
        """
        day, play = attempt.day, attempt.play
        try:
            if day.par is None:
                par = await self._work(asker, accuracy.par, seed(day))
                day = replace(day, par=par)
                await self._store.set_par(day.day, par)
            if play.lost is None:
                lost = await self._work(asker, accuracy.lost, seed(day), play.choices)
                play = replace(play, lost=lost)
                await self._store.set_lost(play.user_id, play.day, lost)
        except Refused:
            pass
        return replace(attempt, day=day, play=play)

    async def has_record(self, user_id: int, number: int) -> bool:
        """Return whether :meth:`record` has a record of a person's game for them."""
        day = await self.day(number)
        known_rules = day.rules_version == RULES.rules_version
        return known_rules and self.is_open(number) and await self._store.play(user_id, number) is not None

    async def record(self, user_id: int, number: int, name: str) -> str:
        """Return the record of a person's game of a day as a line of text; they stand in it as ``name``.

        Raises :class:`Refused` until the secret of the day may be shown, as it stands in the record.
        """
        await self.day(number)
        if not self.is_open(number):
            opens = self.opens(number)
            if opens is None:
                raise Refused("error-daily-unsure")
            raise Refused("error-daily-sealed", opens=Moment(opens))
        attempt = await self.begun(user_id, number)
        return to_line(record.build(attempt.day, attempt.play, name))

    def take_share(self, user_id: int, number: int, channel_id: int) -> bool:
        """Return whether a person may post their result of a day in a channel: once, until a restart."""
        key = user_id, number, channel_id
        if key in self._shares:
            return False
        self._shares[key] = None
        return True

    def give_back_share(self, user_id: int, number: int, channel_id: int) -> None:
        """Forget a result that could not be posted."""
        self._shares.pop((user_id, number, channel_id), None)

    async def _choose(self, attempt: Try, pressed: Act) -> Try:
        day, play = attempt.day, attempt.play
        chosen = cast(Sequence[Action], (pressed.action, *pressed.then))
        after = advance(seed(day), attempt.progress, chosen)
        changed = replace(
            play,
            choices=" ".join(filter(None, (play.choices, choices.written(chosen)))),
            made=play.made + len(chosen),
            ended_at=self._now() if after.is_over else None,
            turns=after.turns if after.is_over else None,
        )
        if await self._store.write(changed, play.made):
            self._keep(changed, after)
            return Try(day, changed, after)
        return await self.begun(play.user_id, play.day)

    def _replay(self, day: DailyDay, play: DailyPlay) -> Try:
        """Return where the stored choices lead, from the position that is kept if they go on from it."""
        if day.rules_version != RULES.rules_version:
            raise Refused("error-daily-rules")
        text, before = self._kept.get((play.user_id, play.day), ("", START))
        if text and text != play.choices and not play.choices.startswith(f"{text} "):
            text, before = "", START
        progress = advance(seed(day), before, choices.read(play.choices.removeprefix(text).lstrip()))
        self._keep(play, progress)
        return Try(day, play, progress)

    def _keep(self, play: DailyPlay, found: Progress) -> None:
        self._kept[play.user_id, play.day] = play.choices, found


def seed(day: DailyDay) -> bytes:
    """Return the seed of a day's dice and cards."""
    return seed_of(day.secret, day.day, day.rules_version)
