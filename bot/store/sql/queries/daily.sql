-- name: make_daily_day
INSERT INTO daily_days (day, secret, rules_version) VALUES (:day, :secret, :rules_version)
ON CONFLICT (day) DO NOTHING;

-- name: daily_day
SELECT day, secret, rules_version, par FROM daily_days WHERE day = :day;

-- name: set_daily_par
UPDATE daily_days SET par = :par WHERE day = :day;

-- name: begin_daily_play
INSERT INTO daily_plays (user_id, day, begun_at) VALUES (:user_id, :day, :at)
ON CONFLICT (user_id, day) DO NOTHING;

-- name: daily_play
SELECT user_id, day, choices, made, begun_at, ended_at, turns, lost FROM daily_plays
WHERE user_id = :user_id AND day = :day;

-- name: write_daily_choices
UPDATE daily_plays SET choices = :choices, made = :made, ended_at = :ended_at, turns = :turns
WHERE user_id = :user_id AND day = :day AND made = :expected;

-- name: set_daily_lost
UPDATE daily_plays SET lost = :lost WHERE user_id = :user_id AND day = :day AND turns IS NOT NULL;

-- name: daily_days_of
SELECT day FROM daily_plays WHERE user_id = :user_id AND turns IS NOT NULL ORDER BY day DESC;

-- name: note_daily_server
INSERT INTO daily_servers (guild_id, day, user_id) VALUES (:guild_id, :day, :user_id)
ON CONFLICT (guild_id, day, user_id) DO NOTHING;

-- name: daily_list_of_server
SELECT user_id, name, turns, lost, place, people, number FROM (
    SELECT
        user_id, members.name, turns, lost,
        rank() OVER (ORDER BY turns) AS place,
        row_number() OVER (ORDER BY turns, coalesce(lost, 1000.0), ended_at, user_id) AS number,
        count(*) OVER () AS people
    FROM daily_servers
    JOIN daily_plays USING (user_id, day)
    JOIN members USING (guild_id, user_id)
    WHERE
        daily_servers.guild_id = :guild_id AND daily_servers.day = :day AND turns IS NOT NULL
        AND members.present = 1 AND members.unlisted = 0
) AS lines
WHERE (number > :start AND number <= :upto) OR user_id = :user_id
ORDER BY number;

-- name: daily_list_of_all
SELECT user_id, name, turns, lost, place, people, number FROM (
    SELECT
        user_id, daily_listed.name, turns, lost,
        rank() OVER (ORDER BY turns) AS place,
        row_number() OVER (ORDER BY turns, coalesce(lost, 1000.0), ended_at, user_id) AS number,
        count(*) OVER () AS people
    FROM daily_plays
    JOIN daily_listed USING (user_id)
    WHERE daily_plays.day = :day AND turns IS NOT NULL
) AS lines
WHERE (number > :start AND number <= :upto) OR user_id = :user_id
ORDER BY number;

-- name: daily_listed_name
SELECT name FROM daily_listed WHERE user_id = :user_id;

-- name: set_daily_listed
INSERT INTO daily_listed (user_id, name) VALUES (:user_id, :name)
ON CONFLICT (user_id) DO UPDATE SET name = excluded.name;

-- name: delete_daily_listed
DELETE FROM daily_listed WHERE user_id = :user_id;

-- name: delete_daily_servers_of
DELETE FROM daily_servers WHERE user_id = :user_id;

-- name: delete_daily_plays_of
DELETE FROM daily_plays WHERE user_id = :user_id;

-- name: purge_daily_servers
DELETE FROM daily_servers WHERE guild_id = :guild_id;

-- name: export_daily_plays
SELECT day, choices, made, begun_at, ended_at, turns, lost FROM daily_plays WHERE user_id = :user_id ORDER BY day;

-- name: export_daily_servers
SELECT guild_id, day FROM daily_servers WHERE user_id = :user_id ORDER BY day, guild_id;
