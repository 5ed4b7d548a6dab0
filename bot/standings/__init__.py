"""Ratings, leaderboards, periods and statistics, as values."""
