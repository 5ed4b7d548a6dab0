-- name: notifications_of
SELECT way, moment, quiet_from, quiet_to, zone, locale FROM calls WHERE user_id = :user_id;

-- name: set_notifications
INSERT INTO calls (user_id, way, moment, quiet_from, quiet_to, zone, locale)
VALUES (:user_id, :way, :moment, :quiet_from, :quiet_to, :zone, :locale)
ON CONFLICT (user_id) DO UPDATE SET
    way = excluded.way, moment = excluded.moment, quiet_from = excluded.quiet_from, quiet_to = excluded.quiet_to,
    zone = excluded.zone, locale = excluded.locale;

-- name: delete_notifications_of
DELETE FROM calls WHERE user_id = :user_id;
