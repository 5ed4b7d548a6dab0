"""The interface of an AI player."""

from __future__ import annotations

from random import Random
from typing import Any, Protocol


class Policy(Protocol):
    """Chooses an action for the seat to move. Instances hold no state of any game.

    ``choose`` may take milliseconds and must be safe to call from several threads at once.
    """

    def choose(self, state: Any, rng: Random) -> Any:
        """Return one of the legal actions of ``state``; whatever is left to chance comes from ``rng``."""
        ...
