"""AI players of Gambler, weakest first, and what they go by."""

from bot.strategy.gambler.expert import Expert
from bot.strategy.gambler.simple import Beginner, Casual

__all__ = ["Beginner", "Casual", "Expert"]
