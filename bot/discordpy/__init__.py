"""All uses of discord.py's internals, and screens as message components."""
