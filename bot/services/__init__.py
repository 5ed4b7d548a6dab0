"""Background jobs and worker processes."""
