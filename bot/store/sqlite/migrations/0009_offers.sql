-- The questions whether somebody takes over a seat, as a JSON list of [number, seated, user_id, until, answer].
ALTER TABLE games ADD COLUMN offers TEXT NOT NULL DEFAULT '[]';
