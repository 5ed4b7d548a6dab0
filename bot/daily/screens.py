"""The screens of the daily game. All are private, except the one that shares a result."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.daily.accuracy import accuracy, luck
from bot.daily.days import ends_at, opens_at
from bot.daily.game import Attempt
from bot.daily.play import OPTIONS, RULES, SCREEN, Progress
from bot.daily.sealing import seal_of
from bot.games.seats import Seat
from bot.i18n.say import Argument, Day, Decimal, GameIcon, Icons, Moment, Percent, Say, joined, say
from bot.screens.button_ids import Page
from bot.screens.leaderboard import turning_buttons
from bot.screens.model import (
    DANGER,
    PRIMARY,
    SUCCESS,
    Block,
    Button,
    Buttons,
    Divider,
    Screen,
    Text,
    person_name,
)
from bot.screens.result import END_ACCENT
from bot.screens.seat_names import named
from bot.screens.turn_lines import split_turns
from bot.store.daily import DailyDay, DailyLine, DailyList

FRONT, OPEN, BEGIN, GO_ON, PRESS = "f", "o", "b", "g", "p"
LIST, AGREE, WITHDRAW, SHARE, FAIR, RECORD = "l", "la", "lw", "s", "d", "r"
"""The first part of the token of a button on these pages; the day follows, except after FRONT and OPEN."""

HERE, ALL = "h", "a"
"""Which list a token shows, after the day: that of the server, or that of all people who agree."""

PAGE = 10
"""How many lines a page of a list has."""

MAX_SQUARES = 50
"""How many turns of a game are shown as squares."""

GREAT, GOOD = 1000, 400
"""From how many points on a turn has the brightest square, or the second brightest."""

_token = Page.DAILY.token
_ALONE = (Seat("human"),)


@dataclass(frozen=True, slots=True)
class Place:
    """A person's place on a list, and how many people are on it."""

    place: int
    people: int


@dataclass(frozen=True, slots=True)
class Achievements:
    """What a result shows besides the game: the days in a row, and the places on the two lists, if any."""

    streak: int
    here: Place | None = None
    everybody: Place | None = None


def front(day: DailyDay, streak: int, unfinished: int | None = None) -> Screen:
    """Show what the daily game is, and the seal of its dice, before a person begins.

    ``unfinished`` is an earlier day whose game they can still finish.
    """
    lines = Text.of(
        say("daily-streak", n=streak) if streak else None,
        say("lobby-seal", seal=seal_of(day.secret, day.day)),
        say("daily-until", ends=Moment(ends_at(day.day)), opens=Moment(opens_at(day.day))),
    )
    first = Button(_token(BEGIN, day.day), say("daily-begin"), PRIMARY)
    older = None
    if unfinished is not None:
        older = Button(_token(GO_ON, unfinished), say("daily-finish", day=Day(unfinished)))
    before = Button(_token(LIST, day.day - 1, HERE, 0), say("daily-before"))
    # This text ends in a list; in the same text, the next line would become part of the last point.
    what = Text.of(say("daily-what", target=OPTIONS.target))
    return Screen.of(_title(day.day), what, lines, Buttons.of(first, older, before))


def table(attempt: Attempt) -> Screen:
    """Show the game that a person plays."""
    state, day, made = attempt.progress.state, attempt.day.day, attempt.play.made
    points, target = state.scores[0], state.options.target
    finished, _ = split_turns(attempt.progress.lines, 0, SCREEN)
    lines = [
        say("turn-line", text=joined([say("daily-turn", turn=number), *SCREEN.outcome(line)], "turn-joined"))
        for number, line in zip(range(attempt.progress.turns, 0, -1), reversed(finished), strict=False)
    ]
    rows = [row for row in SCREEN.controls(state, attempt.view) if row.buttons]
    blocks: list[Block] = [
        Text.of(
            say("daily-table-title", icon=_ICON, day=Day(day)),
            say("daily-standing", points=points, target=target, turn=attempt.progress.turns + 1),
        ),
        Divider(),
        *((Text.of(*reversed(lines), spare=True),) if lines else ()),
        *(named(block, _ALONE) for block in SCREEN.body(state, attempt.view)),
        *(Buttons(tuple(_pressed(button, day, made) for button in row.buttons)) for row in rows),
        Text.of(say("daily-resume", opens=Moment(opens_at(day)))),
    ]
    return Screen.of(*blocks, accent=SCREEN.accent(state))


