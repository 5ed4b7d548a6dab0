"""Measurements: medians and ratios against a baseline in the same run. Never part of a test's verdict."""
