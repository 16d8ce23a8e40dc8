-- A record is there if and only if its change is.

CREATE FUNCTION pg_temp.records(name text) RETURNS TABLE (event text, old jsonb, new jsonb)
LANGUAGE sql AS $$
	SELECT event_name, old_image::jsonb, new_image::jsonb FROM dynamo.stream(name)
$$;
SELECT dynamo.create_table('Undone', 'pk');
SELECT dynamo.enable_stream('Undone') IS NOT NULL AS enabled;

-- Rolled back as a whole.
BEGIN;
SELECT dynamo.put_item('Undone', '{"pk": "1"}');
ROLLBACK;
SELECT * FROM pg_temp.records('Undone');

-- A transaction does not see its own, nor what others commit behind them.
BEGIN;
SELECT dynamo.put_item('Undone', '{"pk": "2"}');
SELECT * FROM pg_temp.records('Undone');
COMMIT;
SELECT * FROM pg_temp.records('Undone');

-- The first record of the transaction is rolled back with its savepoint; what
-- comes after is not shown too early for all that.
BEGIN;
SAVEPOINT s;
SELECT dynamo.put_item('Undone', '{"pk": "3"}');
ROLLBACK TO s;
SELECT dynamo.put_item('Undone', '{"pk": "4"}');
SAVEPOINT s;
SELECT dynamo.put_item('Undone', '{"pk": "5"}');
INSERT INTO dynamo_data."Undone" (item) VALUES ('{"pk": "6"}');
ROLLBACK TO s;
SELECT dynamo.delete_item('Undone', '{"pk": "2"}');
SELECT count(*) FROM pg_temp.records('Undone');
SELECT holder_pid = pg_backend_pid() AS held FROM dynamo.stat_streams WHERE table_name = 'Undone';
COMMIT;
SELECT holder_pid = pg_backend_pid() AS held FROM dynamo.stat_streams WHERE table_name = 'Undone';
SELECT * FROM pg_temp.records('Undone') OFFSET 1;

-- Exceptions caught are savepoints rolled back.
DO $$
BEGIN
	PERFORM dynamo.put_item('Undone', '{"pk": "7"}');
	BEGIN
		PERFORM dynamo.put_item('Undone', '{"pk": "8"}');
		PERFORM 1 / 0;
	EXCEPTION WHEN division_by_zero THEN
		PERFORM dynamo.put_item('Undone', '{"pk": "9"}');
	END;
END
$$;
SELECT * FROM pg_temp.records('Undone') OFFSET 3;

-- Enabling is undone as well.
SELECT dynamo.disable_stream('Undone');
BEGIN;
SELECT dynamo.enable_stream('Undone') IS NOT NULL AS enabled;
SELECT dynamo.put_item('Undone', '{"pk": "10"}');
ROLLBACK;
SELECT dynamo.put_item('Undone', '{"pk": "11"}');
SELECT count(*) FROM dynamo.streams WHERE table_name = 'Undone' AND end_number IS NULL;
SELECT count(*) FROM pg_temp.records('Undone');
BEGIN;
SELECT dynamo.enable_stream('Undone') IS NOT NULL AS enabled;
SELECT dynamo.put_item('Undone', '{"pk": "12"}');
COMMIT;
SELECT * FROM pg_temp.records('Undone');

-- The number of a stream may be that of a relation, whose locks tell nothing of
-- those who write to the stream.
SELECT setval('dynamo_internal.stream_ids', 'pg_class'::regclass::oid::bigint - 1) IS NOT NULL AS set;
SELECT dynamo.disable_stream('Undone');
SELECT dynamo.enable_stream('Undone') IS NOT NULL AS enabled;
SELECT dynamo.put_item('Undone', '{"pk": "13"}');
BEGIN;
LOCK TABLE pg_class IN ACCESS SHARE MODE;
SELECT count(*) FROM pg_locks l JOIN dynamo.streams s ON l.relation = s.stream_id WHERE table_name = 'Undone' AND l.pid = pg_backend_pid();
SELECT * FROM pg_temp.records('Undone');
COMMIT;

SELECT dynamo.drop_table('Undone');
