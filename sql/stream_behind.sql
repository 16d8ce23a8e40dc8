-- A stream restored without the sequence of numbers: its records would have
-- numbers that no reader looks at, so none is written.

SELECT dynamo.create_table('Behind', 'pk');
SELECT dynamo.enable_stream('Behind') IS NOT NULL AS enabled;
UPDATE dynamo.streams SET start_number = 1000000000000 WHERE table_name = 'Behind';
\set VERBOSITY terse
SELECT dynamo.put_item('Behind', '{"pk": "lost"}');
INSERT INTO dynamo_data."Behind" (item) VALUES ('{"pk": "lost"}');
SELECT count(*) FROM dynamo.scan('Behind');

-- A new stream is right.
SELECT dynamo.disable_stream('Behind');
SELECT dynamo.enable_stream('Behind') IS NOT NULL AS enabled;
SELECT dynamo.put_item('Behind', '{"pk": "found"}');
SELECT event_name, keys FROM dynamo.stream('Behind');

-- A reader that has seen all, as idle clients are each second, looks into no records.
SELECT max(sequence_number) AS last FROM dynamo.stream('Behind') \gset
BEGIN;
CREATE FUNCTION pg_temp.looks() RETURNS numeric LANGUAGE sql AS $$
	SELECT sum(seq_scan + idx_scan) FROM pg_stat_xact_all_tables WHERE relname LIKE 'stream\_records\__' $$;
SELECT pg_temp.looks() AS before \gset
SELECT count(*) FROM dynamo.stream('Behind', :last);
SELECT pg_temp.looks() - :before AS looks;
SELECT count(*) FROM dynamo.stream('Behind', :last - 1);
SELECT pg_temp.looks() > :before AS has_looked;
ROLLBACK;
SELECT dynamo.drop_table('Behind');
