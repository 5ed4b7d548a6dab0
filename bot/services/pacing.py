"""Decides when moves are shown step by step, and for how long each step. Takes no lock, and paints nothing.

All of it was committed before, so nothing here is stored: if something ends it early, the table shows the
end. See docs/decisions/step-by-step.md.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass

from bot.discordpy.answer import Answer
from bot.services.guild_settings import GuildSettingsCache
from bot.services.jobs import WorkQueue
from bot.sessions.request import ClickMoves
from bot.sessions.steps import Step, steps_to_show
from bot.store.base import GameRow

STEP_SECONDS = 1.2
"""How long each step is shown. Discord accepts at least one edit a second through the token of a click."""

HAND_SECONDS = 6.0
"""How long a step waits for the person who may go on by hand; then what follows is shown by itself."""

MAX_EDITS = 8
"""How many steps in a row are shown through the token of one click."""

MAX_SHOWN = 100
"""At how many tables at once steps are shown; the others show the end at once."""


@dataclass
class Showing:
    """What is being shown at a table: the step ``at`` of those that led to the game ``row``.

    The steps are shown through ``answer``, that of the last click; ``edits`` counts its steps.
    """

    row: GameRow
    answer: Answer
    steps: tuple[Step, ...]
    at: int = 0
    edits: int = 0
    waited: bool = False
    """Whether somebody could go on by hand and did not."""

    @property
    def step(self) -> Step:
        return self.steps[self.at]

    @property
    def seconds(self) -> float:
        """How long to show the present step."""
        return HAND_SECONDS if self.step.hand is not None and not self.waited else STEP_SECONDS

    def advance(self, answer: Answer | None = None) -> bool:
        """Go to the next step, by hand through the ``answer`` to a click. Return whether it may be shown."""
        if answer is None:
            self.waited = self.waited or self.step.hand is not None
        else:
            self.answer, self.edits, self.waited = answer, 0, False
        self.at += 1
        return self.at < len(self.steps) and self.edits < MAX_EDITS


class Pacing:
    """Knows which tables show a step, and calls ``next_step`` with the id of a game when its time is over."""

    def __init__(
        self, servers: GuildSettingsCache, next_step: Callable[[int], Awaitable[object]], *, on: bool
    ) -> None:
        self._servers = servers
        self._on = on
        self._showing: dict[int, Showing] = {}
        self._times = WorkQueue[int](
            "next step of game",
            next_step,
            failure="The steps of game %s could not be shown",
            at_once=MAX_SHOWN,
        )

    def plan(self, row: GameRow, answer: Answer, made: ClickMoves) -> Showing | None:
        """Return what to show before ``row``, or None to show ``row`` at once."""
        if not self._on or not self._servers.of(row.guild_id).step_by_step:
            return None
        if len(self._showing) >= MAX_SHOWN:
            return None
        if made.moves[-1].number != row.version:
            # The game has moved on in the meantime.
            return None
        steps = steps_to_show(row, made)
        return Showing(row, answer, steps) if steps else None

    def shown(self, showing: Showing) -> None:
        """Note that a step is shown now, and begin its time."""
        showing.edits += 1
        self._showing[showing.row.id] = showing
        self._times.add(showing.row.id, showing.seconds)

    def of(self, game_id: int) -> Showing | None:
        return self._showing.get(game_id)

    def drop(self, game_id: int) -> Showing | None:
        """Return what is being shown of a game, and forget it: something else is shown now."""
        self._times.drop(game_id)
        return self._showing.pop(game_id, None)

    def __iter__(self) -> Iterator[Showing]:
        return iter(list(self._showing.values()))

    async def stop(self) -> None:
        self._showing.clear()
        await self._times.stop()
