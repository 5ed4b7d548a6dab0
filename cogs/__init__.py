"""Discord in, Discord out: cogs translate commands and clicks into calls on a game session."""
