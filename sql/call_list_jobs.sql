-- ListJobs, an operation of ours: who sees which jobs
\t on
\a
SET client_min_messages = warning;
CREATE ROLE jobs_reader;
CREATE ROLE jobs_watcher IN ROLE pg_read_all_stats;
GRANT USAGE ON SCHEMA dynamo_data TO jobs_reader, jobs_watcher;
SELECT dynamo.create_table('Jobs', 'pk', 'sk') IS NOT NULL;
GRANT SELECT ON dynamo_data."Jobs" TO jobs_reader;
-- jobs: one's own, those on one's tables, and not those of kinds that are denied
SELECT dynamo.call('CreateBackup', '{"TableName": "Jobs", "BackupName": "watched-backup"}') IS NOT NULL;
CREATE FUNCTION jobs() RETURNS SETOF text LANGUAGE sql AS $$
	WITH answer AS (SELECT dynamo.try_call('ListJobs', '{}') AS a)
	SELECT a::text FROM answer WHERE a ->> '__type' IS NOT NULL
	UNION ALL
	SELECT concat_ws(' ', j ->> 'Kind', j ->> 'Status', j ->> 'TableName', j ->> 'CreationDateTime' ~ '^\d+\.\d{3}$')
	FROM answer, json_array_elements(a -> 'Jobs') AS j WHERE j ->> 'TableName' = 'Jobs' $$;
SELECT jobs();
SET ROLE jobs_reader;
SELECT jobs();
SET ROLE jobs_watcher;
SELECT jobs();
RESET ROLE;
ALTER TABLE dynamo_data."Jobs" OWNER TO jobs_reader;
SET ROLE jobs_reader;
SELECT jobs();
RESET ROLE;
SELECT dynamo.put_role_policy('jobs_reader', 'few', '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"},
	{"Effect": "Deny", "Action": "dynamodb:ListBackups", "Resource": "*"}]}');
SET ROLE jobs_reader;
SELECT jobs();
RESET ROLE;
SELECT dynamo.put_role_policy('jobs_reader', 'few', '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": ["dynamodb:Get*", "dynamodb:Query"], "Resource": "*"}]}');
SET ROLE jobs_reader;
SELECT jobs();
RESET ROLE;

SELECT dynamo.try_call('ListJobs', '[]');
-- Clean up
SELECT dynamo.delete_role_policy('jobs_reader', 'few');
SELECT dynamo.call('DeleteBackup', json_build_object('BackupArn', b ->> 'BackupArn')) IS NOT NULL
FROM json_array_elements(dynamo.call('ListBackups', '{"TableName": "Jobs"}') -> 'BackupSummaries') AS b;
SELECT dynamo.drop_table('Jobs');
DROP FUNCTION jobs();
DROP OWNED BY jobs_reader, jobs_watcher;
DROP ROLE jobs_reader, jobs_watcher;
