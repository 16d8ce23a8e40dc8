-- Jobs that fail: what is tried again and how often, what is given up at once,
-- and what is shown of a failure that has passed.
\set VERBOSITY terse
\pset null '~'
\set bucket regress-again
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/bucket.sql
\i :helper
DELETE FROM dynamo_internal.jobs;
\set put 'cat > ' :buckets '/regress-again/a.json'
COPY (SELECT '{"Item":{"id":{"S":"a"}}}') TO PROGRAM :'put';

-- A table whose writers fail, with this SQLSTATE, the first so many times.
CREATE TABLE fault (code text, times int);
INSERT INTO fault VALUES ('', 0);
CREATE SEQUENCE attempts;
CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	attempt int := nextval('public.attempts');
	sqlstate text;
BEGIN
	SELECT code INTO sqlstate FROM public.fault WHERE attempt <= times;
	IF FOUND THEN
		RAISE EXCEPTION 'attempt %', attempt USING ERRCODE = sqlstate;
	END IF;
	RETURN new;
END $$;
SELECT dynamo.create_table('Again', 'id') IS NOT NULL AS made;
CREATE TRIGGER fail BEFORE INSERT OR UPDATE ON dynamo_data."Again" FOR EACH ROW EXECUTE FUNCTION fail();

-- What has become of the last bulk put of one record into it.
CREATE VIEW outcome AS
SELECT j.status, j.failure_code, j.failure_message, i.attempts, j.retry_at, (SELECT count(*) FROM dynamo.scan('Again')) AS items
FROM dynamo.jobs j JOIN dynamo_internal.jobs i ON i.id = j.job ORDER BY i.number DESC LIMIT 1;

-- A lock that others hold is nobody's fault: neither is the record refused for it,
-- nor is the job given up.  What failed before is not shown of a job that is done.
UPDATE fault SET code = 'lock_not_available', times = 2;
SELECT dynamo.bulk_put_items('Again', 'regress-again') IS NOT NULL AS asked;
CALL dynamo.run_jobs();
SELECT *, nextval('attempts') AS next_attempt FROM outcome;

-- It is begun five times and not once more, after which the last failure is shown, and
-- not that it would be tried again.
UPDATE fault SET times = 100;
ALTER SEQUENCE attempts RESTART;
SELECT dynamo.bulk_put_items('Again', 'regress-again') IS NOT NULL AS asked;
CALL dynamo.run_jobs();
SELECT *, nextval('attempts') AS next_attempt FROM outcome;

-- Which errors have nothing to do with the record that meets them: the job is begun
-- once more.  Others are the record's fault, and so is what will not be sound again.
CREATE TABLE tried (n serial, error text, status text, items int);
SELECT statement FROM unnest('{deadlock_detected,serialization_failure,disk_full,out_of_memory,admin_shutdown,io_error,
	data_corrupted,index_corrupted,object_in_use,check_violation,insufficient_privilege,raise_exception}'::text[]) WITH ORDINALITY AS e (error, n),
	LATERAL unnest(ARRAY[format('UPDATE fault SET code = %L, times = 2', error), 'ALTER SEQUENCE attempts RESTART', 'DELETE FROM dynamo_data."Again"',
		$$DO 'BEGIN PERFORM dynamo.bulk_put_items(''Again'', ''regress-again''); END'$$, 'CALL dynamo.run_jobs()',
		format('INSERT INTO tried (error, status, items) SELECT %L, status, items FROM outcome', error)]) WITH ORDINALITY AS s (statement, m)
ORDER BY n, m \gexec
SELECT error, status, items FROM tried ORDER BY n;
DROP TABLE tried;

-- What the request is at fault of is not tried again.
SELECT dynamo.bulk_put_items('Again', 'regress-none') IS NOT NULL AS asked;
CALL dynamo.run_jobs();
SELECT status, failure_code, attempts FROM outcome;

-- What each step meets is another failure: a job that gets on is not given up.  A step
-- has 5,000 records; the first of each but the first step fails once.
CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF nextval('public.attempts') % 5001 = 0 THEN
		RAISE EXCEPTION 'a lock' USING ERRCODE = 'lock_not_available';
	END IF;
	RETURN new;
END $$;
\set put 'cat > ' :buckets '/regress-again/b.json'
COPY (SELECT json_build_object('Item', json_build_object('id', json_build_object('S', n::text))) FROM generate_series(2, 35000) n) TO PROGRAM :'put';
DELETE FROM dynamo_data."Again";
ALTER SEQUENCE attempts RESTART;
SELECT dynamo.bulk_put_items('Again', 'regress-again') IS NOT NULL AS asked;
CALL dynamo.run_jobs();
SELECT *, (SELECT last_value / 5001 FROM attempts) AS failures FROM outcome;

-- What fails at commit, as a deferred trigger does, is a failure of the job, too, and
-- keeps no other job from its turn.
DROP TRIGGER fail ON dynamo_data."Again";
DELETE FROM dynamo_data."Again";
CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'attempt %', nextval('public.attempts') USING ERRCODE = (SELECT code FROM public.fault);
END $$;
CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON dynamo_data."Again" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail();
SELECT dynamo.create_table('Beside', 'id') IS NOT NULL AS made;
CREATE VIEW last_two AS
SELECT j.table_name, j.status, j.failure_code, j.failure_message, i.attempts
FROM dynamo.jobs j JOIN dynamo_internal.jobs i ON i.id = j.job ORDER BY i.number DESC LIMIT 2;
UPDATE fault SET code = 'lock_not_available';
ALTER SEQUENCE attempts RESTART;
SELECT count(dynamo.bulk_put_items(name, 'regress-again', 'a')) AS asked FROM unnest('{Again,Beside}'::text[]) name;
CALL dynamo.run_jobs();
SELECT * FROM last_two;
UPDATE fault SET code = 'check_violation';
ALTER SEQUENCE attempts RESTART;
SELECT count(dynamo.bulk_put_items(name, 'regress-again', 'a')) AS asked FROM unnest('{Again,Beside}'::text[]) name;
CALL dynamo.run_jobs();
SELECT * FROM last_two;
DROP VIEW last_two;
SELECT dynamo.drop_table('Beside');

DROP VIEW outcome;
SELECT dynamo.drop_table('Again');
DROP FUNCTION fail;
DROP TABLE fault;
DROP SEQUENCE attempts;
DELETE FROM dynamo_internal.jobs;
ALTER SYSTEM RESET dynamo.bucket_directory;
SELECT pg_reload_conf();
\set remove 'cat > /dev/null; rm -r ' :buckets
COPY (SELECT 1) TO PROGRAM :'remove';
