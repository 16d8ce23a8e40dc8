-- DescribeHotKeys, an operation of ours: who may see which keys are asked for most. What
-- is counted is in t/monitor.pl, since that takes a server that preloads dynamo.
\t on
\a
SET client_min_messages = warning;
CREATE ROLE hot_reader;
CREATE ROLE hot_writer;
CREATE ROLE hot_nobody;
CREATE ROLE hot_watcher IN ROLE pg_read_all_stats;
GRANT USAGE ON SCHEMA dynamo_data TO hot_reader, hot_writer, hot_nobody, hot_watcher;
SELECT dynamo.create_table('HotKeys', 'pk', 'sk') IS NOT NULL;
SELECT dynamo.create_index('HotKeys', 'ByG', 'g');
GRANT SELECT ON dynamo_data."HotKeys" TO hot_reader;
GRANT INSERT, UPDATE ON dynamo_data."HotKeys" TO hot_writer;
SELECT dynamo.call('UpdateContributorInsights', '{"TableName": "HotKeys", "ContributorInsightsAction": "ENABLE"}') IS NOT NULL;
SELECT dynamo.call('UpdateContributorInsights', '{"TableName": "HotKeys", "IndexName": "ByG", "ContributorInsightsAction": "ENABLE"}') IS NOT NULL;

-- keys are data
CREATE FUNCTION hot(request text DEFAULT '{"TableName": "HotKeys"}') RETURNS text LANGUAGE sql AS $$
	WITH answer AS (SELECT dynamo.try_call('DescribeHotKeys', request::json) AS a)
	SELECT CASE WHEN a ->> '__type' IS NULL THEN (SELECT string_agg(k, ' ') FROM json_object_keys(a) AS k) ELSE a::text END FROM answer $$;
SELECT hot();
SELECT hot('{"TableName": "HotKeys", "IndexName": "ByG"}');
SELECT hot('{"TableName": "HotKeys", "IndexName": "ByX"}');
SELECT hot('{"TableName": "HotKeys", "IndexName": "a"}');
SELECT hot('{"TableName": "NoTable"}');
SET ROLE hot_reader;
SELECT hot();
SET ROLE hot_writer;
SELECT hot();
SET ROLE hot_nobody;
SELECT hot();
-- one that sees all statistics does not read items
SET ROLE hot_watcher;
SELECT hot();
RESET ROLE;
-- policies of rows apply to the reader
ALTER TABLE dynamo_data."HotKeys" ENABLE ROW LEVEL SECURITY;
SET ROLE hot_reader;
SELECT hot();
RESET ROLE;
ALTER TABLE dynamo_data."HotKeys" DISABLE ROW LEVEL SECURITY;

-- policies take it for a Scan of everything
SELECT dynamo.put_role_policy('hot_reader', 'few', '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"},
	{"Effect": "Deny", "Action": "dynamodb:Scan", "Resource": "*"}]}');
SET ROLE hot_reader;
SELECT hot();
RESET ROLE;
SELECT dynamo.put_role_policy('hot_reader', 'few', '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*",
	"Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["a"]}}}]}');
SET ROLE hot_reader;
SELECT hot();
RESET ROLE;
-- of an index, too
SELECT dynamo.put_role_policy('hot_reader', 'few', '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"},
	{"Effect": "Deny", "Action": "dynamodb:Scan", "Resource": "arn:aws:dynamodb:*:*:table/HotKeys/index/ByG"}]}');
SET ROLE hot_reader;
SELECT hot();
SELECT hot('{"TableName": "HotKeys", "IndexName": "ByG"}');
RESET ROLE;

-- Clean up
SELECT dynamo.delete_role_policy('hot_reader', 'few');
SELECT dynamo.drop_table('HotKeys');
DROP FUNCTION hot(text);
DROP OWNED BY hot_reader, hot_writer, hot_nobody, hot_watcher;
DROP ROLE hot_reader, hot_writer, hot_nobody, hot_watcher;
