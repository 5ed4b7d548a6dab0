"""A game of Tutto for tests with chosen dice and cards."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bot.games.core import Leave, Result, ScriptedChance, play
from bot.games.tutto import Tutto
from bot.games.tutto.cards import Card
from bot.games.tutto.state import STOP, TURN_CARD, Draw, Keep, Outcome, Phase, Roll, State

GAME = Tutto()


def dice(text: str) -> tuple[int, ...]:
    return tuple(sorted(int(face) for face in text))


def outcome(text: str | Card) -> Outcome:
    """``"bonus_600"`` is that card, ``"122256"`` those dice."""
    return Roll(dice(text)) if text.isdigit() else Draw(Card(text))


class Table:
    """Plays on ``state`` and keeps all ``events``; each move is told what chance answers."""

    def __init__(
        self, scores: tuple[int, ...] = (0, 0), edition: str = "current", target: int = 6000, **changes: Any
    ) -> None:
        options = GAME.options({"edition": edition, "target": target})
        self.state: State = replace(GAME.initial(options, len(scores)), scores=scores, **changes)
        self.events: list[Any] = []
        self.last: tuple[Any, ...] = ()

    def play(self, action: Any, *chance: str | Card) -> Table:
        script = ScriptedChance([outcome(text) for text in chance])
        played = play(GAME, self.state, action, script)
        assert script.used == len(chance), f"{chance[script.used :]} did not come up"
        self.state, self.last = played.state, played.events
        self.events += played.events
        return self

    def turn(self, *chance: str | Card) -> Table:
        return self.play(TURN_CARD, *chance)

    def keep(self, faces: str, *chance: str | Card) -> Table:
        return self.play(Keep(dice(faces)), *chance)

    def stop(self) -> Table:
        return self.play(STOP)

    def leave(self, seat: int) -> Table:
        return self.play(Leave(seat))

    def miss(self, turns: int = 1) -> Table:
        """So many turns that a Stop card ends at once."""
        for _ in range(turns):
            self.turn(Card.STOP)
        return self

    def carry(self, points: int) -> Table:
        """As if ``points`` had been gathered in this turn up to a Tutto with a Bonus card."""
        self.state = replace(
            self.state, phase=Phase.TUTTO, card=Card.BONUS_200, aside=(1, 1, 1, 5, 5, 5), points=points
        )
        return self

    @property
    def may_stop(self) -> bool:
        return STOP in GAME.legal(self.state)

    @property
    def scores(self) -> tuple[int, ...]:
        return self.state.scores

    @property
    def points(self) -> int:
        return self.state.points

    @property
    def result(self) -> Result | None:
        return GAME.result(self.state)

    @property
    def won(self) -> tuple[tuple[int, ...], str]:
        """Who has won, and why."""
        result = self.result
        assert result is not None, "the game is not over"
        return result.winners, result.reason
