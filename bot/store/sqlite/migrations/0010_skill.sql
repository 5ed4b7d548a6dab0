-- How well and how luckily a person played, as JSON; see bot/standings/mastery.py. NULL for seats that others played too,
-- and as long as it is not worked out.
ALTER TABLE results ADD COLUMN skill TEXT;

-- Luck in Tutto was a little off for leaders in the edition classic, and skill is worked out with it: all games again.
UPDATE results SET luck = NULL WHERE game = 'tutto';

INSERT INTO meta (key, value) VALUES ('rebuild', '1') ON CONFLICT (key) DO UPDATE SET value = '1';
