"""The game of a channel: what people may do to it, and the session that carries it out."""
