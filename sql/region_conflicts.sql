-- Writes that are lost to those of other regions, logged.
SET client_min_messages = warning;
SELECT dynamo.create_region('conflict-here');
CREATE SERVER region_conflict FOREIGN DATA WRAPPER dynamo_region;
SELECT dynamo.create_region('conflict-there', 'region_conflict');
CREATE ROLE conflict_owner;
CREATE ROLE conflict_reader;
GRANT USAGE, CREATE ON SCHEMA dynamo_data TO conflict_owner;
SET SESSION AUTHORIZATION conflict_owner;
SELECT dynamo.create_table('Conflict', 'id');
RESET SESSION AUTHORIZATION;
SELECT dynamo_internal.add_replica('Conflict', 'conflict-there');

-- A change as it is sent; "ago" is milliseconds before now.
CREATE FUNCTION pg_temp.change(number int8, ago int8, item jsonb, deleted boolean DEFAULT false, region text DEFAULT 'conflict-there') RETURNS bytea LANGUAGE sql AS $$
	SELECT int8send(number) || int8send((SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8 - ago) << 16) ||
		int4send(coalesce((SELECT region_id FROM dynamo.regions WHERE region_name = region), 7)) ||
		CASE WHEN deleted THEN '\x01'::bytea ELSE '\x00' END || int4send(length(b)) || b
	FROM (SELECT dynamo_internal.item_send(item::dynamo.item)) AS i(b)
$$;
CREATE FUNCTION pg_temp.send("position" int8, VARIADIC changes bytea[]) RETURNS text LANGUAGE sql AS $$
	SELECT format('%s applied, %s discarded', applied, discarded) FROM dynamo_internal.apply_replica('Conflict', 'conflict-there', 'one', "position",
		(SELECT '\x01'::bytea || coalesce(string_agg(c, '' ORDER BY n), '') FROM unnest(changes) WITH ORDINALITY AS u(c, n)))
$$;
-- What the log has.
CREATE FUNCTION pg_temp.show() RETURNS TABLE (keys text, lost_region text, lost text, won_region text, won text) LANGUAGE sql AS $$
	SELECT keys, lost_region, lost_item, won_region, won_item FROM dynamo.conflicts WHERE table_name = 'Conflict' ORDER BY keys::text, lost_item::text
$$;

-- Without a log there is none.
SELECT dynamo.put_item('Conflict', '{"id": "a", "v": 1}');
SELECT pg_temp.send(1, pg_temp.change(1, 5000, '{"id": "a", "v": "lost"}'));
SELECT count(*) FROM dynamo.conflicts;

-- What may be asked, and by whom.
SET SESSION AUTHORIZATION conflict_reader;
SELECT dynamo.log_conflicts('Conflict');
SET SESSION AUTHORIZATION conflict_owner;
SELECT dynamo.log_conflicts('ConflictNone');
SELECT dynamo.log_conflicts('Conflict', days => -1);
SELECT dynamo.log_conflicts('Conflict', days => 3651);
SELECT dynamo.log_conflicts('Conflict', entries => 0);
SELECT dynamo.log_conflicts('Conflict', days => 3650, entries => 1);
SELECT dynamo.log_conflicts('Conflict', days => 0);
SELECT dynamo.log_conflicts('Conflict');
RESET SESSION AUTHORIZATION;
SELECT relation, days, entries FROM dynamo_internal.conflict_logs;

-- An older write comes: what it wrote is lost, or that it deleted the item.
SELECT dynamo.put_item('Conflict', '{"id": "b", "v": 1}');
SELECT pg_temp.send(3, pg_temp.change(2, 5000, '{"id": "a", "v": 2}'), pg_temp.change(3, 5000, '{"id": "b"}', true));
-- ... but not when both have written the same.
SELECT pg_temp.send(4, pg_temp.change(4, 5000, '{"id": "b", "v": 1}'));
-- It comes once more: whoever wrote what is here may have seen it.
SELECT pg_temp.send(4, pg_temp.change(4, 5000, '{"id": "b", "v": "again"}'));
SELECT * FROM pg_temp.show();
TRUNCATE dynamo_internal.conflicts;

