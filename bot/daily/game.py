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
from bot.records.seeds import new_secret
from bot.screens.model import Act, ChangeView
from bot.sessions.clock import MAX_DRIFT_SECONDS
from bot.sessions.request import Asker, Refused
from bot.store.bounded import Bounded
from bot.store.daily import DailyDay, DailyPlay, DailyStore

T = TypeVar("T")

MAX_GAMES = 512
"""How many games to keep in memory, at some kilobytes each. Others are replayed from their choices, in up to
15 ms."""


class Work(Protocol):
    """Calls a function in a worker process, when it is the ``asker``'s turn.

    Raises :class:`Refused` if that can't be done now.
    """

    def __call__(self, asker: Asker, function: Callable[..., T], *args: Hashable) -> Awaitable[T]: ...


CLOCKS_SECONDS = 2 * MAX_DRIFT_SECONDS
"""By how much two clocks may differ that both agree with Discord's."""


@dataclass(frozen=True, slots=True)
class Attempt:
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
        new_secret: Callable[[], bytes] = new_secret,
    ) -> None:
        """``now`` returns the time in Unix seconds, ``certain`` whether it can be relied on. ``work`` is for
        functions that take seconds."""
        self._store = store
        self._now = now
        self._certain = certain
        self._work = work
        self.new_secret = new_secret
        self._played: Bounded[tuple[int, int], tuple[str, Progress]] = Bounded(MAX_GAMES)
        """By person and day: the text of the choices, and where they led."""

    def today(self) -> int:
        return day_at(self._now())

    async def seal_today(self) -> DailyDay:
        """Return the present day. The first call of the day draws its secret."""
        return await self._seal(self.today())

    async def _seal(self, day_number: int) -> DailyDay:
        return await self._store.make_day(day_number, self.new_secret(), RULES.rules_version)

    async def day(self, day_number: int) -> DailyDay:
        day = await self._store.day(day_number)
        if day is None:
            raise Refused("error-daily-no-day")
        return day

    def is_open(self, day_number: int) -> bool:
        """Return whether the secret of a day may be shown. While the time is uncertain, none is opened."""
        return self._certain() and self._now() >= opens_at(day_number)

    def opens(self, day_number: int) -> float | None:
        """Return when the secret of a day that is not open yet will be opened, in Unix seconds.

        None if the time for that has come already, but by a clock that is uncertain.
        """
        end = opens_at(day_number)
        return end if self._now() < end else None

    def can_go_on(self, day_number: int) -> bool:
        """Return whether a game of a day that was begun can still be played.

        That ends a little before the secret may be shown, by which the clocks of several processes, or one
        clock before and after it was set, may differ.
        """
        return self._now() < opens_at(day_number) - CLOCKS_SECONDS

    async def find(self, user_id: int, day_number: int) -> Attempt | None:
        """Return a person's game of a day, or None if they have not begun it.

        Raises one of :data:`~bot.games.core.CORRUPT_DATA_ERRORS` if its choices are damaged.
        """
        play = await self._store.play(user_id, day_number)
        return None if play is None else self._replay(await self.day(day_number), play)

    async def begun(self, user_id: int, day_number: int) -> Attempt:
        """Return a person's game as :meth:`find` does. Raises :class:`Refused` if they have not begun."""
        attempt = await self.find(user_id, day_number)
        if attempt is None:
            raise Refused("error-daily-not-begun")
        return attempt

    async def begin(self, user_id: int, day_number: int) -> Attempt:
        """Return a person's game of a day; begin it if they have none and it is the present day."""
        attempt = await self.find(user_id, day_number)
        if attempt is not None:
            return attempt
        if day_number != self.today():
            raise Refused("error-daily-past")
        return self._replay(
            await self._seal(day_number), await self._store.begin(user_id, day_number, self._now())
        )

    async def press(self, user_id: int, day_number: int, made: int, token: str) -> Attempt:
        """Press a button of a person's game that showed ``made`` choices, and return their present game.

        If they have chosen since, nothing is changed.
        """
        attempt = await self.begun(user_id, day_number)
        if attempt.progress.is_over or attempt.play.made != made:
            return attempt
        if not self.can_go_on(day_number):
            raise Refused("error-daily-opened" if self.is_open(day_number) else "error-daily-unsure")
        if attempt.play.made >= MAX_CHOICES:
            raise Refused("error-daily-long", n=MAX_CHOICES)
        pressed = SCREEN.press(attempt.progress.state, token)
        if isinstance(pressed, ChangeView):
            return replace(attempt, view=pressed.view)
        assert isinstance(pressed, Act)
        return await self._choose(attempt, pressed)

    async def accounted(self, attempt: Attempt, asker: Asker) -> Attempt:
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

    async def has_record(self, user_id: int, day_number: int) -> bool:
        """Return whether :meth:`record` returns a record of a person's game now."""
        day = await self.day(day_number)
        known_rules = day.rules_version == RULES.rules_version
        return (
            known_rules
            and self.is_open(day_number)
            and await self._store.play(user_id, day_number) is not None
        )

    async def record(self, user_id: int, day_number: int, name: str) -> str:
        """Return the record of a person's game of a day as a line of text, with ``name`` as their name.

        Raises :class:`Refused` until the day's secret may be shown, because the record shows it.
        """
        await self.day(day_number)
        if not self.is_open(day_number):
            opens = self.opens(day_number)
            if opens is None:
                raise Refused("error-daily-unsure")
            raise Refused("error-daily-sealed", opens=Moment(opens))
        attempt = await self.begun(user_id, day_number)
        return to_line(record.build(attempt.day, attempt.play, name))

    async def _choose(self, attempt: Attempt, pressed: Act) -> Attempt:
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
            return Attempt(day, changed, after)
        return await self.begun(play.user_id, play.day)

    def _replay(self, day: DailyDay, play: DailyPlay) -> Attempt:
        """Return where the stored choices lead, if possible by going on from the game kept in memory."""
        if day.rules_version != RULES.rules_version:
            raise Refused("error-daily-rules")
        text, before = self._played.get((play.user_id, play.day), ("", START))
        if text and text != play.choices and not play.choices.startswith(f"{text} "):
            text, before = "", START
        progress = advance(seed(day), before, choices.read(play.choices.removeprefix(text).lstrip()))
        self._keep(play, progress)
        return Attempt(day, play, progress)

    def _keep(self, play: DailyPlay, progress: Progress) -> None:
        self._played[play.user_id, play.day] = play.choices, progress


def seed(day: DailyDay) -> bytes:
    """Return the seed of a day's dice and cards."""
    return seed_of(day.secret, day.day, day.rules_version)
