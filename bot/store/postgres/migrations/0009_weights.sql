-- What SQLite's twelfth migration does; see there.
ALTER TABLE results ADD COLUMN weight DOUBLE PRECISION NOT NULL DEFAULT 1;

CREATE INDEX games_with_offers ON games (id) WHERE offers <> '[]';
