"""The pages of puzzles, which only the person sees who asked for them."""

from __future__ import annotations

from dataclasses import dataclass

from bot.games.seats import Seat, ai
from bot.games.tutto.cards import CARDS, pile
from bot.games.tutto.state import NUMBER_OF_DICE, Action, Keep, State
from bot.i18n.say import Faces, GameIcon, Percent, Say, nested, say
from bot.screens.button_ids import Page
from bot.screens.model import (
    PRIMARY,
    SUCCESS,
    Block,
    Button,
    Buttons,
    Divider,
    Screen,
    Text,
    button_rows,
    person_name,
    seat_name,
)
from bot.screens.result import END_ACCENT
from bot.screens.seat_names import named
from bot.screens.tutto.advice import action_label, pile_line, why
from bot.screens.tutto.table import TuttoScreen
from bot.strategy.tutto.puzzles import Collection, Puzzle

SHOW, ANSWER, SHARE, OPEN = "n", "a", "s", "o"
"""What stands first in the token of a button: show another puzzle, answer one with the index of a choice,
share that answer, or open a puzzle that somebody has shared. The puzzle is named by an edition and a number,
or by :data:`GAME` and a game."""

GAME = "g"

A_ROW = 2
"""How many choices stand side by side."""

_token = Page.PUZZLE.token
_SCREEN = TuttoScreen()
_ICON = GameIcon(_SCREEN.key)
_RIVAL = ai("grandmaster")
"""The winning chances assume that the other player always finds the best choice."""


@dataclass(frozen=True, slots=True)
class Posed:
    """A puzzle as it is shown. The parts ``named`` stand for it in tokens, ``shared`` in a text to share.

    ``tempting`` says what is tempting about its usual choice.
    """

    puzzle: Puzzle
    named: tuple[str | int, ...]
    title: Say
    shared: Say
    tempting: Say


def shipped(collection: Collection, number: int) -> Posed:
    """Return a shipped puzzle; ``number`` counts from 0."""
    puzzle = collection.puzzles[number]
    return Posed(
        puzzle,
        (collection.edition, number),
        say("puzzle-title", icon=_ICON, number=number + 1),
        say("puzzle-share", number=number + 1),
        say("puzzle-rule" if puzzle.by_rule else "puzzle-points"),
    )


def from_game(game_id: int, puzzle: Puzzle) -> Posed:
    """Return the puzzle of a game of the server. Nothing on its pages says who has played."""
    return Posed(
        puzzle,
        (GAME, f"{game_id:x}"),
        say("puzzle-title-game", icon=_ICON),
        say("puzzle-share-game"),
        say("puzzle-played"),
    )


def question(posed: Posed) -> Screen:
    """Show a puzzle and its choices."""
    puzzle = posed.puzzle
    buttons = [
        Button(_token(ANSWER, *posed.named, index), _label(puzzle.state, action))
        for index, action in enumerate(puzzle.choices)
    ]
    return Screen.of(
        *_position(posed),
        Text.of(say("puzzle-ask")),
        *button_rows(buttons, A_ROW),
        Text.of(say("puzzle-words")),
        accent=_SCREEN.accent(puzzle.state),
    )


def solution(posed: Posed, chosen: int, *, shared: bool = False) -> Screen:
    """Show the winning chance of each choice of a puzzle, the ``chosen`` one marked, and a text to share.

    ``shared`` is whether it has just been shared.
    """
    puzzle = posed.puzzle
    state = puzzle.state
    right = chosen == puzzle.best
    lines = [say("puzzle-right" if right else "puzzle-wrong")]
    for index in sorted(range(len(puzzle.choices)), key=lambda index: -puzzle.wins[index]):
        facts = [say("tutto-odds-win", value=Percent(puzzle.wins[index]))]
        facts += [say("puzzle-yours")] if index == chosen else []
        facts += [posed.tempting] if index == puzzle.usual else []
        key = "odds-choice-best" if index == puzzle.best else "odds-choice"
        action = action_label(state, puzzle.choices[index])
        lines.append(say(key, action=action, facts=nested(facts, "facts-joined")))
    # Who was right learns what is wrong with the usual choice.
    other = puzzle.usual if right else chosen
    reason = say(
        "puzzle-why", action=action_label(state, puzzle.choices[other]), why=why(puzzle.decision(other))
    )
    share = Button(_token(SHARE, *posed.named, chosen), say("daily-share-here"), disabled=shared)
    return Screen.of(
        *_position(posed),
        Divider(),
        Text.of(*lines),
        Text.of(reason, say("small-print", text=say("basis-table"))),
        Divider(),
        Text.of(say("daily-share-block", text=_result(posed, chosen))),
        Buttons.of(Button(_token(SHOW), say("puzzle-next"), PRIMARY), share),
        accent=END_ACCENT,
    )


def shared(posed: Posed, chosen: int, name: str) -> Screen:
    """Show a channel whether a person's choice was right; nothing in it tells which one that is."""
    told = say("puzzle-shared", icon=_ICON, name=person_name(name))
    return Screen.of(
        Text.of(told, _result(posed, chosen)),
        Buttons.of(Button(_token(OPEN, *posed.named), say("puzzle-try"), SUCCESS)),
    )


def _result(posed: Posed, chosen: int) -> Say:
    right = chosen == posed.puzzle.best
    return say("puzzle-share-right" if right else "puzzle-share-wrong", puzzle=posed.shared)


def _position(posed: Posed) -> tuple[Block, ...]:
    state = posed.puzzle.state
    seats = [_RIVAL, _RIVAL]
    seats[state.seat] = Seat("human")
    rival = seat_name((_RIVAL,), 0)
    own, other = state.scores[state.seat], state.scores[1 - state.seat]
    scores = say("puzzle-scores", own=own, name=rival, other=other, target=state.options.target)
    left = dict(zip(CARDS, pile(state.deck), strict=True))
    return (
        Text.of(posed.title, scores, _order(state)),
        Divider(),
        *(named(block, seats) for block in _SCREEN.body(state, "")),
        Text.of(pile_line(left)),
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
