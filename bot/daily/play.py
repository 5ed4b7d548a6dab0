"""How a daily game goes on: it depends on the seed of the day and the choices made, and on nothing else.

So the same choices lead to the same dice, whoever makes them, and nobody can roll again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.games.core import OVER, play
from bot.games.tutto import Tutto
from bot.games.tutto.state import Action, Banked, Event, Options, State
from bot.i18n.say import Line
from bot.records.seeds import SeededChance
from bot.screens.tutto.table import TuttoScreen

RULES = Tutto()
SCREEN = TuttoScreen()
OPTIONS = Options()
"""Everybody plays the usual edition to the usual target."""

MAX_CHOICES = 1500
"""A game with so many choices ends without a result. The weakest players need about 150."""

SHOWN_TURNS = 2
"""How many of the latest turns are narrated."""


@dataclass(frozen=True, slots=True)
class Progress:
    """A daily game as far as it was played: the position, the narration of the latest turns, the ``points``
    of each finished turn (0 for a lost one), and how many outcomes of chance were drawn."""

    state: State
    lines: tuple[Line, ...] = ()
    points: tuple[int, ...] = ()
    draws: int = 0

    @property
    def is_over(self) -> bool:
        return RULES.to_move(self.state) == OVER

    @property
    def turns(self) -> int:
        """How many turns were finished."""
        return self.state.finished

    @property
    def by_cloverleaf(self) -> bool:
        """Whether a Cloverleaf has ended the game before the target was reached."""
        return self.state.reason == "cloverleaf"


START = Progress(State(OPTIONS, (0,)))
"""The position before the first card, with one seat, where games at tables have two or more."""


def advance(seed: bytes, before: Progress, choices: Sequence[Action]) -> Progress:
    """Return the game after further choices. Raises :class:`~bot.games.core.IllegalMove`."""
    chance, state = SeededChance(seed, before.draws), before.state
    events: list[Event] = []
    points = list(before.points)
    for choice in choices:
        played = play(RULES, state, choice, chance)
        events += played.events
        if played.state.finished > state.finished:
            points.append(sum(event.points for event in played.events if isinstance(event, Banked)))
        state = played.state
    lines = SCREEN.narrate(before.lines, events)[-SHOWN_TURNS:]
    return Progress(state, lines, tuple(points), chance.index)
