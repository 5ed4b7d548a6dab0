"""Gambler: thirty dice, twenty boards, rows that pay whoever finishes them. See docs/rules.md."""

from bot.games.gambler.rules import Gambler

__all__ = ["Gambler"]