def result(attempt: Attempt, achieved: Achievements, *, shared: bool = False) -> Screen:
    """Show a person what their game came to. ``shared`` is whether they have just shared it."""
    day = attempt.day.day
    lines = [_reached(attempt.progress)]
    if attempt.day.par is not None and attempt.play.lost is not None:
        lines += _account(attempt.day.par, attempt.progress, attempt.play.lost)
    else:
        lines.append(say("daily-later"))
    places = [
        say(key, place=at.place, people=at.people)
        for key, at in (("daily-place", achieved.here), ("daily-place-all", achieved.everybody))
        if at is not None
    ]
    if places:
        lines.append(say("daily-places", places=joined(places, "facts-joined")))
    if achieved.streak:
        lines.append(say("daily-streak", n=achieved.streak))
    text = share_text(attempt)
    share = Button(_token(SHARE, day), say("daily-share-here"), PRIMARY, disabled=shared)
    return Screen.of(
        _title(day),
        Text.of(*lines),
        Divider() if text is not None else None,
        Text.of(say("daily-share-block", text=text), _LEGEND) if text is not None else None,
        Buttons.of(
            share if text is not None else None,
            Button(_token(LIST, day, HERE, 0), say("daily-list-here")),
            Button(_token(LIST, day, ALL, 0), say("daily-list-all")),
            _fair(day),
        ),
        Text.of(say("daily-next", ends=Moment(ends_at(day)))),
        accent=END_ACCENT,
    )


def shared(attempt: Attempt, name: str) -> Screen:
    """Show a person's result to a channel, without giving away anything about the dice."""
    text = share_text(attempt)
    assert text is not None
    who = person_name(name)
    play = Button(_token(OPEN), say("daily-play"), SUCCESS)
    return Screen.of(Text.of(say("daily-shared", icon=_ICON, name=who), text), Buttons.of(play))


def share_text(attempt: Attempt) -> Say | None:
    """Return a person's result as a text to copy, or None until par and accuracy are known.

    The squares are sorted by points: in the order of the turns they would give away which turns go badly.
    """
    if attempt.day.par is None or attempt.play.lost is None:
        return None
    return say(
        "daily-share",
        day=Day(attempt.day.day),
        turns=say("daily-turns", n=attempt.progress.turns),
        par=attempt.day.par,
        accuracy=Percent(accuracy(attempt.play.lost)),
        squares=joined(squares(attempt.progress), "daily-squares-joined"),
    )


def squares(progress: Progress) -> list[Argument]:
    """Return a square for each turn, those with most points first."""
    points = sorted(progress.points, reverse=True)
    if progress.by_cloverleaf:
        # The turn that made it scored no points, and has a square of its own.
        points.remove(0)
    names = ["turn-clover"] * progress.by_cloverleaf
    names += [
        "turn-great" if n >= GREAT else "turn-good" if n >= GOOD else "turn-small" if n else "turn-lost"
        for n in points
    ]
    shown: list[Argument] = [Icons((name,)) for name in names[:MAX_SQUARES]]
    return [*shown, "…"] if len(names) > MAX_SQUARES else shown


