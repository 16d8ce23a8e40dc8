-- DescribeStatistics, an operation of ours: who may see the counters of a table. What is
-- counted is in t/monitor.pl, since that takes a server that preloads dynamo.
\t on
\a
SET client_min_messages = warning;
CREATE ROLE counted_reader;
CREATE ROLE counted_writer;
CREATE ROLE counted_nobody;
GRANT USAGE ON SCHEMA dynamo_data TO counted_reader, counted_writer, counted_nobody;
SELECT dynamo.create_table('Counted', 'pk', 'sk') IS NOT NULL;
GRANT SELECT ON dynamo_data."Counted" TO counted_reader;
GRANT INSERT, UPDATE ON dynamo_data."Counted" TO counted_writer;
-- An error, or what is told beside the numbers.
CREATE FUNCTION watched(request text DEFAULT '{"TableName": "Counted"}') RETURNS text LANGUAGE sql AS $$
	WITH answer AS (SELECT dynamo.try_call('DescribeStatistics', request::json) AS a)
	SELECT CASE WHEN a ->> '__type' IS NULL THEN (SELECT string_agg(k, ' ') FROM json_object_keys(a) AS k WHERE k !~ 'Since|Del|Rec') ELSE a::text END FROM answer $$;
SELECT watched();
-- who may describe the table may see them, others may not
SET ROLE counted_reader;
SELECT watched();
SET ROLE counted_writer;
SELECT watched();
SET ROLE counted_nobody;
SELECT watched();
SELECT watched('{"TableName": "NoTable"}');
RESET ROLE;
SELECT watched('{}');
SELECT watched('{"TableName": 1}');

-- policies take it for DescribeTable
SELECT dynamo.put_role_policy('counted_reader', 'few', '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"},
	{"Effect": "Deny", "Action": "dynamodb:DescribeTable", "Resource": "*"}]}');
SET ROLE counted_reader;
SELECT watched();
RESET ROLE;
-- Clean up
SELECT dynamo.delete_role_policy('counted_reader', 'few');
SELECT dynamo.drop_table('Counted');
DROP FUNCTION watched(text);
DROP OWNED BY counted_reader, counted_writer, counted_nobody;
DROP ROLE counted_reader, counted_writer, counted_nobody;
