"""Advice on a game: its odds while it is played, and what a coach says afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from bot.games.core import Move
from bot.games.seats import Seat
from bot.i18n.say import Icons, Name, Percent, Say, resolve, say
from bot.screens.model import Block, Button, Buttons, Divider, Picture, Screen, Text, seat_name
from bot.screens.table import joined, named, plain_name

ACCENT = 0x3BA55C
COURSE = "chances.png"
"""The file with the picture of how the chances went."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A costly decision. ``turn`` counts from 1; seats in its texts are :class:`SeatRef`."""

    seat: int
    turn: int
    position: tuple[Say, ...]
    played: Say
    best: Say
    played_win: float
    best_win: float

    @property
    def cost(self) -> float:
        """What it cost in chance to win, from 0 to 1."""
        return self.best_win - self.played_win


@dataclass(frozen=True, slots=True)
class Report:
    """What a coach says about a game.

    ``chances[n]`` are the chances to win by seat after ``n`` turns, ``accuracy`` is by seat from 0 to 100 and
    None for a seat that never had a choice. ``lessons`` come in the order of what they cost; ``basis`` says
    what all of it rests on.
    """

    chances: tuple[tuple[float, ...], ...]
    accuracy: tuple[float | None, ...]
    lessons: tuple[Lesson, ...]
    basis: Say


class Advice(Protocol):
    """What one game's odds are. It may take tens of milliseconds and is called in a thread."""

    def odds(self, state: Any) -> tuple[Block, ...]:
        """The odds of a position in which a seat is to move, without buttons."""
        ...


class Coach(Protocol):
    """What can be learnt from one game. It may take seconds and is called in a thread."""

    def review(self, options: Any, seats: int, log: Sequence[Move[Any, Any]]) -> Report:
        """Review a finished game from its moves.

        Raises :class:`~bot.games.core.GameError` for a log that can't have happened.
        """
        ...


def odds_screen(seats: Sequence[Seat], turn: int, blocks: Sequence[Block]) -> Screen:
    """The odds of the seat whose ``turn`` it is, for one person's eyes."""
    title = say("odds-title", icon=Icons(("odds",)), name=seat_name(seats, turn))
    return Screen((Text((title,)), *(named(block, seats) for block in blocks)), ACCENT)


def calculator_screen(blocks: Sequence[Block]) -> Screen:
    """The odds of any roll, for one person's eyes."""
    return Screen((Text((say("odds-calculator", icon=Icons(("odds",))),)), *blocks), ACCENT)


def review_screen(
    goal: Say,
    seats: Sequence[Seat],
    report: Report,
    *,
    share: str = "",
    by: str | None = None,
) -> Screen:
    """What the coach says. ``share`` is the token that shows it to all, "" if it can't or has been; ``by`` is
    the name of who does, and None for one person's eyes."""
    title = say("review-title", icon=Icons(("review",)), goal=goal)
    words = say("review-words", all=Percent(1, 0))
    head = (
        [title] if by is None else [title, say("review-by", name=Name(by) if by else say("unnamed-person"))]
    )
    blocks: list[Block] = [
        Text(tuple(head)),
        Picture(COURSE, alternative(seats, report)),
        Text((say("review-accuracy"), *(_accuracy(seats, report, seat) for seat in range(len(seats))))),
        Divider(),
        Text((say("review-costliest") if report.lessons else say("review-faultless"),)),
        *(Text(_told(seats, number, lesson)) for number, lesson in enumerate(report.lessons, start=1)),
        Divider(),
        Text((say("small-print", text=report.basis), say("small-print", text=words))),
    ]
    if by is None:
        label = say("review-share" if share else "review-shared")
        blocks.append(Buttons((Button(share or "-", label, disabled=not share),)))
    return Screen(tuple(blocks), ACCENT)


def alternative(seats: Sequence[Seat], report: Report) -> Say:
    """The picture in words: where the chances stood at the start, half-way and before the last turn."""
    turns = len(report.chances) - 1
    whole: Say | None = None
    moments = (0, turns // 2, max(turns - 1, 0))
    # The text has to stay short; the moments nearest to the end say most.
    most = 3 if len(seats) < 3 else 2 if len(seats) < 5 else 1
    for turn in dict.fromkeys(moments[-most:]):
        standing = [
            say("review-alt-seat", name=plain_name(seats, seat), chance=Percent(chance))
            for seat, chance in enumerate(report.chances[turn])
        ]
        key = "review-alt-turn" if turn else "review-alt-start"
        part = say(key, turn=turn, chances=joined(standing))
        whole = part if whole is None else say("review-alt-joined", head=whole, tail=part)
    assert whole is not None
    return say("review-alt", course=whole)


def _accuracy(seats: Sequence[Seat], report: Report, seat: int) -> Say:
    accuracy, name = report.accuracy[seat], seat_name(seats, seat)
    if accuracy is None:
        return say("review-accuracy-none", name=name)
    return say("review-accuracy-seat", name=name, accuracy=Percent(accuracy / 100))


def _told(seats: Sequence[Seat], number: int, lesson: Lesson) -> tuple[Say, ...]:
    def filled(line: Say) -> Say:
        return resolve(line, lambda seat: seat_name(seats, seat))

    return (
        say(
            "review-lesson",
            number=number,
            turn=lesson.turn,
            name=seat_name(seats, lesson.seat),
            # The difference of the two chances as they are shown below, so that the reader's sum comes out.
            cost=Percent(round(lesson.best_win, 3) - round(lesson.played_win, 3)),
        ),
        *map(filled, lesson.position),
        say(
            "review-choices",
            played=filled(lesson.played),
            win=Percent(lesson.played_win),
            best=filled(lesson.best),
            most=Percent(lesson.best_win),
        ),
    )