-- A newer one comes, which cannot have seen what is here; nor a deletion here.
SELECT dynamo.delete_item('Conflict', '{"id": "b"}');
SELECT pg_sleep(0.002);
SELECT pg_temp.send(7, pg_temp.change(5, 0, '{"id": "a", "v": 5}'), pg_temp.change(6, 0, '{"id": "b", "v": 6}'), pg_temp.change(7, 5000, '{"id": "new", "v": 7}'));
SELECT * FROM pg_temp.show();
TRUNCATE dynamo_internal.conflicts;
-- What is from there, or was the last write there, is no conflict; nor is what that region has already.
SELECT pg_temp.send(8, pg_temp.change(8, -1, '{"id": "a", "v": 8}'));
SELECT pg_temp.send(9, pg_temp.change(9, 5000, '{"id": "a", "v": 9}'));
SELECT dynamo.put_item('Conflict', '{"id": "c", "v": 1}');
SELECT pg_sleep(0.002);
UPDATE dynamo_internal.replicas SET incarnation = 'mine' WHERE region_name = 'conflict-there';
SELECT a.applied FROM dynamo_internal.apply_replica('Conflict', 'conflict-there', 'one', 10, '\x01'::bytea || pg_temp.change(10, 0, '{"id": "c", "v": 10}'), 0,
	(SELECT max(number) FROM dynamo_internal.item_versions), 'mine') AS a;
SELECT * FROM pg_temp.show();
-- ... unless it speaks of numbers that another incarnation had, or of less.
SELECT dynamo.put_item('Conflict', '{"id": "f", "v": 1}'), dynamo.put_item('Conflict', '{"id": "g", "v": 1}');
SELECT pg_sleep(0.002);
SELECT a.applied FROM dynamo_internal.apply_replica('Conflict', 'conflict-there', 'one', 10, '\x01'::bytea || pg_temp.change(10, 0, '{"id": "f", "v": 10}'), 0,
	(SELECT max(number) FROM dynamo_internal.item_versions), 'another') AS a;
SELECT a.applied FROM dynamo_internal.apply_replica('Conflict', 'conflict-there', 'one', 10, '\x01'::bytea || pg_temp.change(10, 0, '{"id": "g", "v": 10}'), 0,
	(SELECT number - 1 FROM dynamo_internal.item_versions WHERE keys->>'id' = 'g'), 'mine') AS a;
SELECT * FROM pg_temp.show();
TRUNCATE dynamo_internal.conflicts;
-- Nor is it one that a third region's item is replaced; an older write that comes then is lost.
SELECT pg_temp.send(11, pg_temp.change(11, 3000, '{"id": "d", "v": 11}', region => 'seven'));
SELECT pg_temp.send(12, pg_temp.change(12, 2000, '{"id": "d", "v": 12}'));
SELECT pg_temp.send(13, pg_temp.change(13, 2500, '{"id": "d", "v": 13}', region => 'seven'));
SELECT * FROM pg_temp.show();
TRUNCATE dynamo_internal.conflicts;

-- Versions tell which was later; times are those of the clocks there.
SELECT dynamo.put_item('Conflict', '{"id": "e", "v": 1}');
SELECT pg_temp.send(20, pg_temp.change(20, 5000, '{"id": "e", "v": 20}'));
SELECT won_version > lost_version AS later, won_at - lost_at BETWEEN '4 s' AND '60 s' AS later, abs(extract(epoch FROM logged_at - won_at)) < 60 AS now FROM dynamo.conflicts;

-- Who may read all of the table may read the log.
SET SESSION AUTHORIZATION conflict_reader;
SELECT count(*) FROM dynamo.conflicts;
SELECT * FROM dynamo_internal.conflicts;
RESET SESSION AUTHORIZATION;
GRANT SELECT (pk), INSERT, UPDATE, DELETE ON dynamo_data."Conflict" TO conflict_reader;
SET SESSION AUTHORIZATION conflict_reader;
SELECT count(*) FROM dynamo.conflicts;
RESET SESSION AUTHORIZATION;
GRANT SELECT ON dynamo_data."Conflict" TO conflict_reader;
SET SESSION AUTHORIZATION conflict_reader;
SELECT count(*) FROM dynamo.conflicts;
RESET SESSION AUTHORIZATION;
ALTER TABLE dynamo_data."Conflict" ENABLE ROW LEVEL SECURITY;
CREATE POLICY only_a ON dynamo_data."Conflict" TO conflict_reader USING (item->>'id' = 'a');
SET SESSION AUTHORIZATION conflict_reader;
SELECT count(*) FROM dynamo.conflicts;
SET SESSION AUTHORIZATION conflict_owner;
SELECT count(*) FROM dynamo.conflicts;
RESET SESSION AUTHORIZATION;
ALTER TABLE dynamo_data."Conflict" DISABLE ROW LEVEL SECURITY;

