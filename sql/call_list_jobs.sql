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

SELECT dynamo.delete_role_policy('jobs_reader', 'few');

SELECT dynamo.try_call('ListJobs', '[]');
-- page by page, each of which looks at 1000 jobs at most, whosoever's they are
SELECT dynamo.try_call('ListJobs', '{"Limit": 101, "NextToken": ""}');
INSERT INTO dynamo_internal.jobs (number, id, kind, status, table_name, owner, owner_oid, request, created_at, ended_at, attempts)
SELECT -n, '00000000000000-' || lpad(to_hex(n), 8, '0'), 'E', 'C', 'Page', owner, owner::regrole, '{}', now(), now(), 0
FROM generate_series(1, 2350) AS n, LATERAL (SELECT CASE WHEN n % 100 = 7 THEN 'jobs_watcher' ELSE current_user END::name AS owner) AS o;
CREATE FUNCTION pages(size integer) RETURNS TABLE (page integer, jobs integer, newest text, oldest text) LANGUAGE plpgsql AS $$
DECLARE
	-- before all that others have made meanwhile
	request json := json_build_object('Limit', size, 'NextToken', '00000000000001');
	answer json;
BEGIN
	page := 0;
	LOOP
		answer := dynamo.call('ListJobs', request);
		page := page + 1;
		jobs := json_array_length(answer -> 'Jobs');
		newest := answer #>> '{Jobs,0,JobId}';
		oldest := answer #>> '{Jobs,-1,JobId}';
		RETURN NEXT;
		EXIT WHEN answer ->> 'NextToken' IS NULL;
		request := json_build_object('Limit', size, 'NextToken', answer ->> 'NextToken');
	END LOOP;
END $$;
SELECT count(*), sum(jobs), max(jobs), min(newest), max(oldest) FROM pages(100);
SELECT * FROM pages(100) WHERE page > 22;
SET ROLE jobs_watcher;
SELECT * FROM pages(100);
SELECT * FROM pages(7);
RESET ROLE;
SET ROLE jobs_reader;
SELECT * FROM pages(100);
RESET ROLE;
DELETE FROM dynamo_internal.jobs WHERE id < '00000000000001';
-- Clean up
SELECT dynamo.call('DeleteBackup', json_build_object('BackupArn', b ->> 'BackupArn')) IS NOT NULL
FROM json_array_elements(dynamo.call('ListBackups', '{"TableName": "Jobs"}') -> 'BackupSummaries') AS b;
SELECT dynamo.drop_table('Jobs');
DROP FUNCTION jobs();
DROP FUNCTION pages(integer);
DROP OWNED BY jobs_reader, jobs_watcher;
DROP ROLE jobs_reader, jobs_watcher;
