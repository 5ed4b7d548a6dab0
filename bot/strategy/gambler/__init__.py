"""AI players of Gambler, and the calculations behind them."""

from bot.strategy.gambler.expert import Expert
from bot.strategy.gambler.grandmaster import Grandmaster
from bot.strategy.gambler.simple import Beginner, Casual

__all__ = ["Beginner", "Casual", "Expert", "Grandmaster"]
