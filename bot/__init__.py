"""A Discord bot that hosts dice games among friends."""

__version__ = "0.1.0"
