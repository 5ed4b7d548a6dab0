"""Puzzles: positions of Tutto for two in which the best choice is clearly better than a tempting one.

Those that are shipped come from simulated games (``python -m tools.make_puzzles``), in one file with its
SHA-256; there the tempting choice is a usual one. Others come from games that people have played, where it is
the one that was played. The winning chances come from :mod:`bot.strategy.tutto.odds`, with the table of the
two-player game.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from collections.abc import Collection as AnyCollection
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bot.games.codec import dumps
from bot.games.core import Json
from bot.games.tutto.state import NUMBER_OF_DICE, STOP, Action, Edition, Keep, Options, State
from bot.strategy.account import Decision
from bot.strategy.shipped import read_json
from bot.strategy.tutto.odds import Odds, odds
from bot.strategy.tutto.pairs import Basis
from bot.strategy.tutto.policies import rule_of_thumb
from bot.strategy.tutto.tables import DIRECTORY
from bot.strategy.tutto.values import RULES

COMMAND = "python -m tools.make_puzzles"
FILE = "puzzles.json"

PLAYERS = 2
MAX_CHOICES = 4
MIN_COST = 0.03
"""The winning chance that the tempting choice must cost at least."""
MIN_LEAD = 0.015
"""By how much the best choice must be better than the second."""
OBVIOUS = 0.02
"""A choice that wins or loses so nearly certainly makes a puzzle too easy."""
MAX_TRIED = 3
"""How many decisions of a game, the costliest ones, are looked at for a puzzle."""

_BLANK = RULES.state_to_json(State(Options(), (0, 0)))


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position, up to :data:`MAX_CHOICES` of its choices in the order of the rules, and the winning chance
    of each, from 0 to 1. ``usual`` is the index of the tempting choice: the one that was played in a game, or
    else that by the rule of thumb, or the one that banks most on average."""

    state: State
    choices: tuple[Action, ...]
    wins: tuple[float, ...]
    usual: int

    @property
    def by_rule(self) -> bool:
        """Whether the usual choice is that of the rule of thumb."""
        return self.choices[self.usual] == rule_of_thumb(self.state)

    @property
    def best(self) -> int:
        """The index of the best choice."""
        return self.wins.index(max(self.wins))

    def decision(self, chosen: int) -> Decision[State, Action]:
        """Return a choice as a decision of a review, which says why it costs what it does."""
        return Decision(
            move=0,
            turn=0,
            seat=self.state.seat,
            position=self.state,
            played=self.choices[chosen],
            best=self.choices[self.best],
            played_win=self.wins[chosen],
            best_win=self.wins[self.best],
            worst_win=min(self.wins),
            usual=self.choices[self.usual],
            usual_win=self.wins[self.usual],
        )


@dataclass(frozen=True, slots=True)
class Collection:
    """The shipped puzzles. ``edition`` is a short text that differs when they do."""

    puzzles: tuple[Puzzle, ...]
    edition: str


def puzzle_among(decisions: Sequence[Decision[State, Action]]) -> Decision[State, Action] | None:
    """Return the costliest decision of a game that makes a puzzle, or None."""
    costly = sorted((one for one in decisions if one.cost >= MIN_COST), key=lambda one: -one.cost)
    return next((one for one in costly[:MAX_TRIED] if puzzle_of(one.position, one.played)), None)


def puzzle_of(state: State, played: Action | None = None) -> Puzzle | None:
    """Return the puzzle that a position makes, or None if it makes none.

    ``played`` is the tempting choice, if it comes from a game.
    """
    if state.options.edition is not Edition.CURRENT or len(state.scores) != PLAYERS:
        return None
    if _asks_after_the_tutto(state):
        return None
    found = odds(state)
    wins = chances(found)
    if found.basis is not Basis.TABLE or len(wins) < 2:
        return None
    best, second, *_ = wins.values()
    if best - second < MIN_LEAD or best > 1 - OBVIOUS:
        return None
    if played is None:
        most = max(found.choices, key=lambda choice: choice.points).action
        tempting: tuple[Action, ...] = (rule_of_thumb(state), most)
    else:
        tempting = (played,)
    usual = next((one for one in tempting if OBVIOUS < wins.get(one, 0.0) <= best - MIN_COST), None)
    if usual is None:
        return None
    # The best ones are the hardest to tell apart; the usual one always stands among them.
    shown = {usual, *list(wins)[: MAX_CHOICES - (usual not in list(wins)[:MAX_CHOICES])]}
    choices = tuple(action for action in RULES.legal(state) if action in shown)
    return Puzzle(state, choices, tuple(wins[action] for action in choices), choices.index(usual))


def _asks_after_the_tutto(state: State) -> bool:
    """Return whether dice can be put aside that make a Tutto, after which banking is still possible.

    There the same question comes twice, and the odds of the next card belong to the second one.
    """
    legal = RULES.legal(state)
    rest = NUMBER_OF_DICE - len(state.aside)
    return STOP in legal and any(isinstance(one, Keep) and len(one.dice) == rest for one in legal)


def chances(found: Odds) -> dict[Action, float]:
    """Return the winning chance of each sensible action whose chance is known, best first."""
    return {choice.action: choice.win for choice in found.choices if choice.win is not None}


def next_key(
    games: Sequence[str], shipped: Sequence[str], seen: AnyCollection[str], pick: Callable[[int], int]
) -> tuple[str, frozenset[str]]:
    """Return the key of the puzzle to show a person next, and the keys to forget because all were ``seen``.

    The latest unseen one of the ``games`` comes first, then any of the ``shipped`` ones: ``pick`` returns a
    random index below a number.
    """
    if latest := next((key for key in games if key not in seen), None):
        return latest, frozenset()
    if unseen := [key for key in shipped if key not in seen]:
        return unseen[pick(len(unseen))], frozenset()
    return next_key(games, shipped, (), pick)[0], frozenset((*games, *shipped))


def text(puzzles: Sequence[Puzzle]) -> str:
    """Write puzzles as the text of their file, with a checksum."""
    rows = [dumps(_row(puzzle)) for puzzle in puzzles]
    body = ",\n".join(rows)
    return f'{{"sha256":"{_sha256(rows)}","puzzles":[\n{body}\n]}}\n'


@cache
def load(path: Path = DIRECTORY / FILE) -> Collection:
    """Read the puzzles. Raises :class:`TableProblem` if their file is missing or damaged."""
    return read_json(path, COMMAND, _collection)


def _collection(given: Any) -> Collection | None:
    """Return the puzzles of the file's content, or None if they don't have its checksum."""
    rows, sha256 = given["puzzles"], given["sha256"]
    if _sha256([dumps(row) for row in rows]) != sha256:
        return None
    return Collection(tuple(map(_read, rows)), sha256[:4])


def _row(puzzle: Puzzle) -> dict[str, Json]:
    state = RULES.state_to_json(puzzle.state)
    return {
        "state": {key: value for key, value in state.items() if value != _BLANK[key]},
        "choices": [RULES.action_to_json(action) for action in puzzle.choices],
        "wins": [round(win, 5) for win in puzzle.wins],
        "usual": puzzle.usual,
    }


def _read(row: Json) -> Puzzle:
    return Puzzle(
        RULES.state_from_json({**_BLANK, **row["state"]}),
        tuple(map(RULES.action_from_json, row["choices"])),
        tuple(row["wins"]),
        row["usual"],
    )


def _sha256(rows: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()
