"""Screens with advice on a game: the odds during the game, and the coach's review afterwards."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from bot.games.core import Move
from bot.games.seats import Seat
from bot.i18n.say import Icons, Percent, Say, SeatRef, joined, nested, resolve, say
from bot.screens.highlights import BestDecision
from bot.screens.model import Block, Button, Buttons, Divider, Picture, Screen, Text, person_name, seat_name
from bot.screens.seat_names import named, plain_name
from bot.screens.skill import rating_facts, signed, within
from bot.strategy.account import Decision
from bot.strategy.review import MIN_COST, Review
from bot.strategy.skill import Skill, skill_of

ACCENT = 0x3BA55C
CLEARLY = 0.02
"""By how much less winning chance somebody must have given away to have made clearly better choices."""

CHANCES_CHART = "chances.png"
"""The name of the file with the chart of the winning chances."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A costly decision. ``turn`` counts from 1; its texts name seats by :class:`SeatRef`."""

    seat: int
    turn: int
    position: tuple[Say, ...]
    played: Say
    best: Say
    why: Say
    played_win: float
    best_win: float

    @property
    def cost(self) -> float:
        """The winning chance that the decision cost, from 0 to 1."""
        return self.best_win - self.played_win


@dataclass(frozen=True, slots=True)
class Report:
    """The coach's review of a game.

    ``chances[n]`` are the winning chances by seat after ``n`` turns. ``accuracy`` is by seat, from 0 to 100,
    or None for a seat that never had a choice. ``lessons`` begin with the costliest one. ``basis`` says how
    the chances were calculated. ``skills`` are by seat, ``rule`` is one to remember, if the game has one.
    ``best_decisions`` has at most one of each seat.
    """

    chances: tuple[tuple[float, ...], ...]
    accuracy: tuple[float | None, ...]
    lessons: tuple[Lesson, ...]
    basis: Say
    skills: tuple[Skill, ...]
    rule: Say | None = None
    best_decisions: tuple[BestDecision, ...] = ()


@dataclass(frozen=True, slots=True)
class Wording:
    """How a game speaks of decisions.

    ``position`` returns lines that describe a position, without the scores. ``action`` names an action as the
    table does. ``why`` says in a sentence why the best choice is better.
    """

    position: Callable[[Decision[Any, Any]], tuple[Say, ...]]
    action: Callable[[Any, Any], Say]
    why: Callable[[Decision[Any, Any]], Say]


def report(review: Review[Any, Any], wording: Wording, rule: Say | None = None) -> Report:
    """Put a review in words. Seats that have left are not among the scores of a lesson."""
    return Report(
        review.account.chances,
        review.accuracy,
        tuple(_lesson(decision, wording) for decision in review.costliest),
        say(review.account.basis.value),
        tuple(skill_of(review.account, seat) for seat in range(len(review.accuracy))),
        rule,
        tuple(_praise(decision, wording) for decision in review.best),
    )


def _lesson(decision: Decision[Any, Any], wording: Wording) -> Lesson:
    state = decision.position
    scores = [
        say("fact-score", name=SeatRef(seat), points=score)
        for seat, score in enumerate(state.scores)
        if seat not in state.left
    ]
    return Lesson(
        decision.seat,
        decision.turn + 1,
        (*wording.position(decision), say("small-print", text=nested(scores, "facts-joined"))),
        wording.action(state, decision.played),
        wording.action(state, decision.best),
        wording.why(decision),
        decision.played_win,
        decision.best_win,
    )


def _praise(decision: Decision[Any, Any], wording: Wording) -> BestDecision:
    state = decision.position
    return BestDecision(
        decision.seat,
        decision.turn + 1,
        wording.action(state, decision.played),
        wording.action(state, decision.usual),
        decision.gain,
    )


class Advice(Protocol):
    """Calculates the odds of a game outside the event loop. This may take tens of milliseconds."""

    def odds(self, state: Any) -> tuple[Block, ...]:
        """Return the odds of a position in which a seat is to move, without buttons."""
        ...


class Coach(Protocol):
    """Reviews a game outside the event loop. This may take seconds."""

    @property
    def seats(self) -> Container[int]:
        """The numbers of seats whose games it can review."""
        ...

    def review(
        self, options: Any, seats: int, opening: Sequence[Any], moves: Sequence[Move[Any, Any]]
    ) -> Report:
        """Review a finished game from its log. ``opening`` holds the outcomes before the first move.

        Raises :class:`~bot.games.core.GameError` for an impossible log, and
        :class:`~bot.strategy.account.NoAccount` if the winning chances are not known.
        """
        ...


