"""The daily game: Tutto alone, with the same dice for everybody; see docs/decisions/daily-game.md."""