def board(
    day: DailyDay,
    where: str,
    day_list: DailyList,
    page: int,
    me: int,
    *,
    today: int,
    listed: bool = False,
) -> Screen:
    """Show a page, counted from 0, of the list of a day. ``where`` is :data:`HERE` or :data:`ALL`.

    ``me`` is the reader's id, ``listed`` whether they agree to stand on the list of all.
    """
    of_all = where == ALL
    pages = max(1, -(-day_list.people // PAGE))
    turning = turning_buttons(
        _token(LIST, day.day, where, max(page - 1, 0), "p"),
        _token(LIST, day.day, where, page + 1, "n"),
        page,
        pages,
    )
    return Screen.of(
        _title(day.day),
        Text.of(
            say("daily-list-of-all" if of_all else "daily-list-of-server"),
            say("daily-list-par", turns=say("daily-turns", n=day.par)) if day.par is not None else None,
        ),
        Divider(),
        Text.of(*[_line(entry, me) for entry in day_list.lines] or [say("daily-list-empty")]),
        Text.of(
            say("board-page", page=page + 1, pages=pages) if pages > 1 else None,
            say("daily-list-note-all" if of_all else "daily-list-note-server"),
            say("daily-agree-what") if of_all and not listed else None,
        ),
        Buttons(turning) if turning else None,
        Buttons.of(
            Button(_token(LIST, day.day - 1, where, 0), say("daily-before")),
            Button(_token(LIST, day.day + 1, where, 0), say("daily-after"), disabled=day.day >= today),
            _fair(day.day),
        ),
        Buttons.of(
            Button(_token(FRONT), say("daily-front")),
            Button(
                _token(LIST, day.day, HERE if of_all else ALL, 0, "w"),
                say("daily-list-here" if of_all else "daily-list-all"),
            ),
            _consent(day.day, listed) if of_all else None,
        ),
        accent=END_ACCENT,
    )


def _consent(day: int, listed: bool) -> Button:
    """Return the button to agree to stand on the list of all, or to withdraw from it."""
    if listed:
        return Button(_token(WITHDRAW, day), say("daily-withdraw"), DANGER)
    return Button(_token(AGREE, day), say("daily-agree"), SUCCESS)


def fair(day: DailyDay, *, opened: bool, opens: float | None, recorded: bool) -> Screen:
    """Show what the dice of a day come from: the secret if it is ``opened``, or else when it ``opens``.

    With ``recorded`` there is a button for the record of the person's game.
    """
    if opened:
        secret = say("fair-secret", secret=day.secret.hex())
    elif opens is not None:
        secret = say("daily-secret-later", opens=Moment(opens))
    else:
        secret = say("daily-secret-unsure")
    return Screen.of(
        _title(day.day),
        Text.of(say("fair-seal", seal=seal_of(day.secret, day.day)), secret),
        Divider(),
        Text.of(say("daily-fair")),
        Buttons.of(
            Button(_token(RECORD, day.day), say("end-record")) if recorded else None,
            Button(_token(FRONT), say("daily-front")),
        ),
    )


_ICON = GameIcon(RULES.key)
_LEGEND = say(
    "daily-squares",
    great=Icons(("turn-great",)),
    good=Icons(("turn-good",)),
    small=Icons(("turn-small",)),
    lost=Icons(("turn-lost",)),
    most=GREAT,
    some=GOOD,
)


def _title(day: int) -> Text:
    return Text.of(say("daily-title", icon=_ICON, day=Day(day)))


def _fair(day: int) -> Button:
    return Button(_token(FAIR, day), say("fair-button"))


def _pressed(button: Button, day: int, made: int) -> Button:
    """Return a button of the game with this page's token. ``made``, the number of choices so far, makes
    buttons of earlier positions recognisable."""
    return replace(button, token=_token(PRESS, day, made, button.token))


def _reached(progress: Progress) -> Say:
    if progress.by_cloverleaf:
        return say("daily-result-clover", n=progress.turns)
    return say("daily-result", n=progress.turns, target=progress.state.options.target)


def _account(par: int, progress: Progress, lost: float) -> list[Say]:
    saved = luck(progress.turns, lost)
    return [
        say("daily-par", n=par),
        say("daily-accuracy", accuracy=Percent(accuracy(lost)), lost=Decimal(lost), n=int(lost)),
        say(
            "daily-luck-bad" if saved < 0 else "daily-luck-good", luck=Decimal(abs(saved)), n=int(abs(saved))
        ),
    ]


def _line(entry: DailyLine, me: int) -> Say:
    line = say(
        "daily-line",
        place=entry.place,
        name=person_name(entry.name),
        turns=say("daily-turns", n=entry.turns),
        accuracy=Percent(accuracy(entry.lost)) if entry.lost is not None else "–",
    )
    return say("board-line-mine", line=line) if entry.user_id == me else line


def place_on(day_list: DailyList, user_id: int) -> Place | None:
    """Return a person's place on a list, or None if they are not on it."""
    return next(
        (Place(line.place, day_list.people) for line in day_list.lines if line.user_id == user_id), None
    )
