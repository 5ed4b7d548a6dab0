-- What SQLite's fourteenth migration does; see there.
ALTER TABLE games ADD COLUMN begins INTEGER NOT NULL DEFAULT -1;
