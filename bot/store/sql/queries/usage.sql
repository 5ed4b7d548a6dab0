-- name: usage
SELECT
    (SELECT count(DISTINCT guild_id) FROM games),
    (SELECT count(DISTINCT user_id) FROM seats WHERE user_id IS NOT NULL),
    (SELECT count(*) FROM games WHERE status = 'lobby'),
    (SELECT count(*) FROM games WHERE status = 'live'),
    (SELECT count(*) FROM games WHERE status = 'over'),
    (SELECT count(*) FROM games WHERE status = 'ended'),
    (SELECT count(*) FROM interactions WHERE id >= :since);
