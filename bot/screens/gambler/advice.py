"""The odds of Gambler in words."""

from __future__ import annotations

from bot.games.gambler.state import Phase, State, board_of
from bot.i18n.say import Percent, say
from bot.screens.gambler.table import row_boxes, row_icon, signed
from bot.screens.model import Block, Divider, Text
from bot.strategy.gambler.odds import dice_to_roll, odds


class GamblerAdvice:
    """Implements :class:`~bot.screens.advice.Advice`."""

    def odds(self, state: State) -> tuple[Block, ...]:
        if state.phase is Phase.BOARD:
            return (Text((say("gambler-odds-board"),)),)
        found, board = odds(state), board_of(state)
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
            Text((head,)),
            Divider(),
            Text((say("gambler-odds-rows"), *rows)),
            Text((say("small-print", text=say("gambler-odds-words")),)),
        )
