-- By which version of the game's measure (bot/screens/entry.py) luck and skill were worked out: 0 as long as they were
-- not, and where nobody knows, so that those of all earlier games are worked out again.
ALTER TABLE results ADD COLUMN measured INTEGER NOT NULL DEFAULT 0;

DROP INDEX results_without_luck;

CREATE INDEX results_measured ON results (game, measured, game_id);

-- What a person gave away, in millionths of a win, when it changed their rating. It stays when skill is worked out again,
-- so that a rebuild finds the ratings that people were shown.
ALTER TABLE results ADD COLUMN judged_errors INTEGER;

UPDATE results SET judged_errors = json_extract(skill, '$.skill_errors')
WHERE mu IS NOT NULL AND json_extract(skill, '$.skill_choices') >= 10;

-- Until it is worked out again, skill is that of another estimate, and counted in other units. Luck in points stays.
UPDATE results SET skill = NULL WHERE skill IS NOT NULL;

INSERT INTO meta (key, value) VALUES ('rebuild', '1') ON CONFLICT (key) DO UPDATE SET value = '1';
