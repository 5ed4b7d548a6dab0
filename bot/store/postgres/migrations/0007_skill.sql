-- What SQLite's tenth migration does; see there.
ALTER TABLE results ADD COLUMN skill TEXT COLLATE "C";

UPDATE results SET luck = NULL WHERE game = 'tutto';

INSERT INTO meta (key, value) VALUES ('rebuild', '1') ON CONFLICT (key) DO UPDATE SET value = '1';
