"""The Discord-like page of the playground: a simcord preview, made fit for playing in several places."""
