"""Finished games: seeds and fairness, the public record, replay, verification."""
