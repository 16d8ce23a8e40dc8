-- A job belongs to the role that asked for it, not to whoever has its name.  A
-- role that gets the name of one that was renamed neither sees the job nor ends
-- it, and it is not run with that role's rights: it waits for its own.  And a
-- client's token finds the jobs of its own role only.
\set VERBOSITY terse
\pset null '~'
\set bucket regress-owner
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/bucket.sql
\i :helper
DELETE FROM dynamo_internal.jobs;
\set put 'cat > ' :buckets '/regress-owner/a.json'
COPY (SELECT '{"Item":{"id":{"S":"a"}}}') TO PROGRAM :'put';

CREATE ROLE regress_asker;
GRANT CREATE ON SCHEMA dynamo_data TO regress_asker;
SELECT dynamo.grant_bucket('regress-owner', 'regress_asker', '{read}');
BEGIN;
SET LOCAL ROLE regress_asker;
SELECT right(dynamo.import_table('Owned', 'regress-owner', 'id'), 23) AS job \gset
RESET ROLE;
ALTER ROLE regress_asker RENAME TO regress_moved;
CREATE ROLE regress_asker;
GRANT CREATE ON SCHEMA dynamo_data TO regress_asker;
SELECT dynamo.grant_bucket('regress-owner', 'regress_asker', '{read}');
COMMIT;

SET ROLE regress_asker;
SELECT count(*) FROM dynamo.jobs;
\set VERBOSITY sqlstate
SELECT dynamo.cancel_job(:'job');
\set VERBOSITY terse
CALL dynamo.run_jobs();
RESET ROLE;
CALL dynamo.run_jobs();
SELECT status, owner, failure_code, started_at FROM dynamo.jobs WHERE job = :'job';
SELECT table_name FROM dynamo.tables;

-- Two roles have one token.
CREATE FUNCTION asked(name text) RETURNS text LANGUAGE sql AS $$
SELECT dynamo.try_call('ImportTable', json_build_object('ClientToken', 'one', 'InputFormat', 'DYNAMODB_JSON',
	'S3BucketSource', '{"S3Bucket": "regress-owner"}'::json,
	'TableCreationParameters', json_build_object('TableName', name, 'BillingMode', 'PAY_PER_REQUEST',
		'AttributeDefinitions', '[{"AttributeName": "id", "AttributeType": "S"}]'::json,
		'KeySchema', '[{"AttributeName": "id", "KeyType": "HASH"}]'::json))) #>> '{ImportTableDescription,TableArn}' $$;
BEGIN;
SET LOCAL ROLE regress_asker;
SELECT asked('First');
SET LOCAL ROLE regress_moved;
SELECT asked('Second');
ROLLBACK;
DROP FUNCTION asked;

-- Under its own name the first one has it again.
SELECT dynamo.revoke_bucket('regress-owner', 'regress_asker');
DROP OWNED BY regress_asker;
DROP ROLE regress_asker;
ALTER ROLE regress_moved RENAME TO regress_asker;
SET ROLE regress_asker;
CALL dynamo.run_jobs();
SELECT status, owner FROM dynamo.jobs;
SELECT item FROM dynamo.scan('Owned');
RESET ROLE;

SELECT dynamo.drop_table('Owned');

-- Where it is cancelled instead, it takes its table away.
BEGIN;
SET LOCAL ROLE regress_asker;
SELECT right(dynamo.import_table('Owned', 'regress-owner', 'id'), 23) AS job \gset
RESET ROLE;
ALTER ROLE regress_asker RENAME TO regress_moved;
COMMIT;
SET ROLE regress_moved;
SELECT dynamo.cancel_job(:'job');
RESET ROLE;
CALL dynamo.run_jobs();
SELECT status FROM dynamo.jobs WHERE job = :'job';
SELECT table_name FROM dynamo.tables;
ALTER ROLE regress_moved RENAME TO regress_asker;

-- So it does where its table has got another owner meanwhile.
CREATE ROLE regress_heir;
SET ROLE regress_asker;
SELECT right(dynamo.import_table('Owned', 'regress-owner', 'id'), 23) AS job \gset
RESET ROLE;
ALTER TABLE dynamo_data."Owned" OWNER TO regress_heir;
CALL dynamo.run_jobs();
SELECT status FROM dynamo.jobs WHERE job = :'job';
SELECT table_name FROM dynamo.tables;
DROP ROLE regress_heir;

-- While others use the table it cannot be dropped: the job has not ended then, or else
-- half of an import would be a table.
CREATE EXTENSION IF NOT EXISTS dblink SCHEMA public;
SELECT current_setting('port') AS port, current_database() AS db,
	split_part(current_setting('unix_socket_directories'), ',', 1) AS dir \gset
SELECT public.dblink_connect('other', format('host=%s port=%s dbname=%s user=%s', :'dir', :'port', :'db', current_user));
SELECT right(dynamo.import_table('Owned', 'regress-owner', 'id'), 23) AS job \gset
SELECT public.dblink_exec('other', 'BEGIN');
SELECT n FROM public.dblink('other', 'SELECT count(*) FROM dynamo_data."Owned"') AS r(n bigint);
SELECT dynamo.cancel_job(:'job');
SET lock_timeout = '100ms';
CALL dynamo.run_jobs();
RESET lock_timeout;
SELECT status, EXISTS (SELECT FROM dynamo.tables WHERE table_name = 'Owned') AS there FROM dynamo.jobs WHERE job = :'job';
SELECT public.dblink_exec('other', 'ROLLBACK');
SELECT public.dblink_disconnect('other');
CALL dynamo.run_jobs();
SELECT status, EXISTS (SELECT FROM dynamo.tables WHERE table_name = 'Owned') AS there FROM dynamo.jobs WHERE job = :'job';
DROP EXTENSION dblink;

SELECT dynamo.revoke_bucket('regress-owner', 'regress_asker');
DROP OWNED BY regress_asker;
DROP ROLE regress_asker;
DELETE FROM dynamo_internal.jobs;
ALTER SYSTEM RESET dynamo.bucket_directory;
SELECT pg_reload_conf();
\set remove 'cat > /dev/null; rm -r ' :buckets
COPY (SELECT 1) TO PROGRAM :'remove';
