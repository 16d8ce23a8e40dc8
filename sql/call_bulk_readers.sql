-- A session that works on more jobs by turns than it keeps files open of: none
-- goes on with another one's file, though that has the same name and is as far.
\set VERBOSITY terse
CREATE TEMPORARY TABLE made (buckets text);
COPY made FROM PROGRAM 'd=$(mktemp -d) && mkdir -p $d/regress-read-1 $d/regress-read-2 $d/regress-read-3 $d/regress-read-4 $d/regress-read-5 && echo $d';
SELECT buckets FROM made \gset
LOAD 'dynamo';
ALTER SYSTEM SET dynamo.bucket_directory = :'buckets';
SELECT pg_reload_conf();
\c -
SET client_min_messages = error;
DELETE FROM dynamo_internal.jobs;

-- Five roles, each with a bucket, a table and a job of its own, which takes two
-- steps.  Writing stops while "stops" has the first record of a step.
CREATE TABLE stops (record int);
CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
	IF EXISTS (SELECT FROM public.stops WHERE record = (new.item ->> 'id')::int) THEN
		RAISE 'stopped' USING ERRCODE = 'query_canceled';
	END IF;
	RETURN new;
END $$;
CREATE FUNCTION make(n int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	role text := 'regress_reads_' || n;
	name text := 'Read' || n;
	file text := current_setting('dynamo.bucket_directory') || '/regress-read-' || n || '/a.json';
	o oid := lo_from_bytea(0, convert_to(string_agg(format('{"Item":{"id":{"S":"%s"},"of":{"S":"%s"}}}', i, n), E'\n' ORDER BY i), 'UTF8'))
		FROM generate_series(1, 5002) i;
BEGIN
	PERFORM lo_export(o, file), lo_unlink(o);
	EXECUTE format('CREATE ROLE %I', role);
	PERFORM dynamo.create_table(name, 'id'), dynamo.grant_bucket('regress-read-' || n, role::regrole, '{read}');
	EXECUTE format('GRANT SELECT, INSERT, UPDATE ON dynamo_data.%I TO %I', name, role);
	EXECUTE format('CREATE TRIGGER stop BEFORE INSERT ON dynamo_data.%I FOR EACH ROW EXECUTE FUNCTION public.stop()', name);
END $$;
SELECT make(n) FROM generate_series(1, 5) n;

-- The first job is stopped in its second step, the others in their first.
INSERT INTO stops VALUES (5001);
SELECT format('SET ROLE regress_reads_%s', n), format('SELECT dynamo.bulk_put_items(''Read%s'', ''regress-read-%s'') IS NOT NULL AS asked', n, n),
	'CALL dynamo.run_jobs()', 'RESET ROLE', 'UPDATE stops SET record = 1'
FROM generate_series(1, 5) n \gexec
SELECT table_name, status, position ->> 'Taken' AS taken FROM dynamo.jobs ORDER BY 1;

-- It goes on when the session has opened the files of the others, and closed its own.
DELETE FROM stops;
SET ROLE regress_reads_1;
CALL dynamo.run_jobs();
RESET ROLE;
SELECT table_name, status, position ->> 'Taken' AS taken FROM dynamo.jobs ORDER BY 1 LIMIT 1;
SELECT item ->> 'of' AS of, count(*) FROM dynamo.scan('Read1') GROUP BY 1;

SELECT dynamo.drop_table(table_name) FROM dynamo.tables;
SELECT format('SELECT dynamo.revoke_bucket(''regress-read-%s'', ''regress_reads_%s'')', n, n), format('DROP ROLE regress_reads_%s', n)
FROM generate_series(1, 5) n \gexec
DELETE FROM dynamo_internal.jobs;
DROP FUNCTION make, stop;
DROP TABLE stops;
ALTER SYSTEM RESET dynamo.bucket_directory;
SELECT pg_reload_conf();
\set remove 'cat > /dev/null; rm -r ' :buckets
COPY (SELECT 1) TO PROGRAM :'remove';
