"""Odds and coach of Gambler in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bot.games.core import Move
from bot.games.gambler.boards import BOARDS
from bot.games.gambler.state import (
    Action,
    Choose,
    Options,
    Phase,
    Place,
    RollDice,
    State,
    Stop,
    board_of,
    dice_to_roll,
)
from bot.i18n.say import Faces, Percent, Say, SeatRef, nested, say
from bot.screens.advice import Report, Wording, report
from bot.screens.gambler.table import board_name, row_boxes, row_icon, row_line, row_sign
from bot.screens.model import Block, Divider, Text, signed_points
from bot.strategy.gambler.appraiser import SEATS, Decision, account
from bot.strategy.gambler.odds import odds
from bot.strategy.gambler.reasons import reason
from bot.strategy.gambler.winning import Basis, basis, rival, values
from bot.strategy.review import review

MAX_ACTIONS = 6
"""How many actions the odds show, the best ones."""

MAX_ROWS = 3
"""How many rows of the board a costly decision shows."""


class GamblerAdvice:
    """Implements :class:`~bot.screens.advice.Advice` and :class:`~bot.screens.advice.Coach`."""

    seats = (SEATS,)

    def odds(self, state: State) -> tuple[Block, ...]:
        if state.phase is Phase.BOARD:
            return (Text.of(say("gambler-odds-board")),)
        calculated, board = odds(state), board_of(state)
        source = basis(state)
        if calculated.no_fit is None:
            head = say("gambler-odds-place")
        else:
            head = say("gambler-odds-no-fit", n=dice_to_roll(state), chance=Percent(calculated.no_fit))
        rows = [
            say(
                "gambler-odds-row",
                place=row_sign(number),
                icon=row_icon(row),
                boxes=row_boxes(row, state.rows[number]),
                points=signed_points(row.points),
                chance=Percent(chance),
            )
            for number, (row, chance) in enumerate(zip(board.rows, calculated.rows, strict=True))
            if chance is not None
        ]
        return (
            Text.of(head, *(() if source is Basis.POINTS else _wins(state))),
            Divider(),
            Text.of(say("gambler-odds-rows"), *rows),
            Text(tuple(say("small-print", text=say(key)) for key in ("gambler-odds-words", source.value))),
        )

    def review(
        self, options: Options, seats: int, opening: Sequence[Any], moves: Sequence[Move[Any, Any]]
    ) -> Report:
        return report(review(account(options, seats, opening, moves)), WORDING)


def _wins(state: State) -> Iterator[Say]:
    """Say the winning chance with the best actions, the best one first."""
    choices = sorted(values(state), key=lambda choice: -choice[1])[:MAX_ACTIONS]
    for place, (action, chance) in enumerate(choices):
        yield say(
            "odds-choice" if place else "odds-choice-best",
            action=action_label(state, action),
            facts=say("gambler-odds-win", chance=Percent(chance)),
        )


def action_label(state: State, action: Action) -> Say:
    """Return an action that is legal in ``state`` in a few words."""
    match action:
        case Place(row, die):
            return say("gambler-do-place", dice=Faces((die,)), row=row_sign(row))
        case RollDice():
            return say("gambler-roll-again", n=dice_to_roll(state))
        case Choose(board):
            return say(BOARDS[board].name_key)
        case Stop():
            return say("gambler-stop")


def _position(decision: Decision) -> tuple[Say, ...]:
    """Describe a position: board, roll, and the rows that the decision is about."""
    state = decision.position
    if state.phase is Phase.BOARD:
        return ()
    facts = [
        say("gambler-story-board", name=board_name(state.board)),
        say("fact-roll", dice=Faces(state.roll)),
    ]
    lines = [row_line(at, board_of(state).rows[at], state.rows[at]) for at in _rows(decision)]
    return nested(facts, "facts-joined"), *lines


def _rows(decision: Decision) -> list[int]:
    """Return the rows to show: those of both actions, then those with the fewest open boxes."""
    state = decision.position
    board = board_of(state)
    missing = {at: len(row.boxes) - len(state.rows[at]) for at, row in enumerate(board.rows)}
    about = [action.row for action in (decision.played, decision.best) if isinstance(action, Place)]
    if len(set(about)) < 2:
        about += sorted((at for at, boxes in missing.items() if boxes), key=missing.__getitem__)
    return sorted(list(dict.fromkeys(about))[:MAX_ROWS])


def why(decision: Decision) -> Say:
    """Say in a sentence why the best choice is better."""
    why_better = reason(decision)
    return say(
        f"why-{why_better.habit.value}",
        name=SeatRef(rival(decision.position)),
        row="" if why_better.row is None else row_sign(why_better.row),
        points=why_better.value,
        n=why_better.missing,
        chance=Percent(why_better.chance),
        lead=abs(why_better.lead),
    )


WORDING = Wording(_position, action_label, why)
