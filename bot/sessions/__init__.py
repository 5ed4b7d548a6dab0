"""The game of a channel: the commands that change it, and the session that runs them."""