-- It is bounded: by its entries at once, by age now and then.
SELECT dynamo.log_conflicts('Conflict', days => 2, entries => 2);
SELECT pg_temp.send(23, pg_temp.change(21, 5000, '{"id": "e", "v": 21}'), pg_temp.change(22, 5000, '{"id": "e", "v": 22}'), pg_temp.change(23, 5000, '{"id": "e", "v": 23}'));
SELECT count(*) FROM dynamo.conflicts;
UPDATE dynamo_internal.conflicts SET logged_at = logged_at - interval '47 hours';
SELECT dynamo_internal.trim_replicas();
SELECT count(*) FROM dynamo.conflicts;
UPDATE dynamo_internal.conflicts SET logged_at = logged_at - interval '2 hours' WHERE number = (SELECT min(number) FROM dynamo_internal.conflicts);
SELECT dynamo_internal.trim_replicas();
SELECT count(*) FROM dynamo.conflicts;
-- What is not old is not read for that.
INSERT INTO dynamo_internal.conflicts SELECT relation, nextval('dynamo_internal.conflict_numbers'), logged_at, keys, lost_region, lost_time, lost_item, won_region, won_time, won_item
FROM dynamo_internal.conflicts, generate_series(1, 1000);
CREATE VIEW pg_temp.rows_read AS SELECT sum(pg_stat_get_xact_tuples_returned(i.indexrelid)) + max(pg_stat_get_xact_tuples_returned(i.indrelid)) AS n
FROM pg_index i WHERE i.indrelid = 'dynamo_internal.conflicts'::regclass;
BEGIN;
SELECT n FROM pg_temp.rows_read \gset before_
SELECT dynamo_internal.trim_replicas();
SELECT CASE WHEN n - :before_n < 10 THEN 'few' ELSE (n - :before_n)::text END AS read FROM pg_temp.rows_read;
COMMIT;
DROP VIEW pg_temp.rows_read;
SELECT count(*) FROM dynamo.conflicts;

-- Who changes a log keeps nothing else from being trimmed.
CREATE EXTENSION IF NOT EXISTS dblink SCHEMA public;
SELECT current_setting('port') AS port, current_database() AS db,
	split_part(current_setting('unix_socket_directories'), ',', 1) AS dir \gset
SELECT public.dblink_connect('other', format('host=%s port=%s dbname=%s user=%s', :'dir', :'port', :'db', current_user));
SELECT public.dblink_exec('other', 'BEGIN');
SELECT count(*) FROM public.dblink('other', $$SELECT dynamo.log_conflicts('Conflict', days => 2, entries => 2)::text$$) AS r(t text);
SET lock_timeout = '2s';
SELECT dynamo_internal.trim_replicas();
RESET lock_timeout;
SELECT public.dblink_exec('other', 'ROLLBACK');
SELECT public.dblink_disconnect('other');
DROP EXTENSION dblink;

-- It goes when it is ended, and with its table.
SELECT dynamo.log_conflicts('Conflict', days => 0);
SELECT count(*) FROM dynamo.conflicts;
SELECT pg_temp.send(24, pg_temp.change(24, 5000, '{"id": "e", "v": 24}'));
SELECT count(*) FROM dynamo.conflicts;
SELECT dynamo.log_conflicts('Conflict');
SELECT pg_temp.send(25, pg_temp.change(25, 5000, '{"id": "e", "v": 25}'));
SELECT count(*) FROM dynamo.conflicts;
DROP TABLE dynamo_data."Conflict";
SELECT count(*) FROM dynamo_internal.conflicts;
SELECT count(*) FROM dynamo_internal.conflict_logs;
SELECT dynamo_internal.trim_replicas();
SELECT dynamo.drop_region('conflict-there'), dynamo.drop_region('conflict-here');
DROP SERVER region_conflict;
DROP OWNED BY conflict_owner;
DROP ROLE conflict_owner, conflict_reader;