def odds_screen(seats: Sequence[Seat], turn: int, blocks: Sequence[Block]) -> Screen:
    """Show one person the odds of the seat whose ``turn`` it is."""
    title = say("odds-title", icon=Icons(("odds",)), name=seat_name(seats, turn))
    return Screen.of(Text.of(title), *(named(block, seats) for block in blocks), accent=ACCENT)


def calculator_screen(blocks: Sequence[Block]) -> Screen:
    """Show one person the odds of a roll that they have typed."""
    return Screen.of(Text.of(say("odds-calculator", icon=Icons(("odds",)))), *blocks, accent=ACCENT)


def review_screen(
    goal: Say, seats: Sequence[Seat], report: Report, *, share: str = "", by: str | None = None
) -> Screen:
    """Show a review: to one person if ``by`` is None, or else to the channel, where ``by`` has shared it.

    ``share`` is the token of the Share button, or "" if the review can't be shared (again).
    """
    title = say("review-title", icon=Icons(("review",)), goal=goal)
    words, lucky = say("review-words", all=Percent(1, 0)), say("review-skill-words")
    sharer = None if by is None else say("review-by", name=person_name(by))
    button = Button(share or "-", say("review-share" if share else "review-shared"), disabled=not share)
    return Screen.of(
        Text.of(title, sharer),
        Picture(CHANCES_CHART, alternative(seats, report)),
        Text.of(
            say("review-accuracy"),
            *(line for seat in range(len(seats)) for line in _seat_lines(seats, report, seat)),
            *_verdict(seats, report),
        ),
        Divider(),
        Text.of(
            say("review-costliest") if report.lessons else say("review-faultless", least=Percent(MIN_COST))
        ),
        *(
            block
            for number, lesson in enumerate(report.lessons, start=1)
            for block in (Text(_lesson_lines(seats, number, lesson)), Divider())
        ),
        None if report.lessons else Divider(),
        Text.of(report.rule) if report.rule is not None else None,
        Text.of(*(say("small-print", text=text) for text in (report.basis, words, lucky))),
        Buttons.of(button) if by is None else None,
        accent=ACCENT,
    )


def alternative(seats: Sequence[Seat], report: Report) -> Say:
    """Describe the chart in words: the chances at the start, half-way and before the last turn."""
    turns = len(report.chances) - 1
    parts: list[Say] = []
    moments = (0, turns // 2, max(turns - 1, 0))
    # The text must stay short, and the last moments say the most.
    most = 3 if len(seats) < 3 else 2 if len(seats) < 5 else 1
    for turn in dict.fromkeys(moments[-most:]):
        standing = [
            say("review-alt-seat", name=plain_name(seats, seat), chance=Percent(chance))
            for seat, chance in enumerate(report.chances[turn])
        ]
        key = "review-alt-turn" if turn else "review-alt-start"
        parts.append(say(key, turn=turn, chances=joined(standing)))
    return say("review-alt", course=nested(parts, "review-alt-joined"))


def _seat_lines(seats: Sequence[Seat], report: Report, seat: int) -> tuple[Say, ...]:
    """Say how well and how luckily a seat played."""
    accuracy, name, skill = report.accuracy[seat], seat_name(seats, seat), report.skills[seat]
    if accuracy is None:
        return (say("review-accuracy-none", name=name),)
    line = say("review-accuracy-seat", name=name, accuracy=Percent(accuracy / 100))
    rated = rating_facts(skill)
    if rated is None:
        return (line,)
    luck, adjusted = signed(skill.luck), within(skill.adjusted)
    return line, say("review-skill", luck=luck, adjusted=adjusted, **rated)


def _verdict(seats: Sequence[Seat], report: Report) -> tuple[Say, ...]:
    """Say that the loser of two made clearly better choices, if all figures that are shown say so."""
    if len(seats) != 2 or 1.0 not in report.chances[-1]:
        return ()
    winner = report.chances[-1].index(1.0)
    loser = 1 - winner
    won, lost = report.skills[winner], report.skills[loser]
    is_better = (
        won.errors - lost.errors >= CLEARLY
        and (lost.rating or 0.0) < (won.rating or 0.0)
        and (report.accuracy[loser] or 0.0) > (report.accuracy[winner] or 0.0)
    )
    return (say("review-better-loser", name=seat_name(seats, loser)),) if is_better else ()


def _lesson_lines(seats: Sequence[Seat], number: int, lesson: Lesson) -> tuple[Say, ...]:
    def filled(line: Say) -> Say:
        return resolve(line, lambda seat: seat_name(seats, seat))

    return (
        say(
            "review-lesson",
            number=number,
            turn=lesson.turn,
            name=seat_name(seats, lesson.seat),
            # The difference of the two rounded chances below, so that it matches what the reader sees.
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
        say("review-why", why=filled(lesson.why)),
    )
