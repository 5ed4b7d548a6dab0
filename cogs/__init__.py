"""Cogs: they translate commands and clicks into calls on a game session."""
