"""Metrics, logging and health checks."""
