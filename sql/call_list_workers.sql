-- ListWorkers, an operation of ours: workers are of all databases, so few may see them
\t on
\a
SET client_min_messages = warning;
CREATE ROLE staff_reader;
CREATE ROLE staff_watcher IN ROLE pg_read_all_stats;
GRANT USAGE ON SCHEMA dynamo_data TO staff_reader, staff_watcher;
SELECT json_typeof(dynamo.call('ListWorkers', '{}') -> 'Workers');
SET ROLE staff_watcher;
SELECT json_typeof(dynamo.call('ListWorkers', '{}') -> 'Workers');
SET ROLE staff_reader;
SELECT dynamo.try_call('ListWorkers', '{}');
SELECT * FROM dynamo.stat_workers;
RESET ROLE;
SELECT dynamo.put_role_policy('staff_watcher', 'few', '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"},
	{"Effect": "Deny", "Action": "dynamodb:ListWorkers", "Resource": "*"}]}');
SET ROLE staff_watcher;
SELECT dynamo.try_call('ListWorkers', '{}');
RESET ROLE;
-- Clean up
SELECT dynamo.delete_role_policy('staff_watcher', 'few');
DROP OWNED BY staff_reader, staff_watcher;
DROP ROLE staff_reader, staff_watcher;
