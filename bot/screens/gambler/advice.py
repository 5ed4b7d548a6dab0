"""The odds of Gambler in words."""

from __future__ import annotations

from collections.abc import Iterator

from bot.games.gambler.boards import BOARDS
from bot.games.gambler.state import Action, Choose, Phase, Place, RollDice, State, Stop, board_of
from bot.i18n.say import Faces, Percent, Say, say
from bot.screens.gambler.table import row_boxes, row_icon, signed
from bot.screens.model import Block, Divider, Text
from bot.strategy.gambler.odds import dice_to_roll, odds
from bot.strategy.gambler.winning import Basis, basis, values


class GamblerAdvice:
    """Implements :class:`~bot.screens.advice.Advice`."""

    def odds(self, state: State) -> tuple[Block, ...]:
        if state.phase is Phase.BOARD:
            return (Text((say("gambler-odds-board"),)),)
        found, board = odds(state), board_of(state)
        source = basis(state)
        if found.no_fit is None:
            head = say("gambler-odds-place")
        else:
            head = say("gambler-odds-no-fit", n=dice_to_roll(state), chance=Percent(found.no_fit))
        rows = [
            say(
                "gambler-odds-row",
                place=number + 1,
                icon=row_icon(row),
                boxes=row_boxes(row, state.rows[number]),
                points=signed(row.points),
                chance=Percent(chance),
            )
            for number, (row, chance) in enumerate(zip(board.rows, found.rows, strict=True))
            if chance is not None
        ]
        return (
            Text((head, *(() if source is Basis.POINTS else _wins(state)))),
            Divider(),
            Text((say("gambler-odds-rows"), *rows)),
            Text(tuple(say("small-print", text=say(key)) for key in ("gambler-odds-words", source.value))),
        )


SHOWN = 6
"""How many actions are shown, the best ones."""


def _wins(state: State) -> Iterator[Say]:
    """Say the winning chance with the best actions, the best one first."""
    choices = sorted(values(state), key=lambda choice: -choice[1])[:SHOWN]
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
            return say("gambler-do-place", dice=Faces((die,)), row=row + 1)
        case RollDice():
            return say("gambler-roll-again", n=dice_to_roll(state))
        case Choose(board):
            return say(BOARDS[board].name_key)
        case Stop():
            return say("gambler-stop")
