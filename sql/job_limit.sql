-- How many jobs of a kind may be unfinished at once, whoever asked for them.
\set VERBOSITY terse
\set bucket regress-limit
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/bucket.sql
\i :helper
DELETE FROM dynamo_internal.jobs;
-- What a statement is answered with, which is then undone.
CREATE FUNCTION pg_temp.answer(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE statement;
	RAISE EXCEPTION 'taken';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
SELECT dynamo.create_table('Limited', 'id') IS NOT NULL AS made;
SELECT dynamo.create_backup('Limited', 'limited') AS backup \gset
CREATE TEMPORARY TABLE asked AS SELECT n, format(statement, :'backup') AS statement FROM (VALUES
	(1, 'SELECT dynamo.bulk_put_items(''Limited'', ''regress-limit'')'),
	(2, 'SELECT dynamo.import_table(''LimitedTo'', ''regress-limit'', ''id'')'),
	(3, 'SELECT dynamo.export_table(''Limited'', ''regress-limit'')'),
	(4, 'SELECT dynamo.restore_table(''LimitedAgain'', backup_arn => %L)')) AS s (n, statement);

-- There are as many of each kind as there may be but one, copies of one job.
SELECT dynamo.bulk_put_items('Limited', 'regress-limit') IS NOT NULL AS asked;
CREATE TEMPORARY TABLE job AS SELECT * FROM dynamo_internal.jobs WHERE kind = 'P';
DELETE FROM dynamo_internal.jobs;
CREATE FUNCTION pg_temp.add(of_kind text, first int, last int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO dynamo_internal.jobs SELECT ascii(of_kind) * 1000 + i, format('%s-%s', of_kind, i), of_kind::"char", status, table_name, relation, owner, owner_oid,
		request, token, position, created_at, started_at, ended_at, retry_at, failure_code, failure_message, attempts
	FROM job, generate_series(first, last) AS i $$;
SELECT pg_temp.add('P', 1, 49), pg_temp.add('I', 1, 49), pg_temp.add('E', 1, 299), pg_temp.add('R', 1, 49);
SELECT split_part(split_part(statement, '.', 2), '(', 1) AS what, pg_temp.answer(statement) FROM asked ORDER BY n;
SELECT pg_temp.add('P', 50, 50), pg_temp.add('I', 50, 50), pg_temp.add('E', 300, 300), pg_temp.add('R', 50, 50);
SELECT split_part(split_part(statement, '.', 2), '(', 1) AS what, pg_temp.answer(statement) FROM asked ORDER BY n;
-- One that has ended makes room for another of its kind alone.
UPDATE dynamo_internal.jobs SET status = 'C', ended_at = now() WHERE id IN ('P-7', 'E-7');
SELECT split_part(split_part(statement, '.', 2), '(', 1) AS what, pg_temp.answer(statement) FROM asked ORDER BY n;

DELETE FROM dynamo_internal.jobs;
SELECT dynamo.delete_backup(:'backup');
SELECT dynamo.drop_table('Limited');
ALTER SYSTEM RESET dynamo.bucket_directory;
SELECT pg_reload_conf();
\set remove 'cat > /dev/null; rm -r ' :buckets
COPY (SELECT 1) TO PROGRAM :'remove';
