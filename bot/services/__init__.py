"""Everything that runs in the background."""
