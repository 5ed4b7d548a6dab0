"""Every use of what discord.py keeps to itself, and screens as message components."""
