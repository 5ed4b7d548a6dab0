"""Stores games, results and names on SQLite or PostgreSQL, with a cache of the latest games."""
