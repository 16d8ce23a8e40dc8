-- Definitions are cached; what changed is seen at once, in every backend.

CREATE FUNCTION pg_temp.key(name text) RETURNS text LANGUAGE sql AS $$
	SELECT dynamo.call('DescribeTable', json_build_object('TableName', name))
		#>> '{Table,KeySchema,0,AttributeName}'
$$;
CREATE FUNCTION pg_temp.items(name text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
BEGIN
	EXECUTE format('SELECT count(*) FROM %s', dynamo.relation(name)) INTO n;
	RETURN n;
END $$;

-- A re-created table is empty, and another table.
SELECT dynamo.create_table('Cached', 'one');
INSERT INTO dynamo_data."Cached" (item) VALUES ('{"one": "x"}');
SELECT pg_temp.key('Cached'), pg_temp.items('Cached');
SELECT dynamo.drop_table('Cached');
SELECT dynamo.create_table('Cached', 'two N');
SELECT pg_temp.key('Cached'), pg_temp.items('Cached');

-- Another backend drops, re-creates, adds an index.
CREATE EXTENSION IF NOT EXISTS dblink SCHEMA public;
SELECT current_setting('port') AS port, current_database() AS db,
	split_part(current_setting('unix_socket_directories'), ',', 1) AS dir \gset
SELECT public.dblink_connect('other', format('host=%s port=%s dbname=%s user=%s', :'dir', :'port', :'db', current_user));
SELECT public.dblink_exec('other', 'DROP TABLE dynamo_data."Cached"');
SELECT pg_temp.key('Cached');
SELECT key FROM public.dblink('other', $$SELECT dynamo.create_table('Cached', 'three')::text$$) AS r(key text);
SELECT pg_temp.key('Cached');
SELECT count(*) FROM public.dblink('other', $$SELECT dynamo.create_index('Cached', 'index', 'a')::text$$) AS r(t text);
SELECT dynamo.call('DescribeTable', '{"TableName": "Cached"}') #>> '{Table,GlobalSecondaryIndexes,0,IndexStatus}' AS status;

-- What the other has not committed is not there; in its own transaction it is.
SELECT public.dblink_exec('other', 'BEGIN');
SELECT count(*) FROM public.dblink('other', $$SELECT dynamo.create_table('CachedToo', 'k')::text$$) AS r(t text);
SELECT pg_temp.key('CachedToo');
SELECT key FROM public.dblink('other', $$SELECT dynamo.relation('CachedToo')::text$$) AS r(key text);
-- Who takes the name meanwhile waits for it; here, not for long.
-- 19 adds on which lock it waited
\set SHOW_CONTEXT never
SET lock_timeout = '100ms';
SELECT dynamo.create_table('CachedToo', 'mine');
RESET lock_timeout;
\set SHOW_CONTEXT errors
SELECT public.dblink_exec('other', 'ROLLBACK');
SELECT dynamo.create_table('CachedToo', 'mine');
SELECT dynamo.drop_table('CachedToo');
SELECT public.dblink_disconnect('other');

-- Renamed and moved, the relation is still the table's; emptied, it is empty.
INSERT INTO dynamo_data."Cached" (item) VALUES ('{"three": "x", "a": "y"}');
ALTER TABLE dynamo_data."Cached" RENAME TO renamed;
SELECT dynamo.relation('Cached'), pg_temp.items('Cached');
ALTER TABLE dynamo_data.renamed SET SCHEMA public;
SELECT dynamo.relation('Cached'), pg_temp.items('Cached');
TRUNCATE public.renamed;
SELECT dynamo.relation('Cached'), pg_temp.items('Cached');
SELECT dynamo.call('DescribeTable', '{"TableName": "Cached"}') #>> '{Table,GlobalSecondaryIndexes,0,IndexStatus}' AS status;

-- An edited row is seen at once.
UPDATE dynamo.tables SET settings = '{"DeletionProtectionEnabled": true}' WHERE table_name = 'Cached';
SELECT dynamo.drop_table('Cached');
BEGIN;
DELETE FROM dynamo.tables WHERE table_name = 'Cached';
SELECT dynamo.relation('Cached');
ROLLBACK;
SELECT dynamo.relation('Cached');
DROP TABLE public.renamed;
SELECT dynamo.relation('Cached');

-- A relation whose columns were rearranged is refused, not misread.
SELECT dynamo.create_table('Cached', 'pk');
ALTER TABLE dynamo_data."Cached" DROP COLUMN item CASCADE;
SELECT dynamo.call('DescribeTable', '{"TableName": "Cached"}');
DROP TABLE dynamo_data."Cached";
SELECT dynamo.relation('Cached');
DROP EXTENSION dblink;
