"""The pages of puzzles, which only the person sees who asked for them."""

from __future__ import annotations

from bot.games.seats import Seat, ai
from bot.games.tutto.cards import CARDS, pile
from bot.games.tutto.state import NUMBER_OF_DICE, Action, Keep, State
from bot.i18n.say import Faces, Icons, Percent, Say, folded, say
from bot.screens.button_ids import Page
from bot.screens.model import PRIMARY, Block, Button, Buttons, Divider, Screen, Text, button_rows, seat_name
from bot.screens.table import END_ACCENT, named
from bot.screens.tutto.advice import action_label, pile_line, why
from bot.screens.tutto.table import TuttoScreen
from bot.strategy.tutto.puzzles import Collection

SHOW, ANSWER = "n", "a"
"""What stands first in the token of a button: show the puzzle whose number follows, or answer the one of an
edition and a number with the index of a choice."""

A_ROW = 2
"""How many choices stand side by side."""

_token = Page.PUZZLE.token
_SCREEN = TuttoScreen()
_RIVAL = ai("grandmaster")
"""The winning chances assume that the other player always finds the best choice."""


def question(shipped: Collection, number: int) -> Screen:
    """Show a puzzle and its choices. ``number`` counts from 0."""
    puzzle = shipped.puzzles[number]
    buttons = [
        Button(_token(ANSWER, shipped.edition, number, index), _label(puzzle.state, action))
        for index, action in enumerate(puzzle.choices)
    ]
    return Screen(
        (
            *_position(shipped, number),
            Text((say("puzzle-ask"),)),
            *button_rows(buttons, A_ROW),
            Text((say("puzzle-words"),)),
        ),
        _SCREEN.accent(puzzle.state),
    )


def solution(shipped: Collection, number: int, chosen: int) -> Screen:
    """Show a puzzle with the winning chance of each choice, the ``chosen`` one marked."""
    puzzle = shipped.puzzles[number]
    state = puzzle.state
    right = chosen == puzzle.best
    lines = [say("puzzle-right" if right else "puzzle-wrong")]
    for index in sorted(range(len(puzzle.choices)), key=lambda index: -puzzle.wins[index]):
        facts = [say("tutto-odds-win", value=Percent(puzzle.wins[index]))]
        facts += [say("puzzle-yours")] if index == chosen else []
        facts += [say("puzzle-rule" if puzzle.by_rule else "puzzle-points")] if index == puzzle.usual else []
        key = "odds-choice-best" if index == puzzle.best else "odds-choice"
        action = action_label(state, puzzle.choices[index])
        lines.append(say(key, action=action, facts=folded(facts, "facts-joined")))
    # Who was right learns what is wrong with the usual choice.
    other = puzzle.usual if right else chosen
    reason = say(
        "puzzle-why", action=action_label(state, puzzle.choices[other]), why=why(puzzle.decision(other))
    )
    following = Button(_token(SHOW, (number + 1) % len(shipped.puzzles)), say("puzzle-next"), PRIMARY)
    return Screen(
        (
            *_position(shipped, number),
            Divider(),
            Text(tuple(lines)),
            Text((reason, say("small-print", text=say("basis-table")))),
            Buttons((following,)),
        ),
        END_ACCENT,
    )


def _position(shipped: Collection, number: int) -> tuple[Block, ...]:
    state = shipped.puzzles[number].state
    seats = [_RIVAL, _RIVAL]
    seats[state.seat] = Seat("human")
    rival = seat_name((_RIVAL,), 0)
    own, other = state.scores[state.seat], state.scores[1 - state.seat]
    head = say(
        "puzzle-title",
        icon=Icons((f"game-{_SCREEN.key}",)),
        number=number + 1,
        all=len(shipped.puzzles),
    )
    scores = say("puzzle-scores", own=own, name=rival, other=other, target=state.options.target)
    left = dict(zip(CARDS, pile(state.deck), strict=True))
    return (
        Text((head, scores, _order(state))),
        Divider(),
        *(named(block, seats) for block in _SCREEN.body(state, "")),
        Text((pile_line(left),)),
    )


def _label(state: State, action: Action) -> Say:
    """Return what a button says; the words of the odds for dice and a roll would be too long for a phone."""
    rest = NUMBER_OF_DICE - len(state.aside) - (len(action.dice) if isinstance(action, Keep) else 0)
    if isinstance(action, Keep) and rest:
        return say("tutto-keep-and-roll", dice=Faces(action.dice), number=rest)
    return action_label(state, action)


def _order(state: State) -> Say:
    """Say what follows when the target is reached, which depends on who began."""
    if state.last_round:
        return say("puzzle-order-last")
    return say("puzzle-order-second" if state.seat else "puzzle-order-first", target=state.options.target)
