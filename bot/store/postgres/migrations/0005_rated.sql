-- What SQLite's eighth migration does; see there.
ALTER TABLE games ADD COLUMN rated SMALLINT NOT NULL DEFAULT 1;

ALTER TABLE games DROP COLUMN hints;

DELETE FROM settings WHERE name = 'hints';
