-- What SQLite's ninth migration does; see there.
ALTER TABLE games ADD COLUMN offers TEXT COLLATE "C" NOT NULL DEFAULT '[]';
