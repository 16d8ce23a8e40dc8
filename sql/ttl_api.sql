-- UpdateTimeToLive and DescribeTimeToLive: answers, refusals and their order
\t on
\a
\set VERBOSITY terse
SELECT dynamo.create_table('TtlApi', 'PK', 'SK');
CREATE FUNCTION pg_temp.update_ttl(enabled boolean, attribute text) RETURNS json LANGUAGE sql AS $$
  SELECT dynamo.try_call('UpdateTimeToLive', json_build_object('TableName', 'TtlApi', 'TimeToLiveSpecification', json_build_object('Enabled', enabled, 'AttributeName', attribute))) $$;
CREATE FUNCTION pg_temp.describe_ttl() RETURNS json LANGUAGE sql AS $$
  SELECT dynamo.try_call('DescribeTimeToLive', '{"TableName": "TtlApi"}') $$;

-- off, on, off: the answer to a change is its echo, and it is done
SELECT pg_temp.describe_ttl();
SELECT pg_temp.update_ttl(false, 'ttl');
SELECT pg_temp.update_ttl(true, 'ttl');
SELECT pg_temp.describe_ttl();
-- a change that changes nothing, or is about another attribute
SELECT pg_temp.update_ttl(true, 'ttl');
SELECT pg_temp.update_ttl(true, 'other');
SELECT pg_temp.update_ttl(false, 'other');
SELECT pg_temp.update_ttl(false, 'ttl');
SELECT pg_temp.describe_ttl();
SELECT pg_temp.update_ttl(false, 'ttl');
-- any name will do that has 1 to 255 characters
SELECT pg_temp.update_ttl(true, E'it''s "a" \\ tt#l');
SELECT pg_temp.describe_ttl();
SELECT pg_temp.update_ttl(false, E'it''s "a" \\ tt#l');
SELECT pg_temp.update_ttl(true, repeat('t', 255)) IS NOT NULL;
SELECT pg_temp.update_ttl(false, repeat('t', 255)) IS NOT NULL;
SELECT pg_temp.update_ttl(true, repeat('é', 255)) ->> '__type' AS characters, pg_temp.update_ttl(true, repeat('é', 256)) ->> '__type' AS more;
SELECT pg_temp.update_ttl(false, repeat('é', 255)) ->> '__type' AS error;

-- an ARN is a name
SELECT dynamo.call('UpdateTimeToLive', '{"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/TtlApi", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "ttl"}}');
SELECT dynamo.call('DescribeTimeToLive', '{"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/TtlApi"}');

-- what it does not know is passed over
SELECT dynamo.try_call('UpdateTimeToLive', '{"TableName": "TtlApi", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "ttl"}, "More": 1}');

-- the same in SQL; a table's definition says what it is
SELECT dynamo.disable_ttl('TtlApi');
SELECT dynamo.disable_ttl('TtlApi');
SELECT dynamo.enable_ttl('TtlApi', 'ttl');
SELECT dynamo.enable_ttl('TtlApi', 'ttl');
SELECT dynamo.enable_ttl('TtlApi', '');
SELECT dynamo.enable_ttl('NoSuchTable', 'ttl');
SELECT dynamo.disable_ttl('NoSuchTable');
SELECT ttl_attribute FROM dynamo.tables WHERE table_name = 'TtlApi';
SELECT dynamo.disable_ttl('arn:aws:dynamodb:us-east-1:000000000000:table/TtlApi');
-- expiring a table that has no time to live, or is none
SELECT dynamo.expire_items('TtlApi');
SELECT dynamo.expire_items('NoSuchTable');
SELECT dynamo.expire_items(NULL);
SELECT dynamo.enable_ttl('TtlApi', 'ttl');
SELECT dynamo.expire_items('TtlApi', -1);
SELECT dynamo.expire_items('TtlApi', 0), dynamo.expire_items('TtlApi', 9223372036854775807);
SELECT dynamo.drop_table('TtlApi');
