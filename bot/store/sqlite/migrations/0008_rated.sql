-- Whether a game changes ratings; its players may look at the odds only if it does not. So there is no option for odds
-- any more. All games up to now were rated.
ALTER TABLE games ADD COLUMN rated INTEGER NOT NULL DEFAULT 1;

ALTER TABLE games DROP COLUMN hints;

DELETE FROM settings WHERE name = 'hints';
