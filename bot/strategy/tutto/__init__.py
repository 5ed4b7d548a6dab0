"""AI players of Tutto, odds, luck, and the review of a finished game."""

from bot.strategy.tutto.policies import Beginner, Casual, Expert, Grandmaster

__all__ = ["Beginner", "Casual", "Expert", "Grandmaster"]
