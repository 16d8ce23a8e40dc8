-- A ring's piece whose index somebody has dropped is told, and crashes nothing.
\a
\t on
\set VERBOSITY sqlstate
SELECT dynamo.create_table('Ring', 'pk');
SELECT dynamo.enable_stream('Ring') IS NOT NULL;
SELECT dynamo.put_item('Ring', '{"pk": "a"}');
BEGIN;
DO $$DECLARE i regclass; BEGIN
	FOR i IN SELECT indexrelid FROM pg_index WHERE indrelid IN (SELECT oid FROM pg_class WHERE relname LIKE 'stream\_records\__') LOOP
		EXECUTE format('DROP INDEX %s', i);
	END LOOP;
END $$;
SELECT count(*) FROM dynamo.stream('Ring');
ROLLBACK;
SELECT dynamo.drop_table('Ring');
