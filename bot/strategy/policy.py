"""The interface of an AI player, and the player for people who are away."""

from __future__ import annotations

from random import Random
from typing import Any, Protocol

from bot.games.core import AnyGame


class Policy(Protocol):
    """Chooses an action for the seat to move. Instances hold no state of any game.

    ``choose`` may take milliseconds and must be safe to call from several threads at once.
    """

    def choose(self, state: Any, rng: Random) -> Any:
        """Return one of the legal actions of ``state``. All randomness comes from ``rng``."""
        ...


class Cautious:
    """Takes as little risk as possible: stops as soon as it may, and plays like ``otherwise`` until then."""

    def __init__(self, rules: AnyGame, stop: object, otherwise: Policy) -> None:
        self._rules = rules
        self._stop = stop
        self._otherwise = otherwise

    def choose(self, state: object, rng: Random) -> object:
        if self._stop in self._rules.legal(state):
            return self._stop
        return self._otherwise.choose(state, rng)
