-- Who the host wants to begin a game: a seat of the lobby, -1 for the first one, -2 for a lot; see bot/records/beginner.py.
ALTER TABLE games ADD COLUMN begins INTEGER NOT NULL DEFAULT -1;
