"""The policy for players who are away: as little risk as the rules allow."""

from __future__ import annotations

from random import Random
from typing import Any

from bot.games.core import AnyGame
from bot.strategy.policy import Policy


class Cautious:
    """Stops as soon as that is legal; where it is not, plays like ``otherwise``."""

    def __init__(self, rules: AnyGame, stop: object, otherwise: Policy) -> None:
        self._rules = rules
        self._stop = stop
        self._otherwise = otherwise

    def choose(self, state: Any, rng: Random) -> Any:
        if self._stop in self._rules.legal(state):
            return self._stop
        return self._otherwise.choose(state, rng)
