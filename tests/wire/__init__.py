"""A Discord on loopback, so that the real bot process can be run, cut off, killed and restarted."""
