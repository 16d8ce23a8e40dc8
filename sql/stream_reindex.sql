-- REINDEX CONCURRENTLY, which puts another index in the place of the one by
-- which records are read: sessions that have used the old one go on.

SELECT dynamo.create_table('Reindexed', 'pk');
SELECT dynamo.enable_stream('Reindexed') IS NOT NULL AS enabled;
SELECT dynamo.put_item('Reindexed', '{"pk": "before"}');
SELECT count(*) FROM dynamo.stream('Reindexed');

REINDEX TABLE CONCURRENTLY dynamo_internal.stream_records_0;
REINDEX TABLE CONCURRENTLY dynamo_internal.stream_records_1;
REINDEX TABLE CONCURRENTLY dynamo_internal.stream_records_2;
REINDEX TABLE CONCURRENTLY dynamo_internal.stream_records_3;
REINDEX TABLE CONCURRENTLY dynamo_internal.stream_records_4;
REINDEX TABLE CONCURRENTLY dynamo_internal.stream_records_5;
REINDEX TABLE CONCURRENTLY dynamo_internal.stream_records_6;
REINDEX TABLE CONCURRENTLY dynamo_internal.stream_records_7;
SELECT dynamo.put_item('Reindexed', '{"pk": "after"}');
SELECT event_name, keys FROM dynamo.stream('Reindexed');

-- An index of the administrator's is kept true, too; one that cannot be is
-- refused, or else it would lack records without a word.
BEGIN;
DO $$
BEGIN
	FOR i IN 0 .. 7 LOOP
		EXECUTE format('CREATE INDEX ON dynamo_internal.stream_records_%s USING brin (created_at)', i);
		EXECUTE format('CREATE UNIQUE INDEX ON dynamo_internal.stream_records_%s (number)', i);
	END LOOP;
END
$$;
SELECT dynamo.put_item('Reindexed', '{"pk": "indexed"}');
SET LOCAL enable_seqscan = off;
SELECT count(*) FROM (SELECT * FROM dynamo_internal.stream_records_0 UNION ALL SELECT * FROM dynamo_internal.stream_records_1
	UNION ALL SELECT * FROM dynamo_internal.stream_records_2 UNION ALL SELECT * FROM dynamo_internal.stream_records_3
	UNION ALL SELECT * FROM dynamo_internal.stream_records_4 UNION ALL SELECT * FROM dynamo_internal.stream_records_5
	UNION ALL SELECT * FROM dynamo_internal.stream_records_6 UNION ALL SELECT * FROM dynamo_internal.stream_records_7) r
WHERE number = (SELECT last_value FROM dynamo_internal.stream_sequence) AND new_image->>'pk' = 'indexed';
DO $$
BEGIN
	FOR i IN 0 .. 7 LOOP
		EXECUTE format('CREATE INDEX partial ON dynamo_internal.stream_records_%s (number) WHERE event = ''R''', i);
		EXECUTE 'ALTER INDEX dynamo_internal.partial RENAME TO partial_' || i;
	END LOOP;
END
$$;
\set VERBOSITY sqlstate
SELECT dynamo.put_item('Reindexed', '{"pk": "refused"}');
ROLLBACK;
SELECT dynamo.drop_table('Reindexed');
