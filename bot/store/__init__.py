"""Where games, results and names are kept. SQLite is the truth; no live game is held in memory."""
