"""Where games, results and names are kept. The database is the truth; the latest games are kept at hand."""
