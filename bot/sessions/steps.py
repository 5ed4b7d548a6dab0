"""What one click has set off, step by step: the rolls that end a turn, and the turns of AIs.

All of it is committed before any of it is shown; docs/decisions/step-by-step.md says why, and when it is
shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from bot.games.values import replace
from bot.i18n.say import Line, Say
from bot.registry import find
from bot.screens import table
from bot.screens.game_screen import Interim
from bot.screens.model import Screen
from bot.sessions.presentation import table_context
from bot.sessions.request import ClickMoves
from bot.store.base import FINISHED, LIVE, GameRow, intact

MAX_TURNS_IN_TWO = 2
"""Up to so many turns of AIs are shown in two steps each, more of them in one."""

MAX_STEPS = 6
"""How many steps of AIs' turns are shown at most; the earliest are left out."""


@dataclass(frozen=True, slots=True)
class Step:
    """A screen for the table to show for a while. ``hand`` is the seat that may go on by hand, if any."""

    screen: Screen
    hand: int | None = None


@dataclass(slots=True)
class _Position:
    """An interim position, the number of its turn and of the move that led to it, and what is told of it."""

    turn: int
    move: int
    seat: int
    interim: Interim
    lines: tuple[Line, ...]
    told: list[Say]


def steps_to_show(row: GameRow, made: ClickMoves) -> tuple[Step, ...]:
    """Return what to show before the game as it is now, ``row``, which these moves have led to.

    That is what left people no choice: the end of a turn that was not chosen, and turns of AIs. There is
    nothing to show of a turn that waits for its player.
    """
    rules, state = find(row.game).rules, intact(row.state)
    own_turn, present_turn = rules.turns(intact(made.before.state)), rules.turns(state)
    if row.status not in (LIVE, FINISHED) or present_turn == own_turn:
        return ()
    positions = [position for position in _positions(made) if position.turn != present_turn]
    own_positions = [position for position in positions if position.turn == own_turn]
    ai_turns = [list(turn) for number, turn in groupby(positions, attrgetter("turn")) if number != own_turn]
    steps_each = 2 if len(ai_turns) <= MAX_TURNS_IN_TWO else 1
    ai_positions = [position for turn in ai_turns for position in _most_telling(turn, steps_each)]
    seats = {position.turn: position.seat for position in positions}
    steps = []
    for number, position in enumerate([*own_positions, *ai_positions[-MAX_STEPS:]]):
        by_hand = position.turn == own_turn and position.interim.by_hand is not None
        screen = table.step(
            table_context(replace(row, lines=position.lines)),
            position.interim,
            position.told,
            state if row.status == LIVE else None,
            number if by_hand else None,
            coming=[seat for turn, seat in seats.items() if turn > position.turn],
        )
        steps.append(Step(screen, position.seat if by_hand else None))
    return tuple(steps)


def _positions(made: ClickMoves) -> Iterator[_Position]:
    """Play the moves again, and return all interim positions in order."""
    entry = find(made.before.game)
    rules, screen = entry.rules, entry.screen
    state, lines, last = intact(made.before.state), made.before.lines, None
    for move in made.moves:
        for action_or_outcome in (move.action, *intact(move.outcomes)):
            played = rules.apply(state, action_or_outcome)
            for event in played.events:
                lines = screen.narrate(lines, (event,))
                interim = screen.interim(state, event)
                if interim is not None:
                    if last is not None:
                        yield last
                    last = _Position(
                        rules.turns(state), move.number, rules.turn_seat(state), interim, lines, []
                    )
                elif last is not None:
                    last.told += screen.pieces(event)
            state = played.state
    if last is not None:
        yield last


def _most_telling(turn: Sequence[_Position], most: int) -> Sequence[_Position]:
    """Return the first decision and the end of an AI's turn; only the end if ``most`` is 1."""
    ends_of_moves = [list(move)[-1] for _, move in groupby(turn, attrgetter("move"))]
    shown = ends_of_moves if len(ends_of_moves) > 1 else turn
    return (shown[0], shown[-1])[-most:] if len(shown) > 1 else shown
