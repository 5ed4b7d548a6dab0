"""The table during the game, its end, and what is left of it when it has moved on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bot.games.core import Game, Result
from bot.i18n.say import Argument, Icons, Mention, Say, resolve, say
from bot.screens.model import (
    PRIMARY,
    SECONDARY,
    Block,
    Button,
    Buttons,
    Divider,
    GameScreen,
    Line,
    Screen,
    Text,
    seat_name,
)
from bot.seats import Seat

END_ACCENT = 0xF1C40F


@dataclass(frozen=True, slots=True)
class Outcome:
    """One seat's line in the result of a game."""

    seat: int
    place: int
    score: int
    turns: int
    best_turn: int
    feats: dict[str, int]


def table(
    rules: Game[Any],
    screen: GameScreen,
    state: Any,
    seats: Sequence[Seat],
    news: Sequence[Line],
    view: str = "",
    first: Say | None = None,
    mention: int | None = None,
) -> Screen:
    """The table of a running game.

    ``first`` is a line shown before anything has happened; ``mention`` the person to call when the table is
    posted anew.
    """
    turn, left = rules.turn_seat(state), rules.left(state)
    scores = []
    for number, points in enumerate(rules.scores(state)):
        key = "table-score-turn" if number == turn else "table-score"
        key = "table-score-left" if number in left else key
        icon = Icons(("seat-human" if seats[number].human else "seat-ai",))
        scores.append(say(key, name=seat_name(seats, number), points=points, icon=icon))
    blocks: list[Block] = [
        Text((say("table-title", icon=Icons((f"game-{rules.key}",)), goal=screen.goal(state.options)[0]),)),
        Text(tuple(scores)),
        Divider(),
    ]
    # What has happened since one's own last turn, and that turn.
    told = [_told(line, seats) for line in news[-(len(seats) - len(left) + 1) :]]
    if told or first:
        blocks += [Text(tuple(told) if told else (first,) if first else (), spare=True), Divider()]
    name: Argument = Mention(mention) if mention is not None else seat_name(seats, turn)
    blocks.append(Text((say("table-your-turn", name=name),)))
    blocks += screen.body(state, view)
    controls = screen.controls(state, view)
    blocks += controls[:-1]
    down = Button("b", None, SECONDARY, icon="down")
    blocks.append(Buttons((*(controls[-1].buttons if controls else ()), down)))
    return Screen(tuple(blocks), screen.accent(state), mention)


def finished(
    game: str,
    screen: GameScreen,
    options: Any,
    seats: Sequence[Seat],
    result: Result,
    outcomes: Sequence[Outcome],
    news: Sequence[Line],
    seed: str,
    seed_hash: str,
    rematch: bool,
) -> Screen:
    """The end of a game: who won how, and how to check the dice. ``rematch`` if there is one already."""
    winners = _joined([seat_name(seats, seat) for seat in result.winners])
    lines = []
    for outcome in sorted(outcomes, key=lambda outcome: (outcome.place, outcome.seat)):
        lines.append(
            say(
                "end-line-left" if outcome.seat in result.left else "end-line",
                place=say("end-place-first" if outcome.place == 1 else "end-place", place=outcome.place),
                name=seat_name(seats, outcome.seat),
                score=outcome.score,
                turns=say("end-turns", n=outcome.turns),
                best=outcome.best_turn,
                feats=_joined(list(screen.feats(outcome.feats))),
            )
        )
    won = say(f"end-won-{result.reason}", n=len(result.winners), names=winners)
    blocks: tuple[Block, ...] = (
        Text((say("end-title", icon=Icons((f"game-{game}",)), goal=screen.goal(options)[0]), won)),
        Divider(),
        Text(tuple(lines)),
        Divider(),
        Text(tuple(_told(line, seats) for line in news[-2:]), spare=True),
        Text((say("end-fair", seed=seed, hash=seed_hash),)),
        Buttons(
            (
                Button("e.again", say("end-rematch"), PRIMARY, disabled=rematch),
                Button("e.record", say("end-record"), SECONDARY),
            )
        ),
    )
    return Screen(blocks, END_ACCENT)


def summary(rules: Game[Any], state: Any, seats: Sequence[Seat], news: Sequence[Line]) -> Screen:
    """One line without buttons, in place of a table that now stands further down."""
    last = _told(news[-1], seats) if news else say("table-title-short", game=say(f"{rules.key}-name"))
    return Screen((Text((say("table-moved", icon=Icons((f"game-{rules.key}",)), last=last),)),))


def moved(game: str) -> Screen:
    """Like :func:`summary`, where only the game's name is known."""
    return Screen(
        (
            Text(
                (
                    say(
                        "table-moved",
                        icon=Icons((f"game-{game}",)),
                        last=say("table-title-short", game=say(f"{game}-name")),
                    ),
                )
            ),
        )
    )


def _told(line: Line, seats: Sequence[Seat]) -> Say:
    pieces = [resolve(piece, lambda number: seat_name(seats, number)) for piece in line.pieces]
    return say("story-line", name=seat_name(seats, line.seat), story=_joined(pieces, "story-joined"))


def _joined(parts: Sequence[Argument], key: str = "list-joined") -> Argument:
    """The parts as one argument, put together by the catalogue's way of writing lists."""
    if not parts:
        return ""
    whole = parts[0]
    for part in parts[1:]:
        whole = say(key, head=whole, tail=part)
    return whole
